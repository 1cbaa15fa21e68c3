#include <locdyn/forces/penalty/smooth_surface.hpp>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/forces/penalty/descent.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr double kSurfaceRounding = 8 * std::numeric_limits<double>::epsilon();

void require_rotation(const Eigen::Matrix3d& axes, const char* what) {
  require_finite(axes, what);
  const double error = (axes.transpose() * axes - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
  if (error < 1e-10 && axes.determinant() > 0) return;
  throw std::invalid_argument(std::string(what) + ": expected a rotation, found a matrix off by " + spelled(error) +
                              " with determinant " + spelled(axes.determinant()));
}

// Of a ground at a place: f, its derivatives, its tangents (columns) and its normal.
struct Spot {
  Eigen::Vector3d point, normal;
  Eigen::Matrix<double, 3, 2> tangents;
  Eigen::Matrix2d curvature;
  double stretch;  // √(1 + f_x² + f_y²)
};
Spot spot_at(const HeightSurface& surface, const Eigen::Vector2d& xy, const char* what) {
  const double height = surface.height(xy);
  const Eigen::Vector2d slope = surface.slope(xy);
  Spot spot;
  spot.curvature = surface.curvature(xy);
  const double sum = height + slope.sum() + spot.curvature.sum();
  if (!std::isfinite(sum)) {
    throw std::invalid_argument(std::string(what) + ": expected finite numbers, found " + spelled(sum) + " at " +
                                spelled(xy.x()) + ", " + spelled(xy.y()));
  }
  spot.point << xy, height;
  spot.tangents << 1, 0, 0, 1, slope.x(), slope.y();
  spot.stretch = std::sqrt(1 + slope.squaredNorm());
  spot.normal = Eigen::Vector3d(-slope.x(), -slope.y(), 1) / spot.stretch;
  return spot;
}

}  // namespace

ConvexSurface ellipsoid_surface(const Eigen::Vector3d& center, const Eigen::Vector3d& half_axes,
                                const Eigen::Matrix3d& axes) {
  require_finite(center, "center");
  require_positive(half_axes.x(), "first half-axis");
  require_positive(half_axes.y(), "second half-axis");
  require_positive(half_axes.z(), "third half-axis");
  require_rotation(axes, "axes");
  const Eigen::Matrix3d B = axes * half_axes.cwiseAbs2().asDiagonal() * axes.transpose();
  ConvexSurface surface;
  surface.point = [center, B](const Eigen::Vector3d& n) -> Eigen::Vector3d {
    const Eigen::Vector3d Bn = B * n;
    return center + Bn / std::sqrt(n.dot(Bn));
  };
  surface.radii = [B](const Eigen::Vector3d& n) -> Eigen::Matrix3d {
    const Eigen::Vector3d Bn = B * n;
    const double square = n.dot(Bn);
    return (B - Bn * Bn.transpose() / square) / std::sqrt(square);
  };
  return surface;
}

Eigen::Vector3d direction(int k) {
  const double z = 1 - (2.0 * k + 1) / kDirections, turn = 2 * std::numbers::pi * k / std::numbers::phi;
  const double r = std::sqrt(1 - z * z);
  return {r * std::cos(turn), r * std::sin(turn), z};
}

Eigen::Matrix<double, 3, 2> tangents_of(const Eigen::Vector3d& n) {
  Eigen::Matrix<double, 3, 2> tangents;
  tangents.col(0) = n.unitOrthogonal();
  tangents.col(1) = n.cross(tangents.col(0));
  return tangents;
}

ConvexPoint point_at(const ConvexSurface& surface, const Eigen::Vector3d& n, const char* what) {
  ConvexPoint at{surface.point(n), surface.radii(n)};
  const double sum = at.point.sum() + at.radii.sum();
  if (std::isfinite(sum)) return at;
  throw std::invalid_argument(std::string(what) + ": expected finite numbers, found " + spelled(sum) + " at normal " +
                              spelled(n.x()) + ", " + spelled(n.y()) + ", " + spelled(n.z()));
}

void validate(const ConvexSurface& surface, const char* what) {
  const std::string name = what;
  if (!surface.point || !surface.radii) {
    throw std::invalid_argument(name + ": expected functions of point and radii, found " +
                                (surface.point ? "no radii" : "no point"));
  }
  std::array<Eigen::Vector3d, kDirections> points;
  double size = 0;
  for (int k = 0; k < kDirections; ++k) {
    const ConvexPoint at = point_at(surface, direction(k), what);
    const Eigen::Matrix<double, 3, 2> T = tangents_of(direction(k));
    const Eigen::Matrix2d radii = T.transpose() * at.radii * T;
    if (!(radii.trace() > 0 && radii.determinant() > 0)) {
      throw std::invalid_argument(name + ": expected radii of curvature > 0, found a product of " +
                                  spelled(radii.determinant()) + " and a sum of " + spelled(radii.trace()));
    }
    points[static_cast<std::size_t>(k)] = at.point;
    size = std::max(size, at.point.norm());
  }
  // No point lies farther along n than p(n).
  for (int k = 0; k < kDirections; ++k) {
    const Eigen::Vector3d n = direction(k), &own = points[static_cast<std::size_t>(k)];
    for (const Eigen::Vector3d& other : points) {
      const double farther = n.dot(other - own);
      if (farther <= 1e-10 * size) continue;
      throw std::invalid_argument(name + ": expected the point farthest along each normal, found one " +
                                  spelled(farther) + " farther");
    }
  }
}

void validate(const HeightSurface& surface, const char* what) {
  const std::string name = what;
  if (!surface.height || !surface.slope || !surface.curvature) {
    throw std::invalid_argument(name + ": expected functions of height, slope and curvature, found " +
                                (!surface.height  ? "no height"
                                 : !surface.slope ? "no slope"
                                                  : "no curvature"));
  }
  require_finite(surface.origin, (name + ": origin").c_str());
  require_rotation(surface.axes, (name + ": axes").c_str());
}

double distance_near(const HeightSurface& surface, const Eigen::Vector3d& x, const char* what) {
  const Spot spot = spot_at(surface, x.head<2>(), what);
  return (x.z() - spot.point.z()) / spot.stretch;
}

Foot foot_of(const HeightSurface& surface, const Eigen::Vector3d& x, const char* what) {
  // ½‖P − x‖² over (x, y).
  const auto half_square = [&](const Eigen::Vector2d& xy) {
    const Spot spot = spot_at(surface, xy, what);
    const Eigen::Vector3d from_x = spot.point - x;
    SurfaceSlope f;
    f.value = 0.5 * from_x.squaredNorm();
    f.first = spot.tangents.transpose() * from_x;
    f.metric = spot.tangents.transpose() * spot.tangents;
    f.second = f.metric + from_x.z() * spot.curvature;
    f.rounding = kSurfaceRounding * (f.value + from_x.norm() * (spot.point.norm() + x.norm()));
    return f;
  };
  const auto moved = [](const Eigen::Vector2d& xy, const Eigen::Vector2d& step) -> Eigen::Vector2d {
    return xy + step;
  };
  Eigen::Vector2d xy = x.head<2>();
  // The point straight above or below is no closer than the closest one, which is then no farther off than it.
  const double reach = std::abs(x.z() - surface.height(xy));
  if (reach > 0) xy = least_near(xy, half_square, moved, {reach, 1e-8 * reach});

  const Spot spot = spot_at(surface, xy, what);
  Foot foot{spot.point, spot.normal, spot.normal.dot(x - spot.point), Eigen::Matrix3d::Zero()};
  // ∂n/∂x = −T g⁻¹ L (g − d L)⁻¹ Tᵀ, with the fundamental forms g = TᵀT and L of f.
  const Eigen::Matrix2d g = spot.tangents.transpose() * spot.tangents, L = spot.curvature / spot.stretch;
  const Eigen::Matrix2d change = g.inverse() * L * (g - foot.distance * L).inverse();
  foot.second = -spot.tangents * change * spot.tangents.transpose();
  return foot;
}

}  // namespace locdyn
