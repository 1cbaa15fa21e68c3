#include <locdyn/solver/newton/velocity_system.hpp>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

#include <locdyn/ldy/velocities.hpp>
#include <locdyn/solver/newton/row_system.hpp>

namespace locdyn::detail {

VelocitySystem::VelocitySystem(const LocalDynamics& ldy)
    : ldy_(ldy),
      matrix_(ldy),
      G_(ldy.diagonal_arena().size()),
      pull_(matrix_.unknowns()),
      change_(matrix_.unknowns()) {}

namespace {

// What dR of the row before changes F by, in the regularised problem: w E_before + C_before.
Eigen::Matrix3d dependence_on_reaction(const LinearisedRow& row) {
  Eigen::Matrix3d by_R = row.d.C_before;
  by_R.col(2) += row.weight * row.d.E_n + row.d.C_n;
  return by_R;
}

}  // namespace

// Adds Hᵀ G E H and −Hᵀ G F of a pressed row, Hᵀ dR of an open one. False where w E + C is singular.
bool VelocitySystem::add_row(const LinearisedRow& row, Index place, const Eigen::Vector3d& open_step) {
  if (!row.pressed) {
    matrix_.add_pull(place, open_step, pull_);
    return true;
  }
  const Eigen::Matrix3d own = row.weight * row.d.E + row.d.C;
  G_[place] = own.inverse();
  const Eigen::Matrix3d K = G_[place] * row.d.E;
  const Eigen::Vector3d pull = -(G_[place] * row.F);
  if (!std::isfinite(K.sum() + pull.sum())) return false;
  matrix_.add_pull(place, pull, pull_);
  matrix_.add_block(place, K, place);
  return true;
}

// What moments take from their force, and bounded rows from the hard ones, in the row before, beside their own share.
void VelocitySystem::add_dependence(std::span<const LinearisedRow> rows, Index place) {
  const LinearisedRow& row = rows[place];
  const LinearisedRow& before = rows[place - 1];
  const Eigen::Matrix3d by_R = G_[place] * dependence_on_reaction(row) * G_[place - 1];
  Eigen::Matrix3d K = -by_R * before.d.E;
  K.col(2) += G_[place] * row.d.E_n;
  matrix_.add_pull(place, by_R * before.F, pull_);
  matrix_.add_block(place, K, place - 1);
}

bool VelocitySystem::solve(std::span<const LinearisedRow> rows, std::span<Eigen::Vector3d> step) {
  const auto* arena = ldy_.diagonal_arena().data();
  matrix_.clear();
  std::fill(pull_.begin(), pull_.end(), 0.0);
  for (const DiagonalBlock& row : ldy_.rows()) {
    const auto place = static_cast<Index>(&row - arena);
    if (!add_row(rows[place], place, step[place])) return false;
    if (rows[place].follows && rows[place].pressed) add_dependence(rows, place);
  }
  if (!matrix_.solve(pull_, change_)) return false;

  // dR = −G (F + E H y).
  for (const DiagonalBlock& row : ldy_.rows()) {
    const auto place = static_cast<Index>(&row - arena);
    if (!rows[place].pressed) continue;
    Eigen::Vector3d left = rows[place].F + rows[place].d.E * matrix_.motion(place, change_);
    if (rows[place].follows) {
      left += rows[place].d.E_n * matrix_.motion(place - 1, change_)[2] +
              dependence_on_reaction(rows[place]) * step[place - 1];
    }
    step[place] = -(G_[place] * left);
  }
  return true;
}

bool works_in_velocities(const LocalDynamics& ldy) {
  return ldy.factor() != nullptr;
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
  constexpr double kMost = 4000;
  if (ldy.row_count() == 0) return 1;
  constexpr double kFlopsOfRow = 100, kFlopsOfBlock = 18;  // of a sweep: its own law, and each block product
  constexpr double kStepOfRow = 3000;                      // of a Newton step: its maps, its share of the matrix
  const auto rows = static_cast<double>(ldy.row_count());
  const double sweep = kFlopsOfRow * rows + kFlopsOfBlock * velocity_products(ldy);
  const double step =
      works_in_velocities(ldy) ? kStepOfRow * rows + VelocityMatrix(ldy).symbolic_cost() : row_system_cost(ldy);
  return static_cast<long>(std::clamp(step / sweep, 1.0, kMost));
}

double cost_of_all_rows(const LocalDynamics& ldy) {
  return rows_cost(ldy, true);
}

std::unique_ptr<NewtonSystem> make_newton_system(const LocalDynamics& ldy) {
  if (works_in_velocities(ldy)) return std::make_unique<VelocitySystem>(ldy);
  return std::make_unique<RowSystem>(ldy);
}

}  // namespace locdyn::detail
