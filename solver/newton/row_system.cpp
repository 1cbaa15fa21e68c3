#include <locdyn/solver/newton/row_system.hpp>

#include <algorithm>

namespace locdyn {

RowSystem::RowSystem(const LocalDynamics& ldy) : ldy_(ldy), unknown_(ldy.diagonal_arena().size(), -1) {}

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
    Eigen::Vector3d rhs = -linear.F;
    Eigen::Matrix3d W = row.W;
    W.diagonal().array() += linear.weight;
    row_blocks_.assign(1, {place, &W});
    for (const OffDiagonalBlock& block : ldy_.adjacent(row)) {
      if (rows[block.other].pressed) {
        row_blocks_.emplace_back(block.other, &block.W);
      } else {
        rhs -= linear.d.E * (block.W * step[block.other]);
      }
    }
    std::sort(row_blocks_.begin(), row_blocks_.end(),
              [&](const auto& a, const auto& b) { return unknown_[a.first] < unknown_[b.first]; });
    for (int k = 0; k < 3; ++k) {
      for (const auto& [other, block] : row_blocks_) {
        for (int l = 0; l < 3; ++l) {
          double value = linear.d.E.row(k).dot(block->col(l));
          if (other == place) value += linear.d.C(k, l);
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

}  // namespace locdyn
