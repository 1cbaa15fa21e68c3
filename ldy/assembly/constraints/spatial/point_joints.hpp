#pragma once
// A point of one body kept at a point, on a line or on a plane of another (or of space); with the separation d =
// x_slave − x_master and the directions b, c across the master's axis a:
//
//   ball            d = 0, with friction of the spin ω_slave − ω_master; FixedPoint is the one without
//   point on line   d·b_m = d·c_m = 0
//   point on plane  d·a_m = 0, a being the plane's normal

#include <locdyn/ldy/assembly/constraints/joint.hpp>
#include <locdyn/ldy/assembly/quantities/axis.hpp>

namespace locdyn {

/// A ball in its socket, with dry friction.
class BallJoint final : public Joint {
 public:
  /// Of the relative spin about any axis, ‖M‖ ≤ M₀ + μ r ‖F‖: against it, or as large as it takes to stop it. Throws
  /// std::invalid_argument for a friction out of range, and at insertion for a number that is not finite.
  BallJoint(const Anchor& master, const Anchor& slave, const JointFriction& friction);
  [[nodiscard]] std::string_view kind() const noexcept override { return "ball joint"; }

 private:
  void take_hold(const BodySet& bodies) override;
  void measure(const BodyQuantities& at, JointRows& rows) const override;
  Anchor given_master_, given_slave_;
  MaterialPoint master_, slave_;
};

/// A point that slides along a line.
class PointOnLine final : public Joint {
 public:
  /// Throws std::invalid_argument at insertion for a number that is not finite and a line without direction.
  PointOnLine(const Axis& line, const Anchor& point);
  [[nodiscard]] std::string_view kind() const noexcept override { return "point on a line"; }

 private:
  void take_hold(const BodySet& bodies) override;
  void measure(const BodyQuantities& at, JointRows& rows) const override;
  Axis given_line_;
  Anchor given_point_;
  HeldAxis line_;
  MaterialPoint point_;
};

/// A point that slides across a plane.
class PointOnPlane final : public Joint {
 public:
  /// The direction of `normal` is the plane's normal. Throws as PointOnLine does.
  PointOnPlane(const Axis& normal, const Anchor& point);
  [[nodiscard]] std::string_view kind() const noexcept override { return "point on a plane"; }

 private:
  void take_hold(const BodySet& bodies) override;
  void measure(const BodyQuantities& at, JointRows& rows) const override;
  Axis given_normal_;
  Anchor given_point_;
  HeldAxis normal_;
  MaterialPoint point_;
};

}  // namespace locdyn
