#include <locdyn/ldy/assembly/constraints/driven/rolling_wheel.hpp>

#include <Eigen/Geometry>
#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;

RollingWheel::RollingWheel(const Axis& plane, const Axis& axle, double radius, WheelRows rows)
    : Joint({axle.body, plane.body}), given_plane_(plane), given_axle_(axle), radius_(radius), rows_(rows) {
  require_positive(radius, "radius");
}

void RollingWheel::take_hold(const BodySet& bodies) {
  plane_ = hold(bodies, given_plane_, "plane");
  axle_ = hold(bodies, given_axle_, "axle");
  const Eigen::Vector3d n = given_plane_.direction.normalized();
  if (n.cross(given_axle_.direction.normalized()).norm() < 1e-9) {
    throw std::invalid_argument("axle: expected one across the normal of the plane, found one along it");
  }
  if (rows_ == WheelRows::plane) {
    plane_.first = material_direction(bodies, given_plane_.body, n.cross(Eigen::Vector3d::UnitZ()), "plane");
  }
}

void RollingWheel::measure(const BodyQuantities& at, JointRows& rows) const {
  const VectorQuantity n = at.direction(plane_.along);
  const VectorQuantity a = at.direction(axle_.along);
  const VectorQuantity down = unit(dot(n, a) * a - n);
  const VectorQuantity centre = at.point(axle_.point);
  const VectorQuantity on_plane = at.point(plane_.point);
  const VectorQuantity r = radius_ * down;
  const VectorQuantity lowest = centre + r - on_plane;

  // v_c and v_plane as rates.
  const VectorRate of_wheel = static_cast<const VectorRate&>(centre) + cross(at.spin(axle_.point.body), r);
  const VectorRate of_plane = static_cast<const VectorRate&>(on_plane) + cross(at.spin(plane_.point.body), lowest);
  const VectorRate slip = of_wheel - of_plane;
  rows.length_rate(dot(at.direction(plane_.first), slip));
  if (rows_ == WheelRows::space) rows.length_rate(dot(at.direction(plane_.second), slip));
  rows.length(dot(n, lowest));
}

}  // namespace locdyn
