#include <locdyn/contact/local_frame.hpp>

#include <Eigen/Geometry>
#include <cmath>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;
namespace {

// So near to 1 lies the squared length of what is a unit vector but for rounding, as the normals of contacts are:
// 1/√(1 + e) is 1 − e/2 there to the last bit.
constexpr double kNearlyUnit = 1e-8;

Eigen::Vector3d normalized(const Eigen::Vector3d& v) {
  const double e = v.squaredNorm() - 1;
  if (std::abs(e) <= kNearlyUnit) return (1 - 0.5 * e) * v;
  return v.normalized();
}

Eigen::Vector3d unit(const Eigen::Vector3d& normal) {
  if (std::abs(normal.squaredNorm() - 1) <= kNearlyUnit) return normalized(normal);
  if (!std::isfinite(normal.sum())) require_finite(normal, "normal");
  const double largest = normal.cwiseAbs().maxCoeff();
  if (largest == 0) throw std::invalid_argument("normal: expected a vector of length > 0, found 0");
  return (normal / largest).normalized();
}

// The frame of a unit normal.
Eigen::Matrix3d frame_of(const Eigen::Vector3d& n) {
  const double across = n[0] * n[0] + n[1] * n[1];
  Eigen::Matrix3d frame;
  if (n[2] < 0 && across < 1e-300) {  // below, the quotient would lose its digits
    frame << 1, 0, 0, 0, -1, 0, 0, 0, -1;
    return frame;
  }
  // 1/(1 + n_z) = (1 − n_z)/(n_x² + n_y²) on the unit sphere: each on the side where it does not cancel.
  const double a = n[2] >= 0 ? 1 / (1 + n[2]) : (1 - n[2]) / across;
  frame << 1 - a * n[0] * n[0], -a * n[0] * n[1], n[0],  //
      -a * n[0] * n[1], 1 - a * n[1] * n[1], n[1],       //
      -n[0], -n[1], n[2];
  return frame;
}

}  // namespace

Eigen::Matrix3d local_frame(const Eigen::Vector3d& normal) {
  return frame_of(unit(normal));
}

Eigen::Matrix3d planar_frame(const Eigen::Vector3d& normal) {
  Eigen::Vector3d n = unit(normal);
  if (std::abs(n[2]) > 1e-9) {
    throw std::invalid_argument("normal: expected one in the plane z = 0, found n_z/|n| = " + spelled(n[2]));
  }
  n = unit({n[0], n[1], 0});
  Eigen::Matrix3d frame;
  frame << -n[1], 0, n[0],  //
      n[0], 0, n[1],        //
      0, 1, 0;
  return frame;
}

Eigen::Matrix3d transported_frame(const Eigen::Matrix3d& frame, const Eigen::Vector3d& normal) {
  // In the axes of the old frame its n is e_z, and `frame_of` is the least rotation. Rounding must not add up over many
  // steps: the tangents are made orthogonal again to the n that was asked for.
  const Eigen::Vector3d n = unit(normal);
  const Eigen::Vector3d t1 = frame * frame_of(normalized(frame.transpose() * n)).col(0);
  Eigen::Matrix3d next;
  next.col(0) = normalized(t1 - n.dot(t1) * n);
  next.col(1) = n.cross(next.col(0));
  next.col(2) = n;
  return next;
}

}  // namespace locdyn
