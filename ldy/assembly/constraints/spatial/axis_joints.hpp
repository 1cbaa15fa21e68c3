#pragma once
// The joints between an axis of one body and an axis of another (or of space): which of the six ways to move against
// each other are left. With the separation d = x_slave − x_master, the axis a of each and the directions b, c across it
// (b × c = a, equal in both bodies at insertion):
//
//   hinge        d = 0             a_s·b_m = a_s·c_m = 0                1 left: turns about the axis
//   cylindrical  d·b_m = d·c_m = 0 a_s·b_m = a_s·c_m = 0                2: turns about it and slides along it
//   screw        the same, and d·a_m = pitch/2π times the angle         1
//   prismatic    d·b_m = d·c_m = 0 a_s·b_m = a_s·c_m = b_s·c_m = 0      1: slides
//   universal    d = 0             a_s·a_m = 0                          2: turns about each of two axes at right angles
//   planar       d·a_m = 0         a_s·b_m = a_s·c_m = 0                3: slides across the axis, turns about it
//   weld         d = 0             a_s·b_m = a_s·c_m = b_s·c_m = 0      0
//
// The axes need not coincide at insertion: what is missing is an error of position. A ball joint is FixedPoint, or
// BallJoint with friction. Hinge, screw and prismatic joint may have dry friction (joint_friction.hpp): a row more, of
// the coordinate that is left.

#include <locdyn/ldy/assembly/constraints/joint.hpp>
#include <locdyn/ldy/assembly/quantities/axis.hpp>

namespace locdyn {

/// What they share. Throws std::invalid_argument at insertion for a number that is not finite and an axis of length 0.
class AxisJoint : public Joint {
 protected:
  /// With so many angles that count turns.
  AxisJoint(const Axis& master, const Axis& slave, std::size_t angles = 0);
  void take_hold(const BodySet& bodies) override;

  /// d = x_slave − x_master.
  [[nodiscard]] VectorQuantity separation(const BodyQuantities& at) const;
  /// a_s·b_m, a_s·c_m.
  void keep_parallel(const BodyQuantities& at, JointRows& rows) const;
  /// The slave's angle about the master's axis.
  [[nodiscard]] Quantity turn(const BodyQuantities& at) const;
  /// b_s·c_m: no turning about the axis.
  void keep_from_turning(const BodyQuantities& at, JointRows& rows) const;
  /// d·b_m, d·c_m.
  void keep_on_axis(const BodyQuantities& at, JointRows& rows) const;

  Axis given_master_, given_slave_;  ///< as they came, in space
  HeldAxis master_, slave_;          ///< as material of their bodies, from insertion on
};

/// Turns about the axis.
class Hinge final : public AxisJoint {
 public:
  /// The axes need not coincide at insertion. Throws std::invalid_argument for a friction, of the angle, out of range.
  Hinge(const Axis& master, const Axis& slave, const std::optional<JointFriction>& friction = {});
  [[nodiscard]] std::string_view kind() const noexcept override { return "hinge"; }

 private:
  void measure(const BodyQuantities& at, JointRows& rows) const override;
};

/// Turns about the axis and slides along it.
class Cylindrical final : public AxisJoint {
 public:
  /// The axes need not coincide at insertion.
  Cylindrical(const Axis& master, const Axis& slave) : AxisJoint(master, slave) {}
  [[nodiscard]] std::string_view kind() const noexcept override { return "cylindrical joint"; }

 private:
  void measure(const BodyQuantities& at, JointRows& rows) const override;
};

/// Turns about the axis, and slides along it as its thread says.
class Screw final : public AxisJoint {
 public:
  /// `pitch` [m] along the axis for each turn of the slave about it, by the right hand; not 0. Friction is that of the
  /// angle: of a thread of mean radius r and lead angle α, tan α = pitch/(2π r), it acts along the helix, with
  /// |M| ≤ M₀ + μ r N/cos α and N of the force normal to the thread: by itself it holds where μ ≥ |tan α|. Throws
  /// std::invalid_argument.
  Screw(const Axis& master, const Axis& slave, double pitch, const std::optional<JointFriction>& friction = {});
  [[nodiscard]] std::string_view kind() const noexcept override { return "screw"; }

 private:
  void take_hold(const BodySet& bodies) override;
  void measure(const BodyQuantities& at, JointRows& rows) const override;
  double pitch_, start_ = 0;  // d·a_m at insertion, where the angle counts from
  double lead_ = 0;           // α, where friction needs it
};

/// Slides along the axis.
class Prismatic final : public AxisJoint {
 public:
  /// The axes need not coincide at insertion. Throws std::invalid_argument for a friction, of the displacement, out of
  /// range.
  Prismatic(const Axis& master, const Axis& slave, const std::optional<JointFriction>& friction = {});
  [[nodiscard]] std::string_view kind() const noexcept override { return "prismatic joint"; }

 private:
  void measure(const BodyQuantities& at, JointRows& rows) const override;
};

/// Turns about each of two axes at right angles: a cross between two shafts.
class Universal final : public AxisJoint {
 public:
  /// The two axes should be at right angles; at insertion std::invalid_argument where they are parallel.
  Universal(const Axis& master, const Axis& slave) : AxisJoint(master, slave) {}
  [[nodiscard]] std::string_view kind() const noexcept override { return "universal joint"; }

 private:
  void take_hold(const BodySet& bodies) override;
  void measure(const BodyQuantities& at, JointRows& rows) const override;
};

/// A plane of the slave slides on a plane of the master; the axes are their normals.
class PlaneOnPlane final : public AxisJoint {
 public:
  /// The planes need not coincide at insertion.
  PlaneOnPlane(const Axis& master, const Axis& slave) : AxisJoint(master, slave) {}
  [[nodiscard]] std::string_view kind() const noexcept override { return "planar joint"; }

 private:
  void measure(const BodyQuantities& at, JointRows& rows) const override;
};

/// Two bodies as one.
class Weld final : public AxisJoint {
 public:
  /// The orientation of each to the other is what it is at insertion.
  Weld(const Anchor& master, const Anchor& slave);
  [[nodiscard]] std::string_view kind() const noexcept override { return "weld"; }

 private:
  void measure(const BodyQuantities& at, JointRows& rows) const override;
};

}  // namespace locdyn
