#include <locdyn/queries/convex_core.hpp>

#include <algorithm>
#include <cmath>

namespace locdyn::detail {

using Eigen::Matrix3d;
using Eigen::Vector3d;

ConvexCore core_of(const Sphere& sphere) {
  return {.points = {Vector3d::Zero()}, .radius = sphere.radius};
}
ConvexCore core_of(const Box& box) {
  ConvexCore core;
  for (int k = 0; k < 8; ++k) {
    core.points.push_back(0.5 * box.size.cwiseProduct(Vector3d(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)));
  }
  return core;
}
ConvexCore core_of(const Capsule& capsule) {
  const Vector3d half(0, 0, 0.5 * capsule.length);
  return {.points = {-half, half}, .radius = capsule.radius};
}
ConvexCore core_of(const Cylinder& cylinder) {
  return {.points = {}, .cylinder_radius = cylinder.radius, .half_height = 0.5 * cylinder.height};
}
ConvexCore core_of(const ConvexHull& hull) {
  return {.points = hull.points};
}

PosedCore::PosedCore(const ConvexCore& core, const Matrix3d& Q, const Vector3d& middle)
    : core_(&core), Q_(Q), middle_(middle) {
  const bool rigid = (Q.transpose() * Q - Matrix3d::Identity()).cwiseAbs().maxCoeff() < 1e-12;
  (rigid ? radius_ : inner_radius_) = core.radius;
  double far = std::hypot(core.cylinder_radius, core.half_height);
  for (const Vector3d& point : core.points) far = std::max(far, point.norm());
  size_ = (rigid ? 1 : Q.norm()) * (far + core.radius);
}

Vector3d PosedCore::support(const Vector3d& n) const {
  const Vector3d local = Q_.transpose() * n;
  Vector3d far;
  if (core_->points.empty()) {
    const double across = std::hypot(local[0], local[1]);
    far.head<2>() = across > 0 ? Eigen::Vector2d(core_->cylinder_radius / across * local.head<2>())
                               : Eigen::Vector2d(core_->cylinder_radius, 0);
    far[2] = std::copysign(core_->half_height, local[2]);
  } else {
    double most = local.dot(core_->points[0]);
    std::size_t best = 0;
    for (std::size_t k = 1; k < core_->points.size(); ++k) {
      const double found = local.dot(core_->points[k]);
      if (found > most) most = found, best = k;
    }
    far = core_->points[best];
  }
  if (inner_radius_ > 0) far += inner_radius_ * local.stableNormalized();
  return Q_ * far + middle_;
}

Bounds PosedCore::bounds() const {
  Bounds box;
  for (int k = 0; k < 3; ++k) {
    box.low[k] = support(-Vector3d::Unit(k))[k] - radius_;
    box.high[k] = support(Vector3d::Unit(k))[k] + radius_;
  }
  return box;
}

}  // namespace locdyn::detail
