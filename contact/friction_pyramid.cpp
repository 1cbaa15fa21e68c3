#include <locdyn/contact/friction_pyramid.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace locdyn::detail {

using std::numbers::pi;

FrictionPyramid::FrictionPyramid(int facets) {
  if (facets < 3) {
    throw std::invalid_argument("friction pyramid: expected at least 3 facets, found " + std::to_string(facets));
  }
  directions_.resize(2, facets);
  normals_.resize(2, facets);
  for (int j = 0; j < facets; ++j) {
    const double d = 2 * pi * j / facets;
    const double a = (2 * j + 1) * pi / facets;
    directions_.col(j) << std::cos(d), std::sin(d);
    normals_.col(j) << std::cos(a), std::sin(a);
  }
  apothem_ = std::cos(pi / facets);
  half_side_ = std::sin(pi / facets);
}

Eigen::Vector3d FrictionPyramid::generator(int j, double friction) const {
  return {friction * directions_(0, j), friction * directions_(1, j), 1};
}

FrictionPyramid::Sector FrictionPyramid::sector(double t1, double t2) const noexcept {
  const int k = facets();
  const double turns = std::atan2(t2, t1) / (2 * pi);
  const int j = static_cast<int>(std::floor((turns < 0 ? turns + 1 : turns) * k)) % k;
  const double a0 = normals_(0, j);
  const double a1 = normals_(1, j);
  return {a0, a1, a0 * t1 + a1 * t2, a0 * t2 - a1 * t1};
}

double FrictionPyramid::violation(const Eigen::Vector3d& R, double friction) const noexcept {
  const double violation = std::max(sector(R[0], R[1]).across - friction * apothem_ * R[2], -R[2]);
  return violation > 0 ? violation : 0;
}

bool FrictionPyramid::contains(const Eigen::Vector3d& R, double friction, double tolerance) const noexcept {
  return violation(R, friction) <= tolerance;
}

Eigen::Vector3d FrictionPyramid::project(const Eigen::Vector3d& z, double friction) const noexcept {
  // K_k is symmetric about the planes through n and each d_j or a_j, and the projection onto a symmetric convex set
  // stays on the side where z lies. So only one facet, one generator and the apex can hold it.
  const Sector s = sector(z[0], z[1]);
  const double slope = friction * apothem_;
  const double outside = s.across - slope * z[2];
  if (z[2] >= 0 && outside <= 0) return z;

  // On the facet's plane, if the foot lies between its two generators.
  const double share = outside / (1 + slope * slope);
  const double normal = z[2] + slope * share;
  const double across = s.across - share;
  const double limit = friction * half_side_ * normal;
  if (normal >= 0 && std::abs(s.along) <= limit) {
    return {across * s.a0 - s.along * s.a1, across * s.a1 + s.along * s.a0, normal};
  }

  // On the nearer generator (μ d, 1), d = cos(π/k) a ± sin(π/k) b; at the apex where z lies behind it.
  const double side = std::copysign(half_side_, s.along);
  const double d0 = apothem_ * s.a0 - side * s.a1;
  const double d1 = apothem_ * s.a1 + side * s.a0;
  const double length = (friction * (d0 * z[0] + d1 * z[1]) + z[2]) / (1 + friction * friction);
  if (length <= 0) return Eigen::Vector3d::Zero();
  return {friction * length * d0, friction * length * d1, length};
}

Eigen::Vector3d FrictionPyramid::project_on_dual(const Eigen::Vector3d& z, double friction) const noexcept {
  return z + project(-z, friction);
}

Eigen::Vector3d FrictionPyramid::shift(const Eigen::Vector3d& U, double friction) const noexcept {
  // The nearest of the directions bounds the sector of −U_t.
  const Sector s = sector(-U[0], -U[1]);
  const double support = apothem_ * s.across + half_side_ * std::abs(s.along);
  return {U[0], U[1], U[2] + friction * support};
}

}  // namespace locdyn::detail
