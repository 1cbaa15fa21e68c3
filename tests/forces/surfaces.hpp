#pragma once
// Bodies and surfaces that the tests of surface pairs share.

#include <Eigen/Core>
#include <cmath>

#include <bodies/random_bodies.hpp>
#include <locdyn/bodies/body_set.hpp>
#include <locdyn/forces/penalty/smooth_surface.hpp>

namespace locdyn::testing {
using namespace locdyn::detail;

inline BodyId rigid_in(BodySet& bodies, Random& random) {
  return bodies.emplace<RigidBody>(MassProperties{1, Eigen::Vector3d::Zero(), random.inertia()}, random.vector(),
                                   random.orientation());
}
inline Eigen::Vector3d half_axes(Random& random, double low, double high) {
  return {random.between(low, high), random.between(low, high), random.between(low, high)};
}
inline ConvexSurface some_ellipsoid(Random& random, const Eigen::Vector3d& center, double low, double high) {
  return ellipsoid_surface(center, half_axes(random, low, high), random.rotation());
}
// An ellipsoid and all that is no farther from it than r.
inline ConvexSurface grown(const ConvexSurface& surface, double r) {
  ConvexSurface larger;
  larger.point = [=](const Eigen::Vector3d& n) -> Eigen::Vector3d { return surface.point(n) + r * n; };
  larger.radii = [=](const Eigen::Vector3d& n) -> Eigen::Matrix3d {
    return surface.radii(n) + r * (Eigen::Matrix3d::Identity() - n * n.transpose());
  };
  return larger;
}

inline HeightSurface tilted(const Eigen::Vector2d& slope) {
  return {[=](const Eigen::Vector2d& x) { return slope.dot(x); }, [=](const Eigen::Vector2d&) { return slope; },
          [](const Eigen::Vector2d&) -> Eigen::Matrix2d { return Eigen::Matrix2d::Zero(); }};
}
// Hills, hollows and saddles, no rounder than 1/0.45.
inline HeightSurface hills() {
  return {[](const Eigen::Vector2d& x) {
            return 0.1 * std::sin(1.3 * x.x()) + 0.1 * std::cos(1.1 * x.y()) + 0.1 * std::sin(x.x()) * std::sin(x.y());
          },
          [](const Eigen::Vector2d& x) {
            return Eigen::Vector2d(0.13 * std::cos(1.3 * x.x()) + 0.1 * std::cos(x.x()) * std::sin(x.y()),
                                   -0.11 * std::sin(1.1 * x.y()) + 0.1 * std::sin(x.x()) * std::cos(x.y()));
          },
          [](const Eigen::Vector2d& x) -> Eigen::Matrix2d {
            const double product = 0.1 * std::sin(x.x()) * std::sin(x.y()),
                         mixed = 0.1 * std::cos(x.x()) * std::cos(x.y());
            Eigen::Matrix2d second;
            second << -0.169 * std::sin(1.3 * x.x()) - product, mixed, mixed, -0.121 * std::cos(1.1 * x.y()) - product;
            return second;
          }};
}
inline HeightSurface bowl(double k) {
  return {[=](const Eigen::Vector2d& x) { return 0.5 * k * x.squaredNorm(); },
          [=](const Eigen::Vector2d& x) -> Eigen::Vector2d { return k * x; },
          [=](const Eigen::Vector2d&) -> Eigen::Matrix2d { return k * Eigen::Matrix2d::Identity(); }};
}
inline Eigen::Vector3d up_at(const HeightSurface& ground, const Eigen::Vector2d& x) {
  const Eigen::Vector2d slope = ground.slope(x);
  return Eigen::Vector3d(-slope.x(), -slope.y(), 1).normalized();
}
inline Eigen::Vector3d point_on(const HeightSurface& ground, const Eigen::Vector2d& x) {
  return {x.x(), x.y(), ground.height(x)};
}

}  // namespace locdyn::testing
