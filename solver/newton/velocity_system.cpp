#include <locdyn/solver/newton/velocity_system.hpp>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <locdyn/solver/newton/row_system.hpp>

namespace locdyn {
namespace {

// --- C (n × m, row by row) += Pᵀ Q, P (3 × n) and Q (3 × m) row by row -------------------------------------------------

using Four = double __attribute__((vector_size(32), aligned(8), may_alias));
using Two = double __attribute__((vector_size(16), aligned(8), may_alias));

struct Outer {
  const double* P;
  int n;
  const double* Q;
  int m;
};

template <class Lanes>
[[gnu::always_inline]] inline void add_columns(const Outer& outer, int i, int j, double* to) {
  const double* p = outer.P + i;
  const double* q = outer.Q + j;
  Lanes sum = *reinterpret_cast<const Lanes*>(to);
  for (int s = 0; s < 3; ++s) sum += p[s * outer.n] * *reinterpret_cast<const Lanes*>(q + s * outer.m);
  *reinterpret_cast<Lanes*>(to) = sum;
}

[[gnu::always_inline]] inline void add_outer_anywhere(const Outer& outer, double* C, int stride) {
  for (int i = 0; i < outer.n; ++i, C += stride) {
    int j = 0;
    for (; j + 4 <= outer.m; j += 4) add_columns<Four>(outer, i, j, C + j);
    for (; j + 2 <= outer.m; j += 2) add_columns<Two>(outer, i, j, C + j);
    for (; j < outer.m; ++j) add_columns<double>(outer, i, j, C + j);
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void add_outer_avx2(const Outer& outer, double* C, int stride) {
  if (outer.n == 6 && outer.m == 6) return add_outer_anywhere({outer.P, 6, outer.Q, 6}, C, stride);
  add_outer_anywhere(outer, C, stride);
}
#endif

void add_outer(const Outer& outer, double* C, int stride) {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  if (has_avx2) return add_outer_avx2(outer, C, stride);
#endif
  add_outer_anywhere(outer, C, stride);
}

// What a step costs by blocks, in operations at a sweep's speed: for an unknown (its share of the assembly and the
// solve), and for one of the factorisation.
constexpr double kBlockUnknown = 1000, kBlockFlop = 0.5;
// Blocks need no pivoting but where they fail: they are tried first unless they cost so many times more.
constexpr double kWorthPivoting = 1;

}  // namespace

VelocitySystem::VelocitySystem(const LocalDynamics& ldy)
    : ldy_(ldy), factor_(*ldy.factor()), G_(ldy.diagonal_arena().size()) {
  find_groups();
  lay_out();
}

// The groups that the rows act on, in the order in which rows meet them.
void VelocitySystem::find_groups() {
  group_of_.assign(factor_.first_inertia.size(), -1);
  const auto* arena = ldy_.diagonal_arena().data();
  int unknowns = 0, most = 0;
  for (const DiagonalBlock& row : ldy_.rows()) {
    for (const Coupling& c : factor_.couplings(static_cast<Index>(&row - arena))) {
      if (group_of_[c.body] >= 0) continue;
      group_of_[c.body] = static_cast<int>(groups_.size());
      groups_.push_back({.first = unknowns, .size = static_cast<int>(c.freedoms), .neighbours = {}});
      some_coupling_.push_back(c);
      unknowns += static_cast<int>(c.freedoms);
      most = std::max(most, static_cast<int>(c.freedoms));
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
  rows_of_H_.resize(3 * most);
  rows_of_KH_.resize(3 * most);
}

VelocitySystem::Pattern VelocitySystem::pattern() const {
  Pattern pattern;
  pattern.start.push_back(0);
  for (const Group& group : groups_) {
    pattern.neighbours.insert(pattern.neighbours.end(), group.neighbours.begin(), group.neighbours.end());
    pattern.start.push_back(static_cast<int>(pattern.neighbours.size()));
    pattern.size.push_back(group.size);
  }
  return pattern;
}

double VelocitySystem::symbolic_cost() const {
  return std::min(block_cost(), general_cost());
}

double VelocitySystem::block_cost() const {
  return kBlockUnknown * static_cast<double>(rhs_.size()) + kBlockFlop * blocks_.flops();
}

double VelocitySystem::general_cost() const {
  const Pattern blocks = pattern();
  const double size = blocks.size.empty() ? 0 : *std::max_element(blocks.size.begin(), blocks.size.end());
  return block_lu_cost(blocks.start, blocks.neighbours, size, static_cast<double>(rhs_.size()));
}

// The blocks of a row's own bodies, pair by pair, and A/h.
void VelocitySystem::lay_out() {
  const Pattern blocks = pattern();
  blocks_ = BlockLu(blocks.size, blocks.start, blocks.neighbours);
  const auto* arena = ldy_.diagonal_arena().data();
  first_pair_.assign(ldy_.diagonal_arena().size(), 0);
  for (const DiagonalBlock& row : ldy_.rows()) {
    const auto place = static_cast<Index>(&row - arena);
    first_pair_[place] = pairs_.size();
    for (const Coupling& a : factor_.couplings(place)) {
      for (const Coupling& b : factor_.couplings(place)) {
        pairs_.push_back(blocks_.block(group_of_[a.body], group_of_[b.body]));
      }
    }
  }
}

void VelocitySystem::add_inertia() {
  blocks_.clear();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const BlockLu::Block own = blocks_.block(static_cast<int>(g), static_cast<int>(g));
    const auto A = factor_.inertia_of(some_coupling_[g]);
    for (int i = 0; i < groups_[g].size; ++i) {
      for (int j = 0; j < groups_[g].size; ++j) own.values[i * own.stride + j] = A(i, j) / factor_.h;
    }
  }
}

void VelocitySystem::add_pull(Index row, const Eigen::Vector3d& pull) {
  for (const Coupling& a : factor_.couplings(row)) {
    const double* H = factor_.H.data() + 4 * a.place;
    double* rhs = rhs_.data() + groups_[group_of_[a.body]].first;
    for (std::uint32_t j = 0; j < a.freedoms; ++j, H += 4) rhs[j] += H[0] * pull[0] + H[1] * pull[1] + H[2] * pull[2];
  }
}

// Adds H_αᵀ K H_β of two rows that act on the same bodies, or of one with itself.
void VelocitySystem::add_block(Index row, const Eigen::Matrix3d& K, Index column) {
  const BlockLu::Block* block = pairs_.data() + first_pair_[row];
  for (const Coupling& a : factor_.couplings(row)) {
    const auto n = static_cast<int>(a.freedoms);
    const double* H = factor_.H.data() + 4 * a.place;
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < 3; ++i) rows_of_H_[i * n + j] = H[4 * j + i];
    }
    for (const Coupling& b : factor_.couplings(column)) {
      const auto m = static_cast<int>(b.freedoms);
      const double* other = factor_.H.data() + 4 * b.place;
      for (int j = 0; j < m; ++j) {
        for (int i = 0; i < 3; ++i) {
          rows_of_KH_[i * m + j] = K(i, 0) * other[4 * j] + K(i, 1) * other[4 * j + 1] + K(i, 2) * other[4 * j + 2];
        }
      }
      const Outer outer = block->transposed ? Outer{rows_of_KH_.data(), m, rows_of_H_.data(), n}
                                            : Outer{rows_of_H_.data(), n, rows_of_KH_.data(), m};
      add_outer(outer, block->values, block->stride);
      ++block;
    }
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

// By blocks where that is quicker and its pivots hold; else with pivoting.
bool VelocitySystem::solve_linear() {
  if (block_cost() <= kWorthPivoting * general_cost_once()) {
    flops_ += blocks_.flops();
    if (blocks_.factorise() && blocks_.solve(rhs_, solution_)) return true;
  }
  const double before = lu_.flops();
  fill_matrix();
  const bool solved = lu_.factorise(matrix_) && lu_.solve(matrix_, rhs_, solution_);
  flops_ += lu_.flops() - before;
  return solved;
}

double VelocitySystem::general_cost_once() {
  if (general_cost_ == 0) general_cost_ = std::max(1.0, general_cost());
  return general_cost_;
}

// The blocks as one sparse matrix.
void VelocitySystem::fill_matrix() {
  matrix_.start.assign(1, 0);
  matrix_.column.clear();
  matrix_.value.clear();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (int i = 0; i < groups_[g].size; ++i) {
      for (const int other : groups_[g].neighbours) {
        const BlockLu::Block block = blocks_.block(static_cast<int>(g), other);
        for (int j = 0; j < groups_[other].size; ++j) {
          matrix_.column.push_back(groups_[other].first + j);
          matrix_.value.push_back(block.values[block.transposed ? j * block.stride + i : i * block.stride + j]);
        }
      }
      matrix_.start.push_back(static_cast<int>(matrix_.column.size()));
    }
  }
}

bool VelocitySystem::solve(std::span<const LinearisedRow> rows, std::span<Eigen::Vector3d> step) {
  const auto* arena = ldy_.diagonal_arena().data();
  add_inertia();
  std::fill(rhs_.begin(), rhs_.end(), 0.0);
  for (const DiagonalBlock& row : ldy_.rows()) {
    const auto place = static_cast<Index>(&row - arena);
    if (!add_row(rows[place], place, step[place])) return false;
    if (rows[place].moment && rows[place].pressed) add_dependence(rows, place);
  }
  if (!solve_linear()) return false;

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
    const double* H = factor_.H.data() + 4 * c.place;
    const double* y = solution_.data() + groups_[group_of_[c.body]].first;
    for (std::uint32_t j = 0; j < c.freedoms; ++j, H += 4) {
      for (int i = 0; i < 3; ++i) change[i] += H[i] * y[j];
    }
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
