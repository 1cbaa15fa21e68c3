#pragma once
// A thin wheel that rolls on a plane without slip. Its lowest point lies r = −R u from its centre, u being the plane's
// normal n made perpendicular to the axle a and of unit length, and the rows are
//
//   t₁·s = t₂·s = 0 (velocities alone)   s = v_c + ω × r − v_plane, the slip there
//   n·(x_c + r − x_plane) = 0            the wheel touches the plane
//
// The slip is no derivative of anything: these rows take freedoms of velocity and none of position.

#include <locdyn/ldy/assembly/constraints/joint.hpp>
#include <locdyn/ldy/assembly/quantities/axis.hpp>

namespace locdyn {

/// A wheel in space has both rows of slip, one that moves in the plane z = 0 that of its heading.
enum class WheelRows { space, plane };

class RollingWheel final : public Joint {
 public:
  /// `plane`: a point of it and its normal, to the wheel's side. `axle`: the wheel's centre, and its axis. `radius` R
  /// [m] > 0. Throws std::invalid_argument for another, and at insertion for an axle along the normal or numbers that
  /// are not finite.
  RollingWheel(const Axis& plane, const Axis& axle, double radius, WheelRows rows = WheelRows::space);

  [[nodiscard]] std::string_view kind() const noexcept override { return "rolling wheel"; }

 private:
  void take_hold(const BodySet& bodies) override;
  void measure(const BodyQuantities& at, JointRows& rows) const override;
  Axis given_plane_, given_axle_;
  HeldAxis plane_, axle_;
  double radius_;
  WheelRows rows_;
};

}  // namespace locdyn
