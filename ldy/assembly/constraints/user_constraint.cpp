#include <locdyn/ldy/assembly/constraints/user_constraint.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr int kMostRows = 6;

void require_shape(const Eigen::MatrixXd& found, Eigen::Index rows, Eigen::Index columns, const char* what) {
  if (found.rows() != rows || found.cols() != columns) {
    throw std::invalid_argument(std::string(what) + ": expected " + std::to_string(rows) + "×" +
                                std::to_string(columns) + " numbers, found " + std::to_string(found.rows()) + "×" +
                                std::to_string(found.cols()));
  }
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < columns; ++j) {
      if (std::isfinite(found(i, j))) continue;
      throw std::invalid_argument(std::string(what) + ": expected finite numbers, found " + spelled(found(i, j)) +
                                  " in row " + std::to_string(i) + ", column " + std::to_string(j));
    }
  }
}

}  // namespace

UserConstraint::UserConstraint(std::vector<BodyId> bodies, UserFunctions functions)
    : ids_(std::move(bodies)), functions_(std::move(functions)) {
  const std::string& name = functions_.name;
  if (functions_.rows < 1 || functions_.rows > kMostRows) {
    throw std::invalid_argument(name + ": rows: expected 1 to 6, found " + std::to_string(functions_.rows));
  }
  if (!functions_.C_q) throw std::invalid_argument(name + ": C_q: expected a function, found none");
  if (!functions_.Cdot_q_u) throw std::invalid_argument(name + ": Cdot_q_u: expected a function, found none");
}

Eigen::VectorXd UserConstraint::vector(const UserFunctions::Vector& f, const BodySet& bodies, const char* what) const {
  if (!f) return Eigen::VectorXd::Zero(functions_.rows);
  Eigen::VectorXd result = f(bodies, bodies.time());
  require_shape(result, functions_.rows, 1, what);
  return result;
}

Eigen::MatrixXd UserConstraint::matrix(const BodySet& bodies) const {
  Eigen::Index freedoms = 0;
  for (BodyId id : ids_) freedoms += bodies[id].freedoms();
  Eigen::MatrixXd result = functions_.C_q(bodies, bodies.time());
  require_shape(result, functions_.rows, freedoms, "C_q");
  return result;
}

void UserConstraint::attach(const BodySet& bodies) {
  (void)vector(functions_.C, bodies, "C");
  (void)matrix(bodies);
  (void)vector(functions_.Cdot_q_u, bodies, "Cdot_q_u");
  (void)vector(functions_.C_t, bodies, "C_t");
  (void)vector(functions_.C_tt, bodies, "C_tt");
}

void UserConstraint::evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) {
  const Eigen::MatrixXd C_q = matrix(bodies);
  const Eigen::VectorXd C_t = vector(functions_.C_t, bodies, "C_t");
  for (int i = 0; i < functions_.rows; ++i) {
    kinematics.drive(i / 3)[i % 3] = C_t[i];
    Eigen::Index column = 0;
    for (BodyId id : ids_) {
      JacobianMap H = kinematics.H(i / 3, id);
      H.row(i % 3) = C_q.block(i, column, 1, H.cols());
      column += H.cols();
    }
  }
}

void UserConstraint::position_error(const BodySet& bodies, std::span<Eigen::Vector3d> error) const {
  const Eigen::VectorXd C = vector(functions_.C, bodies, "C");
  for (Eigen::Vector3d& e : error) e.setZero();
  for (int i = 0; i < functions_.rows; ++i) error[static_cast<std::size_t>(i / 3)][i % 3] = C[i];
}

void UserConstraint::acceleration_bias(const BodySet& bodies, std::span<Eigen::Vector3d> bias) const {
  const Eigen::VectorXd sum = vector(functions_.Cdot_q_u, bodies, "Cdot_q_u") + vector(functions_.C_tt, bodies, "C_tt");
  for (Eigen::Vector3d& b : bias) b.setZero();
  for (int i = 0; i < functions_.rows; ++i) bias[static_cast<std::size_t>(i / 3)][i % 3] = sum[i];
}

Law UserConstraint::law(double, std::span<const Eigen::Vector3d>) const {
  BilateralLaw law;
  law.block_count = (functions_.rows + 2) / 3;
  for (int k = 0; k < law.block_count; ++k) {
    law.block[k].rows = static_cast<RowMask>((1 << std::min(functions_.rows - 3 * k, 3)) - 1);
  }
  return law;
}

}  // namespace locdyn
