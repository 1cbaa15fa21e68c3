#include <locdyn/solver/global/global_condensation.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/ldy/moment_scale.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/global/component.hpp>
#include <locdyn/solver/global/component_search.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr std::size_t kMostFreedomsOfBody = 48;
constexpr double kContradiction = 1e-8;

// The part of A (columns of `columns`) that lies in `rows`, whose places in it `place` has.
SparseMatrix part_of(const SparseMatrix& A, const std::vector<int>& rows, const std::vector<int>& columns,
                     const std::vector<int>& place) {
  SparseMatrix part(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns.size()));
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (SparseMatrix::InnerIterator at(A, columns[j]); at; ++at) {
      entries.emplace_back(place[at.row()], static_cast<int>(j), at.value());
    }
  }
  part.setFromTriplets(entries.begin(), entries.end());
  return part;
}

Eigen::VectorXd gathered(const Eigen::VectorXd& x, const std::vector<int>& places) {
  return x(places);
}

double relative(double part, double whole) {
  return whole > 0 ? part / whole : part;
}

// v and l for a load (n) and b (p), component by component.
GlobalComponent::Motion motion_under(const std::vector<GlobalComponent>& components, const Eigen::VectorXd& load,
                                     const Eigen::VectorXd& b) {
  GlobalComponent::Motion motion{Eigen::VectorXd::Zero(load.size()), Eigen::VectorXd::Zero(b.size())};
  for (const GlobalComponent& component : components) {
    const GlobalComponent::Motion part =
        component.solve(gathered(load, component.velocities), gathered(b, component.bilateral));
    motion.v(component.velocities, 0) = part.v.col(0);
    motion.l(component.bilateral, 0) = part.l.col(0);
  }
  return motion;
}

}  // namespace

GlobalCondensation::~GlobalCondensation() = default;

std::size_t GlobalCondensation::components() const noexcept {
  return components_.size();
}

GlobalCondensation::GlobalCondensation(GlobalProblem problem) : problem_(std::move(problem)) {
  problem_.validate();
  for (SparseMatrix* A : {&problem_.M, &problem_.H, &problem_.G}) A->prune([](auto, auto, double x) { return x != 0; });
  factorise();
  insert_contacts();
  couple();
  fill();
  std::vector<double> rolling;
  for (const Law& law : problem_.laws) {
    const auto* roll = std::get_if<RollingLaw>(&law);
    rolling.push_back(roll == nullptr ? 0 : roll->rolling);
  }
  scale_moments(graph_, rolling);
  find_factor();
}

void GlobalCondensation::factorise() {
  components_ = find_components(problem_);
  std::vector<int> place(static_cast<std::size_t>(problem_.M.rows()), 0);
  for (const GlobalComponent& component : components_) {
    for (std::size_t i = 0; i < component.velocities.size(); ++i) place[component.velocities[i]] = static_cast<int>(i);
  }
  for (GlobalComponent& component : components_) {
    component.factorise(part_of(problem_.M, component.velocities, component.velocities, place),
                        part_of(problem_.G, component.velocities, component.bilateral, place));
    component.respond();
    if (!component.W.allFinite()) {
      throw std::invalid_argument("H' inv(M) H: expected finite numbers, found an overflow");
    }
  }
}

void GlobalCondensation::insert_contacts() {
  const GlobalSolution free = solution_for(Eigen::VectorXd::Zero(problem_.w.size()));
  const Eigen::VectorXd left = problem_.G.transpose() * free.v + problem_.b;
  if (left.size() > 0) {
    Eigen::Index worst = 0;
    const double error = left.cwiseAbs().maxCoeff(&worst);
    const Eigen::VectorXd size = problem_.G.cwiseAbs().transpose() * free.v.cwiseAbs();
    if (!(error <= kContradiction * std::max(problem_.b.cwiseAbs().maxCoeff(), size.maxCoeff()))) {
      throw std::invalid_argument(
          "G and b: expected rows that some velocity meets, found rows that contradict each "
          "other by " +
          std::to_string(error) + " at place " + std::to_string(worst));
    }
  }
  if (!free.u.allFinite()) throw std::invalid_argument("H' inv(M) f: expected finite numbers, found an overflow");
  Eigen::Index block = 0;
  for (const Law& law : problem_.laws) {
    Law plain = law;
    if (auto* roll = std::get_if<RollingLaw>(&plain)) roll->rolling = 0;  // until its ℓ is known
    const ConstraintId id = graph_.insert(plain);
    for (int k = 0; k < block_count(law); ++k, ++block) graph_.row(id, k).B = free.u.segment<3>(3 * block);
  }
}

// Each pair of contacts that shares a component, once.
void GlobalCondensation::couple() {
  std::vector<ConstraintId> contact_of;
  for (ConstraintId id{0}; id < problem_.laws.size(); ++id)
    contact_of.insert(contact_of.end(), block_count(problem_.laws[id]), id);
  std::vector<std::pair<ConstraintId, ConstraintId>> pairs;
  std::vector<ConstraintId> contacts;
  for (const GlobalComponent& component : components_) {
    contacts.clear();
    for (const int block : component.blocks) {
      if (contacts.empty() || contacts.back() != contact_of[block]) contacts.push_back(contact_of[block]);
    }
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) pairs.emplace_back(contacts[j], contacts[i]);
    }
  }
  graph_.couple(std::move(pairs));
  graph_.pack(SweepOrder::by_id);  // from here on a block's place in the arena is its number
}

void GlobalCondensation::fill() {
  const auto arena = graph_.diagonal_arena();
  of_.assign(arena.size(), {});
  for (std::size_t c = 0; c < components_.size(); ++c) {
    for (const int block : components_[c].blocks) of_[block].push_back(static_cast<int>(c));
  }
  std::vector<Eigen::Matrix3d*> target(arena.size(), nullptr);
  std::vector<int> next(components_.size(), 0);  // of a component, how many of its blocks were filled
  for (std::size_t place = 0; place < arena.size(); ++place) {
    DiagonalBlock& row = arena[place];
    target[place] = &row.W;
    for (OffDiagonalBlock& block : graph_.adjacent(row)) target[block.other] = &block.W;
    for (const int c : of_[place]) {
      const GlobalComponent& component = components_[c];
      const Eigen::Index i = next[c]++;
      for (std::size_t j = 0; j < component.blocks.size(); ++j) {
        *target[component.blocks[j]] += component.W.block<3, 3>(3 * i, 3 * static_cast<Eigen::Index>(j));
      }
    }
  }
  for (GlobalComponent& component : components_) component.W.resize(0, 0);
}

void GlobalCondensation::find_factor() {
  const auto fits = [](const GlobalComponent& component) {
    return component.blocks.empty() || (component.is_body() && component.velocities.size() <= kMostFreedomsOfBody);
  };
  if (!std::all_of(components_.begin(), components_.end(), fits)) return;
  std::vector<std::uint32_t> body_of(components_.size(), 0);
  first_inertia_.assign(1, 0);
  for (std::size_t c = 0; c < components_.size(); ++c) {
    if (components_[c].blocks.empty()) continue;
    body_of[c] = static_cast<std::uint32_t>(first_inertia_.size() - 1);
    const Eigen::MatrixXd M = components_[c].mass().matrix();
    const Eigen::MatrixXd A = 0.5 * (M + M.transpose());
    inertia_.insert(inertia_.end(), A.data(), A.data() + A.size());
    first_inertia_.push_back(inertia_.size());
  }
  const auto arena = graph_.diagonal_arena();
  std::vector<Eigen::Index> next(components_.size(), 0);
  std::uint64_t place = 0;
  first_.assign(1, 0);
  for (std::size_t at = 0; at < arena.size(); ++at) {
    const double length = row_length(graph_, arena[at]);
    for (const int c : of_[at]) {
      const GlobalComponent& component = components_[c];
      const auto n = static_cast<std::uint32_t>(component.velocities.size());
      const Eigen::MatrixXd H = length * Eigen::MatrixXd(component.H.middleCols(3 * next[c]++, 3));
      coupling_.push_back({body_of[c], n, place});
      for (Eigen::Index j = 0; j < H.rows(); ++j) jacobian_.insert(jacobian_.end(), {H(j, 0), H(j, 1), H(j, 2), 0.0});
      place += n;
    }
    first_.push_back(static_cast<std::uint32_t>(coupling_.size()));
  }
}

std::optional<DelassusFactor> GlobalCondensation::factor() const {
  if (first_.empty()) return std::nullopt;
  return DelassusFactor{.first = first_,
                        .coupling = coupling_,
                        .H = jacobian_,
                        .Y = {},
                        .inertia = inertia_,
                        .first_inertia = first_inertia_,
                        .level = {},
                        .h = 1,
                        .part = nullptr};
}

GlobalSolution GlobalCondensation::solution_for(const Eigen::VectorXd& r) const {
  GlobalComponent::Motion motion = motion_under(components_, problem_.f + problem_.H * r, problem_.b);
  GlobalSolution solution{.v = std::move(motion.v), .l = std::move(motion.l), .u = {}, .r = r};
  solution.u = problem_.H.transpose() * solution.v + problem_.w;
  return solution;
}

Eigen::VectorXd GlobalCondensation::response(const Eigen::Ref<const Eigen::VectorXd>& r) const {
  if (r.size() != problem_.w.size()) {
    throw std::invalid_argument("r: expected " + std::to_string(problem_.w.size()) + " numbers, found " +
                                std::to_string(r.size()));
  }
  return problem_.H.transpose() * motion_under(components_, problem_.H * r, Eigen::VectorXd::Zero(problem_.b.size())).v;
}

GlobalSolution GlobalCondensation::recover(const LocalDynamics& ldy) const {
  Eigen::VectorXd r(problem_.w.size());
  Eigen::Index block = 0;
  for (const DiagonalBlock& row : ldy.diagonal_arena()) r.segment<3>(3 * block++) = row_length(ldy, row) * row.R;
  return solution_for(r);
}

GlobalResidual GlobalCondensation::judge(LocalDynamics& ldy, const GlobalSolution& solution) const {
  GlobalResidual residual;
  double scaled2 = 0, b2 = 0;
  Eigen::Index block = 0;
  for (ConstraintId id{0}; id < problem_.laws.size(); ++id) {
    for (int k = 0; k < block_count(problem_.laws[id]); ++k) {
      DiagonalBlock& row = ldy.row(id, k);
      row.U = row_length(ldy, row) * solution.u.segment<3>(3 * block++);
      b2 += (row.B + offset(problem_.laws[id], k)).squaredNorm();
    }
    scaled2 += scaled_residual2(ldy, id);
  }
  residual.scaled = relative(std::sqrt(scaled2), std::sqrt(b2));
  const Eigen::VectorXd inertia = problem_.M * solution.v, contact = problem_.H * solution.r;
  const Eigen::VectorXd bilateral = problem_.G * solution.l;
  residual.dynamics = relative((inertia - contact - bilateral - problem_.f).norm(),
                               inertia.norm() + contact.norm() + bilateral.norm() + problem_.f.norm());
  residual.bilateral = relative((problem_.G.transpose() * solution.v + problem_.b).norm(), std::sqrt(b2));
  return residual;
}

}  // namespace locdyn
