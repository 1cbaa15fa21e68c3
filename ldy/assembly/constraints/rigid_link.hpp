#pragma once
// Two points kept at their distance: n · (v_slave − v_master) = 0 at the end of the step, n from master to slave at q*.
// Row n alone is used. Posed on velocities: the rate of length at q* is zero to rounding, an error of length is not fed
// back, and a link that turns at tangential speed v lengthens by h² v²/(2 length) a step.

#include <locdyn/ldy/assembly/anchor_pair.hpp>

namespace locdyn {

class RigidLink final : public Constraint {
 public:
  /// The length is what the anchors are apart. A master without a body is a point fixed in space.
  RigidLink(const Anchor& master, const Anchor& slave) : points_(master, slave) {}

  /// With a length > 0 [m] that the anchors, which must be apart, need not have yet. Throws std::invalid_argument.
  RigidLink(const Anchor& master, const Anchor& slave, double length);

  /// [m]: to be kept, and now.
  [[nodiscard]] double length() const noexcept { return length_.value_or(0); }
  [[nodiscard]] double length(const BodySet& bodies) const {
    return (points_.slave(bodies) - points_.master(bodies)).norm();
  }

  [[nodiscard]] std::string_view kind() const noexcept override { return "rigid link"; }
  [[nodiscard]] std::span<const BodyId> bodies() const noexcept override { return points_.bodies(); }
  void attach(const BodySet& bodies) override;
  void evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) override;
  void position_error(const BodySet& bodies, std::span<Eigen::Vector3d> error) const override;
  void acceleration_bias(const BodySet& bodies, std::span<Eigen::Vector3d> bias) const override;
  [[nodiscard]] Law law(double h, std::span<const Eigen::Vector3d> V) const override;

 private:
  AnchorPair points_;
  std::optional<double> length_;  // set by `attach` where the caller has not
};

}  // namespace locdyn
