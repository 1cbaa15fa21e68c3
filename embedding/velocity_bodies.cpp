#include <locdyn/embedding/velocity_bodies.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <locdyn/embedding/bad_input.hpp>

namespace locdyn::detail {
namespace {

constexpr double kSymmetric = 1e-10;  // of the largest entry, or eigenvalue

using Matrix = Eigen::Ref<const Eigen::MatrixXd>;

void check_inverse_inertia(const Matrix& inverse, const std::string& what) {
  const std::string size = std::to_string(inverse.rows()) + "x" + std::to_string(inverse.cols());
  if (inverse.rows() == 0 || inverse.rows() != inverse.cols()) refuse(what, "a square matrix with rows", size);
  if (!inverse.allFinite()) refuse(what, "finite numbers", "one that is not");
  const double largest = inverse.cwiseAbs().maxCoeff();
  for (Eigen::Index j = 0; j < inverse.cols(); ++j) {
    if (inverse(j, j) < 0) {
      refuse(what, "no negative number on the diagonal", number_text(inverse(j, j)) + " in row " + std::to_string(j));
    }
    for (Eigen::Index i = 0; i < j; ++i) {
      if (std::abs(inverse(i, j) - inverse(j, i)) <= kSymmetric * largest) continue;
      refuse(what, "a symmetric matrix",
             number_text(inverse(i, j)) + " and " + number_text(inverse(j, i)) + " in entries (" + std::to_string(i) +
                 ", " + std::to_string(j) + ") and (" + std::to_string(j) + ", " + std::to_string(i) + ")");
    }
  }
}

// (J⁻¹ 0; 0 I/m): its inverse keeps the zeros and the one mass, by which sweeps know a rigid body.
bool is_rigid(const Matrix& inverse) {
  return inverse.rows() == 6 && inverse.topRightCorner<3, 3>().isZero(0) &&
         inverse.bottomLeftCorner<3, 3>().isZero(0) && inverse(5, 5) > 0 &&
         inverse.bottomRightCorner<3, 3>() == Eigen::Matrix3d(inverse(5, 5) * Eigen::Matrix3d::Identity());
}

Eigen::MatrixXd inverse_of(const Eigen::MatrixXd& matrix) {
  const Eigen::Index n = matrix.rows();
  const Eigen::MatrixXd inverse = matrix.llt().solve(Eigen::MatrixXd::Identity(n, n));
  return (inverse + inverse.transpose()) / 2;
}

// Is A⁻¹ positive definite by its Cholesky pivots, beyond rounding?
bool is_regular(const Eigen::MatrixXd& inverse) {
  const Eigen::LLT<Eigen::MatrixXd> cholesky(inverse);
  if (cholesky.info() != Eigen::Success) return false;
  const Eigen::ArrayXd pivots = cholesky.matrixLLT().diagonal().array().square();
  return pivots.minCoeff() > double(inverse.rows()) * std::numeric_limits<double>::epsilon() * pivots.maxCoeff();
}

// L of the positive eigenvalues of A⁻¹.
Eigen::MatrixXd root_of(const Eigen::MatrixXd& inverse, const std::string& what) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(inverse);
  const Eigen::VectorXd& values = spectrum.eigenvalues();  // ascending
  const double zero = kSymmetric * std::max(values[values.size() - 1], 0.0);
  if (values[0] < -zero) refuse(what, "a positive semidefinite matrix", "the eigenvalue " + number_text(values[0]));
  const Eigen::Index rank = (values.array() > zero).count();
  return spectrum.eigenvectors().rightCols(rank) * values.tail(rank).cwiseSqrt().asDiagonal();
}

// A of a regular A⁻¹, else L and I.
void factor(VelocityBody& body, const std::string& what) {
  const Eigen::MatrixXd& inverse = body.inverse_inertia;
  body.root.resize(0, 0);
  if (!is_regular(inverse)) {
    body.root = root_of(inverse, what);
    body.inertia.setIdentity(body.root.cols(), body.root.cols());
  } else if (is_rigid(inverse)) {
    body.inertia = Eigen::MatrixXd::Identity(6, 6) / inverse(5, 5);
    body.inertia.topLeftCorner<3, 3>() = inverse_of(inverse.topLeftCorner<3, 3>());
  } else {
    body.inertia = inverse_of(inverse);
  }
}

}  // namespace

void VelocityBodies::require(BodyIndex body, const char* where) const {
  if (body < bodies_.size()) return;
  refuse(where, "a body below " + std::to_string(bodies_.size()), std::to_string(body));
}

BodyIndex VelocityBodies::add(const Matrix& inverse_inertia) {
  const auto index = static_cast<BodyIndex>(bodies_.size());
  const std::string what = "inverse inertia of body " + std::to_string(index);
  check_inverse_inertia(inverse_inertia, what);
  VelocityBody body;
  body.inverse_inertia = inverse_inertia;
  body.first = velocity_.size();
  factor(body, what);
  velocity_.resize(velocity_.size() + body.freedoms(), 0.0);
  after_.resize(velocity_.size(), 0.0);
  bodies_.push_back(std::move(body));
  return index;
}

bool VelocityBodies::set_inverse_inertia(BodyIndex index, const Matrix& inverse_inertia) {
  require(index, "body");
  const std::string what = "inverse inertia of body " + std::to_string(index);
  check_inverse_inertia(inverse_inertia, what);
  VelocityBody& body = bodies_[index];
  if (inverse_inertia.rows() != body.freedoms()) {
    refuse(what, std::to_string(body.freedoms()) + " rows", std::to_string(inverse_inertia.rows()));
  }
  if (inverse_inertia == body.inverse_inertia) return false;
  VelocityBody next = body;
  next.inverse_inertia = inverse_inertia;
  next.changed = true;
  factor(next, what);
  const bool other_rank = next.rank() != body.rank();
  body = std::move(next);
  return other_rank;
}

void VelocityBodies::set_velocity(BodyIndex index, const Eigen::Ref<const Eigen::VectorXd>& velocity) {
  require(index, "body");
  const VelocityBody& body = bodies_[index];
  const auto what = [&] { return "velocity of body " + std::to_string(index); };
  if (velocity.size() != body.freedoms()) {
    refuse(what(), std::to_string(body.freedoms()) + " numbers", std::to_string(velocity.size()));
  }
  if (!velocity.allFinite()) refuse(what(), "finite numbers", "one that is not");
  std::copy_n(velocity.data(), velocity.size(), velocity_.begin() + std::ptrdiff_t(body.first));
}

void VelocityBodies::set_pose(BodyIndex index, const BodyPose& pose) {
  require(index, "body");
  const auto what = [&] { return "pose of body " + std::to_string(index); };
  if (bodies_[index].freedoms() != 6) {
    refuse(what(), "a body of 6 velocities", std::to_string(bodies_[index].freedoms()));
  }
  if (!pose.center.allFinite()) refuse(what(), "a finite center", "a number that is not");
  const std::string fault = fault_of_rotation(pose.rotation);
  if (!fault.empty()) refuse(what(), "a rotation", fault);
  bodies_[index].pose = pose;
}

void VelocityBodies::add_impulse(BodyIndex index, const Eigen::Ref<const Eigen::VectorXd>& impulse) {
  const VelocityBody& body = bodies_[index];
  Eigen::Map<Eigen::VectorXd> after(after_.data() + body.first, body.freedoms());
  after.noalias() += (body.reduced() ? body.root : body.inverse_inertia) * impulse;
}

void VelocityBodies::settle() {
  for (VelocityBody& body : bodies_) body.changed = false;
}

}  // namespace locdyn::detail
