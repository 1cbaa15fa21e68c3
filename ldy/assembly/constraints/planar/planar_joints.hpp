#pragma once
// The joints of bodies that move in the plane z = 0, each with as many rows as freedoms it takes. With the separation
// d = x_slave − x_master and n, in the plane across the master's line of direction a:
//
//   revolute       d = 0 (x and y)
//   prismatic      d·n_m = 0, a_s·n_m = 0
//   point on line  d·n_m = 0
//
// Revolute and prismatic joint may have dry friction (joint_friction.hpp), a row more.

#include <locdyn/ldy/assembly/constraints/joint.hpp>
#include <locdyn/ldy/assembly/quantities/axis.hpp>

namespace locdyn {

/// A point of each body in one place: a pin in the plane.
class PlanarRevolute final : public Joint {
 public:
  /// Throws std::invalid_argument for a friction, of the angle, out of range, and at insertion for a number that is not
  /// finite.
  PlanarRevolute(const Anchor& master, const Anchor& slave, const std::optional<JointFriction>& friction = {});
  [[nodiscard]] std::string_view kind() const noexcept override { return "planar revolute joint"; }

 private:
  void take_hold(const BodySet& bodies) override;
  void measure(const BodyQuantities& at, JointRows& rows) const override;
  Anchor given_master_, given_slave_;
  MaterialPoint master_, slave_;
};

/// A line of each body on one line: it slides and does not turn.
class PlanarPrismatic final : public Joint {
 public:
  /// Throws std::invalid_argument for a friction, of the displacement, out of range, and at insertion for a number that
  /// is not finite and a direction that is zero or leaves the plane.
  PlanarPrismatic(const Axis& master, const Axis& slave, const std::optional<JointFriction>& friction = {});
  [[nodiscard]] std::string_view kind() const noexcept override { return "planar prismatic joint"; }

 private:
  void take_hold(const BodySet& bodies) override;
  void measure(const BodyQuantities& at, JointRows& rows) const override;
  Axis given_master_, given_slave_;
  MaterialPoint master_, slave_;
  MaterialDirection across_, along_;  // n of the master, a of the slave
};

/// A point of one body on a line of the other.
class PlanarPointOnLine final : public Joint {
 public:
  /// Throws as PlanarPrismatic does.
  PlanarPointOnLine(const Axis& line, const Anchor& point);
  [[nodiscard]] std::string_view kind() const noexcept override { return "planar point on a line"; }

 private:
  void take_hold(const BodySet& bodies) override;
  void measure(const BodyQuantities& at, JointRows& rows) const override;
  Axis given_line_;
  Anchor given_point_;
  MaterialPoint line_, point_;
  MaterialDirection across_;
};

}  // namespace locdyn
