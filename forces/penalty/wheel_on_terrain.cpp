#include <locdyn/forces/penalty/wheel_on_terrain.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/forces/held_point.hpp>
#include <locdyn/forces/penalty/least_place.hpp>

namespace locdyn {
using namespace detail;

WheelOnTerrain::WheelOnTerrain(const Anchor& center, double radius, Terrain terrain, std::optional<BodyId> terrain_body)
    : anchor_(center), radius_(radius), terrain_(std::move(terrain)), plane_(terrain_body) {
  if (!center.body) throw std::invalid_argument("wheel: expected a body, found a point fixed in space");
  if (center.body == terrain_body) {
    throw std::invalid_argument("wheel: expected another body than the terrain's, found body " +
                                std::to_string(*center.body) + " for both");
  }
  require_positive(radius, "radius");
  if (!terrain_.height || !terrain_.slope) {
    throw std::invalid_argument("terrain: expected functions of height and slope, found " +
                                std::string(terrain_.height ? "no slope" : "no height"));
  }
  if (terrain_.samples < 4) {
    throw std::invalid_argument("terrain: samples: expected at least 4, found " + std::to_string(terrain_.samples));
  }
}

std::vector<BodyId> WheelOnTerrain::bodies() const {
  std::vector<BodyId> ids = {*anchor_.body};
  if (plane_.body()) ids.push_back(*plane_.body());
  return ids;
}

void WheelOnTerrain::attach(const BodySet& bodies) {
  center_ = material_point(bodies, anchor_, "center of the wheel");
  plane_.attach(bodies, "terrain");
}

std::optional<ClosestPoints> WheelOnTerrain::find(const BodySet& bodies) const {
  const CarriedPlane::Pose pose = plane_.pose(bodies);
  const Eigen::Vector3d c = pose.to_plane(motion_of(bodies, center_).value);

  // The terrain straight below is no closer than the closest point, and no nearer than it along x; beyond r nothing
  // touches, unless the centre lies below the terrain.
  const double height = c.y() - terrain_.height(c.x());
  require_finite(height, "terrain: height");
  const double reach = height > 0 ? std::min(height, radius_) : -height;
  const auto half_square = [&](double x) {
    const double dx = x - c.x(), dy = terrain_.height(x) - c.y(), slope = terrain_.slope(x);
    Slope f{0.5 * (dx * dx + dy * dy), dx + dy * slope};
    if (terrain_.curvature) f.second = 1 + slope * slope + dy * terrain_.curvature(x);
    return f;
  };
  double x = c.x();
  if (reach > 0) x = least_place(half_square, {c.x() - reach, c.x() + reach, terrain_.samples}, "terrain");

  const double slope = terrain_.slope(x);
  require_finite(slope, "terrain: slope");
  const Eigen::Vector3d n = Eigen::Vector3d(-slope, 1, 0).normalized();
  const Eigen::Vector3d foot(x, terrain_.height(x), c.z());
  const double gap = n.dot(c - foot) - radius_;
  if (height > 0 && !((c - foot).norm() < radius_)) return std::nullopt;
  ClosestPoints points;
  points.normal = pose.axes * n;
  points.on_master = pose.to_space(foot);
  points.on_slave = points.on_master + gap * points.normal;
  points.gap = gap;
  return points;
}

}  // namespace locdyn
