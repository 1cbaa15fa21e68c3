#pragma once
// A point of a body held along one direction of space, free across it: n · (v_slave − v_master) = 0 at the end of the
// step. Row n alone is used. Posed on velocities with H at q*: an error of position is not fed back here.

#include <locdyn/ldy/assembly/anchor_pair.hpp>

namespace locdyn {

class FixedDirection final : public Constraint {
 public:
  /// `direction` n in space, of any length > 0, where it stays. Throws std::invalid_argument where it is zero or not
  /// finite.
  FixedDirection(const Anchor& master, const Anchor& slave, const Eigen::Vector3d& direction);
  /// With a master fixed in space.
  FixedDirection(const Anchor& slave, const Eigen::Vector3d& direction)
      : FixedDirection(Anchor{slave.point}, slave, direction) {}

  [[nodiscard]] std::string_view kind() const noexcept override { return "fixed direction"; }
  [[nodiscard]] std::span<const BodyId> bodies() const noexcept override { return points_.bodies(); }
  void attach(const BodySet& bodies) override;
  void evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) override;
  void position_error(const BodySet& bodies, std::span<Eigen::Vector3d> error) const override;
  void acceleration_bias(const BodySet& bodies, std::span<Eigen::Vector3d> bias) const override;
  [[nodiscard]] Law law(double h, std::span<const Eigen::Vector3d> V) const override;

 private:
  AnchorPair points_;
  Eigen::Matrix3d frame_;
  double offset_ = 0;  // along n, at insertion
};

}  // namespace locdyn
