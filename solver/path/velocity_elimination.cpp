#include <locdyn/solver/path/velocity_elimination.hpp>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace locdyn::detail {

VelocityElimination::VelocityElimination(const LocalDynamics& ldy, const ConeProgram& program)
    : program_(program),
      matrix_(ldy),
      rows_(program.rows().size()),
      pull_(matrix_.unknowns()),
      y_(matrix_.unknowns()) {}

// Components that are no unknowns have an equation of their own, dv = 0.
bool VelocityElimination::set_row(std::size_t row, const Eigen::Matrix3d& M, const Eigen::Matrix3d& Q) {
  filled_ = false;
  const Eigen::Vector3d& used = program_.rows()[row].in_use;
  Eigen::Matrix3d own = M;
  for (int k = 0; k < 3; ++k) {
    if (used[k] != 0) continue;
    own.row(k).setZero();
    own.col(k).setZero();
    own(k, k) = 1;
  }
  Row& to = rows_[row];
  double determinant = 0;
  bool regular = false;
  own.computeInverseAndDetWithCheck(to.inverse, determinant, regular, 0.0);
  to.turns = determinant < 0;
  to.inverse = used.asDiagonal() * to.inverse * used.asDiagonal();
  to.K.noalias() = used.asDiagonal() * Q * to.inverse;
  return regular && std::isfinite(to.K.sum());
}

void VelocityElimination::fill() {
  matrix_.clear();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const ConeProgram::Row& row = program_.rows()[i];
    matrix_.add_block(row.place, rows_[i].K / (row.scale * row.scale), row.place);
  }
}

bool VelocityElimination::solve(std::span<const Eigen::Vector3d> right, std::span<Eigen::Vector3d> dv) {
  if (!filled_) fill();
  std::fill(pull_.begin(), pull_.end(), 0.0);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const ConeProgram::Row& row = program_.rows()[i];
    matrix_.add_pull(row.place, rows_[i].K * right[i] / row.scale, pull_);
  }
  const bool solved = filled_ ? matrix_.solve_again_roughly(pull_, y_) : matrix_.solve(pull_, y_);
  filled_ = true;
  if (!solved) return false;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const ConeProgram::Row& row = program_.rows()[i];
    dv[i] = rows_[i].inverse * (right[i] - matrix_.motion(row.place, y_) / row.scale);
  }
  return true;
}

int VelocityElimination::determinant_sign() const {
  const auto turns = std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.turns; });
  return turns % 2 == 0 ? matrix_.determinant_sign() : -matrix_.determinant_sign();
}

}  // namespace locdyn::detail
