#include <locdyn/embedding/point_contact.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <stdexcept>

#include <locdyn/embedding/bad_input.hpp>
#include <locdyn/ldy/laws/contact_law.hpp>

namespace locdyn {

Eigen::Matrix<double, 6, 6> rigid_inverse_inertia(double mass, const Eigen::Matrix3d& inertia) {
  if (!(mass > 0 && std::isfinite(mass))) {
    throw std::invalid_argument("mass: expected a finite number > 0, found " + detail::number_text(mass));
  }
  const Eigen::LLT<Eigen::Matrix3d> cholesky(inertia);
  if (!inertia.allFinite() || !inertia.isApprox(inertia.transpose(), 1e-10) || cholesky.info() != Eigen::Success) {
    throw std::invalid_argument("inertia: expected a symmetric positive definite matrix, found one that is not");
  }
  Eigen::Matrix<double, 6, 6> inverse = Eigen::Matrix<double, 6, 6>::Identity() / mass;
  const Eigen::Matrix3d angular = cholesky.solve(Eigen::Matrix3d::Identity());
  inverse.topLeftCorner<3, 3>() = (angular + angular.transpose()) / 2;
  return inverse;
}

namespace detail {

Eigen::Matrix<double, 3, 6> point_jacobian(const BodyPose& pose, const Eigen::Vector3d& x,
                                           const Eigen::Matrix3d& frame) {
  // Row i of the angular part: frame_i · Q (Ω × X) = Ω · (X × Qᵀ frame_i).
  const Eigen::Vector3d X = pose.rotation.transpose() * (x - pose.center);
  const Eigen::Matrix3d axes = pose.rotation.transpose() * frame;
  Eigen::Matrix<double, 3, 6> H;
  for (int i = 0; i < 3; ++i) H.row(i).head<3>() = X.cross(axes.col(i)).transpose();
  H.rightCols<3>() = frame.transpose();
  return H;
}

std::string fault_of_rotation(const Eigen::Matrix3d& rotation) {
  constexpr double kTolerance = 1e-9;
  const double off = (rotation.transpose() * rotation - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
  const double determinant = rotation.determinant();
  if (off <= kTolerance && determinant > 0) return {};  // not for what is not a number
  return "columns off by " + number_text(off) + " from orthonormal, determinant " + number_text(determinant);
}

void validate(const PointContact& contact) {
  const auto what = [&](const char* field) {
    return "contact of bodies " + std::to_string(contact.master) + ", " + std::to_string(contact.slave) + ": " + field;
  };
  if (contact.master == contact.slave) {
    refuse(what("slave"), "another body than the master", "body " + std::to_string(contact.slave));
  }
  if (!contact.point.allFinite()) refuse(what("point"), "finite numbers", "one that is not");
  if (!std::isfinite(contact.gap)) refuse(what("gap"), "a finite number", number_text(contact.gap));
  const std::string fault = fault_of_rotation(contact.frame);
  if (!fault.empty()) refuse(what("frame"), "a rotation", fault);
  try {
    ContactLaw{.friction = contact.friction, .shift = contact.shift}.validate();
  } catch (const std::invalid_argument& wrong) {
    throw std::invalid_argument(what(wrong.what()));
  }
}

}  // namespace detail
}  // namespace locdyn
