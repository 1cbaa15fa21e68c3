#include <locdyn/solver/newton/row_system.hpp>

#include <algorithm>

namespace locdyn::detail {
namespace {

// What a sparse LU costs: of all rows, or of those that press now.
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

}  // namespace

RowSystem::RowSystem(const LocalDynamics& ldy) : ldy_(ldy), unknown_(ldy.diagonal_arena().size(), -1) {}

// The blocks of a row to pressed rows, `own` its own one, in the order of their unknowns; returns the velocity that the
// open rows' steps give it.
Eigen::Vector3d RowSystem::gather(std::span<const LinearisedRow> rows, std::span<const Eigen::Vector3d> step,
                                  const DiagonalBlock& row, const Eigen::Matrix3d& own, RowBlocks& blocks) const {
  const auto place = static_cast<Index>(&row - ldy_.diagonal_arena().data());
  Eigen::Vector3d open = Eigen::Vector3d::Zero();
  blocks.assign(1, {place, &own});
  for (const OffDiagonalBlock& block : ldy_.adjacent(row)) {
    if (rows[block.other].pressed) {
      blocks.emplace_back(block.other, &block.W);
    } else {
      open += block.W * step[block.other];
    }
  }
  std::sort(blocks.begin(), blocks.end(),
            [&](const auto& a, const auto& b) { return unknown_[a.first] < unknown_[b.first]; });
  return open;
}

// The rows that are pressed; an open row's step, −R, moves to the right-hand side.
void RowSystem::assemble(std::span<const LinearisedRow> rows, std::span<const Eigen::Vector3d> step) {
  const auto diagonal = ldy_.diagonal_arena();
  int unknowns = 0;
  for (const DiagonalBlock& row : ldy_.rows()) {
    const std::size_t place = &row - diagonal.data();
    unknown_[place] = rows[place].pressed ? unknowns : -1;
    if (rows[place].pressed) unknowns += 3;
  }
  matrix_.start.assign(1, 0);
  matrix_.column.clear();
  matrix_.value.clear();
  rhs_.resize(unknowns);
  solution_.resize(unknowns);
  for (const DiagonalBlock& row : ldy_.rows()) {
    const auto place = static_cast<Index>(&row - diagonal.data());
    const LinearisedRow& linear = rows[place];
    if (!linear.pressed) continue;
    Eigen::Matrix3d W = row.W, W_force;
    W.diagonal().array() += linear.weight;
    Eigen::Vector3d rhs = -linear.F - linear.d.E * gather(rows, step, row, W, row_blocks_);
    if (linear.follows) {
      const DiagonalBlock& force = diagonal[place - 1];
      W_force = force.W;
      W_force.diagonal().array() += rows[place - 1].weight;
      rhs -= linear.d.E_n * gather(rows, step, force, W_force, force_blocks_)[2];
    }
    for (int k = 0; k < 3; ++k) {
      for (std::size_t at = 0; at < row_blocks_.size(); ++at) {
        const auto& [other, block] = row_blocks_[at];
        for (int l = 0; l < 3; ++l) {
          double value = linear.d.E.row(k).dot(block->col(l));
          if (other == place) value += linear.d.C(k, l);
          if (linear.follows) {
            value += linear.d.E_n[k] * (*force_blocks_[at].second)(2, l);
            if (other == place - 1) value += linear.d.C_before(k, l) + (l == 2 ? linear.d.C_n[k] : 0);
          }
          matrix_.column.push_back(unknown_[other] + l);
          matrix_.value.push_back(value);
        }
      }
      matrix_.start.push_back(static_cast<int>(matrix_.column.size()));
      rhs_[unknown_[place] + k] = rhs[k];
    }
  }
}

bool RowSystem::solve(std::span<const LinearisedRow> rows, std::span<Eigen::Vector3d> step) {
  assemble(rows, step);
  if (rhs_.empty()) return true;
  const bool found = lu_.factorise(matrix_) && lu_.solve(matrix_, rhs_, solution_);
  for (std::size_t place = 0; place < unknown_.size(); ++place) {
    if (unknown_[place] >= 0) step[place] = Eigen::Map<const Eigen::Vector3d>(&solution_[unknown_[place]]);
  }
  return found;
}

// Of those that press; of all where none does. The pattern changes from step to step, and is analysed anew.
double RowSystem::step_cost() const {
  constexpr double kAnalysis = 1.5;
  const auto rows = ldy_.rows();
  const bool cold = std::all_of(rows.begin(), rows.end(), [](const auto& row) { return row.R.isZero(0); });
  return kAnalysis * rows_cost(ldy_, cold);
}

double cost_of_all_rows(const LocalDynamics& ldy) {
  return rows_cost(ldy, true);
}

}  // namespace locdyn::detail
