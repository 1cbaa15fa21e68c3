#include <locdyn/solver/newton/velocity_system.hpp>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

namespace locdyn::detail {

VelocitySystem::VelocitySystem(const LocalDynamics& ldy)
    : ldy_(ldy),
      matrix_(ldy),
      response_(ldy.diagonal_arena().size()),
      pull_(matrix_.unknowns()),
      change_(matrix_.unknowns()) {}

namespace {

// Do the forces of this row depend on U_n and R_n, but not the other way round: as those of a contact do that presses?
bool normal_apart(const MapDerivative& d) {
  return d.E(2, 0) == 0 && d.E(2, 1) == 0 && d.C(2, 0) == 0 && d.C(2, 1) == 0;
}

// (w E + C)⁻¹ of such a row: [A b; 0 c]⁻¹ = [A⁻¹ −A⁻¹ b/c; 0 1/c] by one division.
Eigen::Matrix3d inverse_normal_apart(const LinearisedRow& row) {
  const Eigen::Matrix3d M = row.weight * row.d.E + row.d.C;
  const double determinant = M(0, 0) * M(1, 1) - M(0, 1) * M(1, 0);
  const double inverse = 1 / (determinant * M(2, 2)), by_A = inverse * M(2, 2), by_c = inverse * determinant;
  const double a = by_A * M(1, 1), b = -by_A * M(0, 1), c = -by_A * M(1, 0), d = by_A * M(0, 0);
  Eigen::Matrix3d G;
  G << a, b, -by_c * (a * M(0, 2) + b * M(1, 2)),  //
      c, d, -by_c * (c * M(0, 2) + d * M(1, 2)),   //
      0, 0, by_c;
  return G;
}

// What dR of the row before changes F by, in the regularised problem: w E_before + C_before.
Eigen::Matrix3d dependence_on_reaction(const LinearisedRow& row) {
  Eigen::Matrix3d by_R = row.d.C_before;
  by_R.col(2) += row.weight * row.d.E_n + row.d.C_n;
  return by_R;
}

}  // namespace

// Adds Hᵀ K H, K = G E, and −Hᵀ G F of a pressed row, Hᵀ dR of an open one. False where w E + C is singular.
bool VelocitySystem::add_row(const LinearisedRow& row, Index place, const Eigen::Vector3d& open_step) {
  if (!row.pressed) {
    matrix_.add_pull(place, open_step, pull_);
    return true;
  }
  Response& own = response_[place];
  own.G = normal_apart(row.d) ? inverse_normal_apart(row) : (row.weight * row.d.E + row.d.C).inverse().eval();
  own.K.noalias() = own.G * row.d.E;
  own.pull.noalias() = -(own.G * row.F);
  if (!std::isfinite(own.K.sum() + own.pull.sum())) return false;
  matrix_.add_pull(place, own.pull, pull_);
  matrix_.add_block(place, own.K, place);
  return true;
}

// What moments take from their force, and bounded rows from the hard ones, in the row before, beside their own share.
void VelocitySystem::add_dependence(std::span<const LinearisedRow> rows, Index place) {
  const LinearisedRow& row = rows[place];
  const LinearisedRow& before = rows[place - 1];
  const Eigen::Matrix3d by_R = response_[place].G * dependence_on_reaction(row) * response_[place - 1].G;
  Eigen::Matrix3d K = -by_R * before.d.E;
  K.col(2) += response_[place].G * row.d.E_n;
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

  // dR = −G F − K H y.
  for (const DiagonalBlock& row : ldy_.rows()) {
    const auto place = static_cast<Index>(&row - arena);
    if (!rows[place].pressed) continue;
    const Response& own = response_[place];
    step[place] = own.pull - own.K * matrix_.motion(place, change_);
    if (!rows[place].follows) continue;
    step[place] -= own.G * (rows[place].d.E_n * matrix_.motion(place - 1, change_)[2] +
                            dependence_on_reaction(rows[place]) * step[place - 1]);
  }
  return true;
}

double VelocitySystem::step_cost() const {
  constexpr double kMapsOfRow = 3000;  // and its share of the matrix
  return kMapsOfRow * static_cast<double>(ldy_.row_count()) + matrix_.symbolic_cost();
}

}  // namespace locdyn::detail
