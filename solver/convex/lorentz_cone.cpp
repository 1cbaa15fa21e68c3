#include <locdyn/solver/convex/lorentz_cone.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace locdyn::detail {
namespace {

Eigen::Vector3d reflected(const Eigen::Vector3d& x) {
  return {-x[0], -x[1], x[2]};
}

}  // namespace

double lorentz_determinant(const Eigen::Vector3d& x) noexcept {
  const double tangent = x.head<2>().norm();
  return (x[2] - tangent) * (x[2] + tangent);
}

Eigen::Vector3d jordan_product(const Eigen::Vector3d& x, const Eigen::Vector3d& y) noexcept {
  Eigen::Vector3d product = x[2] * y + y[2] * x;
  product[2] = x.dot(y);
  return product;
}

Eigen::Vector3d jordan_quotient(const Eigen::Vector3d& b, const Eigen::Vector3d& x) noexcept {
  Eigen::Vector3d y;
  y[2] = (x[2] * b[2] - x.head<2>().dot(b.head<2>())) / lorentz_determinant(x);
  y.head<2>() = (b.head<2>() - y[2] * x.head<2>()) / x[2];
  return y;
}

double step_to_boundary(const Eigen::Vector3d& x, const Eigen::Vector3d& d) noexcept {
  // The first positive root of det(x + t d) = a t² + 2 b t + c.
  constexpr double kFree = std::numeric_limits<double>::infinity();
  const double a = lorentz_determinant(d);
  const double b = x[2] * d[2] - x.head<2>().dot(d.head<2>());
  const double c = std::max(lorentz_determinant(x), std::numeric_limits<double>::min());
  const double discriminant = b * b - a * c;
  if (a < 0) {
    const double root = std::sqrt(std::max(discriminant, 0.0));
    return b >= 0 ? -(b + root) / a : c / (root - b);
  }
  if (b >= 0 || discriminant < 0) return kFree;
  return c / (std::sqrt(discriminant) - b);
}

NesterovTodd::NesterovTodd(const Eigen::Vector3d& x, const Eigen::Vector3d& z) noexcept {
  // w = (x̄ + J z̄)/(2γ) of the normalised x̄ and z̄, det w = 1, and P² = η² (2 w wᵀ − J).
  const double det_x = lorentz_determinant(x), det_z = lorentz_determinant(z);
  const Eigen::Vector3d unit_x = x / std::sqrt(det_x), unit_z = z / std::sqrt(det_z);
  const double gamma = std::sqrt(0.5 * (1 + unit_x.dot(unit_z)));
  const Eigen::Vector3d w = (unit_x + reflected(unit_z)) / (2 * gamma);
  const double eta = std::sqrt(std::sqrt(det_x / det_z));
  const double tangent = w.head<2>().norm();
  const double stretch = std::hypot(1.0, tangent) + tangent;  // w_n + ‖w_t‖ where det w = 1
  eigenvalues_ << eta * stretch, eta / stretch, eta;

  const Eigen::Vector2d t = tangent > 0 ? Eigen::Vector2d(w.head<2>() / tangent) : Eigen::Vector2d::UnitX();
  const double half = std::sqrt(0.5);
  V_.col(0) << half * t, half;
  V_.col(1) << -half * t, half;
  V_.col(2) << -t[1], t[0], 0;
}

}  // namespace locdyn::detail
