#include <locdyn/solver/newton/velocity_system.hpp>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

#include <locdyn/solver/newton/row_system.hpp>

namespace locdyn {
namespace {

// Fixed sizes for the usual kinds of body, so that the products are unrolled.
template <class Work>
void with_size(int n, const Work& work) {
  switch (n) {
    case 3: return work(std::integral_constant<int, 3>());
    case 6: return work(std::integral_constant<int, 6>());
    default: return work(std::integral_constant<int, Eigen::Dynamic>());
  }
}

template <int n>
using Jacobian = Eigen::Map<const Eigen::Matrix<double, 3, n>, Eigen::Unaligned, Eigen::OuterStride<4>>;

}  // namespace

VelocitySystem::VelocitySystem(const LocalDynamics& ldy)
    : ldy_(ldy), factor_(*ldy.factor()), G_(ldy.diagonal_arena().size()) {
  find_groups();
  lay_out();
  add_inertia();
}

// The groups that the rows act on, in the order in which rows meet them.
void VelocitySystem::find_groups() {
  group_of_.assign(factor_.first_inertia.size(), -1);
  const auto* arena = ldy_.diagonal_arena().data();
  int unknowns = 0;
  for (const DiagonalBlock& row : ldy_.rows()) {
    for (const Coupling& c : factor_.couplings(static_cast<Index>(&row - arena))) {
      if (group_of_[c.body] >= 0) continue;
      group_of_[c.body] = static_cast<int>(groups_.size());
      groups_.push_back({.first = unknowns, .size = static_cast<int>(c.freedoms), .neighbours = {}});
      some_coupling_.push_back(c);
      unknowns += static_cast<int>(c.freedoms);
    }
  }
  for (const DiagonalBlock& row : ldy_.rows()) {
    const auto couplings = factor_.couplings(static_cast<Index>(&row - arena));
    for (const Coupling& a : couplings) {
      std::vector<int>& neighbours = groups_[group_of_[a.body]].neighbours;
      for (const Coupling& b : couplings) {
        const int other = group_of_[b.body];
        const auto at = std::lower_bound(neighbours.begin(), neighbours.end(), other);
        if (at == neighbours.end() || *at != other) neighbours.insert(at, other);
      }
    }
  }
  rhs_.resize(unknowns);
  solution_.resize(unknowns);
}

double VelocitySystem::symbolic_cost() const {
  std::vector<int> start(1, 0), neighbours;
  double size = 0;
  for (const Group& group : groups_) {
    neighbours.insert(neighbours.end(), group.neighbours.begin(), group.neighbours.end());
    start.push_back(static_cast<int>(neighbours.size()));
    size = std::max(size, static_cast<double>(group.size));
  }
  return block_lu_cost(start, neighbours, size, static_cast<double>(rhs_.size()));
}

void VelocitySystem::lay_out() {
  matrix_.start.assign(1, 0);
  for (const Group& group : groups_) {
    for (int i = 0; i < group.size; ++i) {
      for (int other : group.neighbours) {
        for (int j = 0; j < groups_[other].size; ++j) matrix_.column.push_back(groups_[other].first + j);
      }
      matrix_.start.push_back(static_cast<int>(matrix_.column.size()));
    }
  }
  matrix_.value.assign(matrix_.column.size(), 0.0);
}

// First value of a block; its rows lie one matrix row apart.
double* VelocitySystem::block(int row_group, int column_group) {
  const Group& group = groups_[row_group];
  int offset = 0;
  for (int other : group.neighbours) {
    if (other == column_group) break;
    offset += groups_[other].size;
  }
  return matrix_.value.data() + matrix_.start[group.first] + offset;
}

void VelocitySystem::add_inertia() {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const int first = groups_[g].first;
    const int n = groups_[g].size;
    const int stride = matrix_.start[first + 1] - matrix_.start[first];
    double* values = block(static_cast<int>(g), static_cast<int>(g));
    const auto A = factor_.inertia_of(some_coupling_[g]);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) values[i * stride + j] = A(i, j) / factor_.h;
    }
  }
  inertia_ = matrix_.value;
}

void VelocitySystem::add_pull(Index row, const Eigen::Vector3d& pull) {
  for (const Coupling& a : factor_.couplings(row)) {
    with_size(static_cast<int>(a.freedoms), [&](auto n) {
      const Jacobian<n> Ha(factor_.H.data() + 4 * a.place, 3, a.freedoms);
      double* rhs = rhs_.data() + groups_[group_of_[a.body]].first;
      Eigen::Map<Eigen::Matrix<double, n, 1>>(rhs, a.freedoms).noalias() += Ha.transpose() * pull;
    });
  }
}

// Adds H_αᵀ K H_β of two rows.
void VelocitySystem::add_block(Index row, const Eigen::Matrix3d& K, Index column) {
  const auto columns = factor_.couplings(column);
  for (const Coupling& a : factor_.couplings(row)) {
    with_size(static_cast<int>(a.freedoms), [&](auto n) {
      const int group = group_of_[a.body];
      const int first = groups_[group].first;
      const Jacobian<n> Ha(factor_.H.data() + 4 * a.place, 3, a.freedoms);
      const Eigen::Matrix<double, n, 3> HaK = Ha.transpose() * K;
      const int stride = matrix_.start[first + 1] - matrix_.start[first];
      for (const Coupling& b : columns) {
        with_size(static_cast<int>(b.freedoms), [&](auto m) {
          using Block = Eigen::Matrix<double, n, m, (n == 1 || m != 1) ? Eigen::RowMajor : Eigen::ColMajor>;
          Eigen::Map<Block, Eigen::Unaligned, Eigen::OuterStride<>> values(block(group, group_of_[b.body]), a.freedoms,
                                                                           b.freedoms, Eigen::OuterStride<>(stride));
          values.noalias() += HaK * Jacobian<m>(factor_.H.data() + 4 * b.place, 3, b.freedoms);
        });
      }
    });
  }
}

// Adds Hᵀ G E H and −Hᵀ G F of a pressed row, Hᵀ dR of an open one. False where w E + C is singular.
bool VelocitySystem::add_row(const LinearisedRow& row, Index place, const Eigen::Vector3d& open_step) {
  if (!row.pressed) {
    add_pull(place, open_step);
    return true;
  }
  const Eigen::Matrix3d own = row.weight * row.d.E + row.d.C;
  G_[place] = own.inverse();
  const Eigen::Matrix3d K = G_[place] * row.d.E;
  const Eigen::Vector3d pull = -(G_[place] * row.F);
  if (!std::isfinite(K.sum() + pull.sum())) return false;
  add_pull(place, pull);
  add_block(place, K, place);
  return true;
}

// What moments take from their force, the row before, beside their own share.
void VelocitySystem::add_dependence(std::span<const LinearisedRow> rows, Index place) {
  const LinearisedRow& moment = rows[place];
  const LinearisedRow& force = rows[place - 1];
  const Eigen::Vector3d by_R = G_[place] * (moment.weight * moment.d.E_n + moment.d.C_n);
  const Eigen::RowVector3d normal = G_[place - 1].row(2);
  Eigen::Matrix3d K = -by_R * (normal * force.d.E);
  K.col(2) += G_[place] * moment.d.E_n;
  add_pull(place, by_R * normal.dot(force.F));
  add_block(place, K, place - 1);
}

bool VelocitySystem::solve(std::span<const LinearisedRow> rows, std::span<Eigen::Vector3d> step) {
  const auto* arena = ldy_.diagonal_arena().data();
  matrix_.value = inertia_;
  std::fill(rhs_.begin(), rhs_.end(), 0.0);
  for (const DiagonalBlock& row : ldy_.rows()) {
    const auto place = static_cast<Index>(&row - arena);
    if (!add_row(rows[place], place, step[place])) return false;
    if (rows[place].moment && rows[place].pressed) add_dependence(rows, place);
  }
  if (!lu_.factorise(matrix_) || !lu_.solve(matrix_, rhs_, solution_)) return false;

  // dR = −G (F + E H y).
  for (const DiagonalBlock& row : ldy_.rows()) {
    const auto place = static_cast<Index>(&row - arena);
    if (!rows[place].pressed) continue;
    Eigen::Vector3d left = rows[place].F + rows[place].d.E * change_of(place);
    if (rows[place].moment) {
      const auto& d = rows[place].d;
      left += d.E_n * change_of(place - 1)[2] + (rows[place].weight * d.E_n + d.C_n) * step[place - 1][2];
    }
    step[place] = -(G_[place] * left);
  }
  return true;
}

// H y of a row.
Eigen::Vector3d VelocitySystem::change_of(Index place) const {
  Eigen::Vector3d change = Eigen::Vector3d::Zero();
  for (const Coupling& c : factor_.couplings(place)) {
    change += factor_.jacobian(c) *
              Eigen::Map<const Eigen::VectorXd>(solution_.data() + groups_[group_of_[c.body]].first, c.freedoms);
  }
  return change;
}

bool works_in_velocities(const LocalDynamics& ldy) {
  if (ldy.factor() == nullptr) return false;
  std::vector<char> met(ldy.factor()->first_inertia.size(), 0);
  std::size_t velocities = 0;
  for (const DiagonalBlock& row : ldy.rows()) {
    for (const Coupling& c : ldy.factor()->couplings(static_cast<Index>(&row - ldy.diagonal_arena().data()))) {
      if (!std::exchange(met[c.body], 1)) velocities += c.freedoms;
    }
  }
  return velocities < 3 * ldy.row_count();
}

namespace {

// In the space of rows, of all or of those that press now.
double rows_cost(const LocalDynamics& ldy, bool all) {
  const auto diagonal = ldy.diagonal_arena();
  std::vector<int> unknown(diagonal.size(), -1);
  int pressed = 0;
  for (const DiagonalBlock& row : ldy.rows()) {
    if (all || !row.R.isZero(0)) unknown[&row - diagonal.data()] = pressed++;
  }
  std::vector<int> start(1, 0), neighbours;
  for (const DiagonalBlock& row : ldy.rows()) {
    if (unknown[&row - diagonal.data()] < 0) continue;
    for (const OffDiagonalBlock& block : ldy.adjacent(row)) {
      if (unknown[block.other] >= 0) neighbours.push_back(unknown[block.other]);
    }
    std::sort(neighbours.begin() + start.back(), neighbours.end());
    start.push_back(static_cast<int>(neighbours.size()));
  }
  return block_lu_cost(start, neighbours, 3, 3.0 * pressed);
}

// Of those that press; of all where none does. The pattern changes from step to step, and is analysed anew.
double row_system_cost(const LocalDynamics& ldy) {
  constexpr double kAnalysis = 1.5;
  const bool cold = std::all_of(ldy.rows().begin(), ldy.rows().end(), [](const auto& row) { return row.R.isZero(0); });
  return kAnalysis * rows_cost(ldy, cold);
}

}  // namespace

long sweeps_per_newton_step(const LocalDynamics& ldy) {
  constexpr long kMost = 4000;
  constexpr double kFlopsOfRow = 100, kFlopsOfBlock = 18;  // of a sweep: its own law, and each block product
  const double sweep = kFlopsOfRow * static_cast<double>(ldy.row_count()) +
                       kFlopsOfBlock * static_cast<double>(ldy.off_diagonal_count());
  const double step = works_in_velocities(ldy) ? VelocitySystem(ldy).symbolic_cost() : row_system_cost(ldy);
  return std::clamp(static_cast<long>(step / sweep), 1L, kMost);
}

double cost_of_all_rows(const LocalDynamics& ldy) {
  return rows_cost(ldy, true);
}

std::unique_ptr<NewtonSystem> make_newton_system(const LocalDynamics& ldy) {
  if (works_in_velocities(ldy)) return std::make_unique<VelocitySystem>(ldy);
  return std::make_unique<RowSystem>(ldy);
}

}  // namespace locdyn
