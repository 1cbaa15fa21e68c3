#pragma once
// A point of a body driven along one direction of space: n · (v_slave − v_master) = w at the end of the step. Row n
// alone is used, σ = −w. Posed on velocities with H at q*.

#include <locdyn/ldy/assembly/anchor_pair.hpp>

namespace locdyn {

class PrescribedVelocity final : public Constraint {
 public:
  /// `direction` n in space, of any length > 0; `velocity` w [m/s]. Throws std::invalid_argument.
  PrescribedVelocity(const Anchor& master, const Anchor& slave, const Eigen::Vector3d& direction, double velocity);
  /// With a master fixed in space.
  PrescribedVelocity(const Anchor& slave, const Eigen::Vector3d& direction, double velocity)
      : PrescribedVelocity(Anchor{slave.point}, slave, direction, velocity) {}

  /// w [m/s] for the end of the next step, from the next `update` on. Throws std::invalid_argument where not finite.
  void set_velocity(double velocity);

  [[nodiscard]] std::string_view kind() const noexcept override { return "prescribed velocity"; }
  [[nodiscard]] std::span<const BodyId> bodies() const noexcept override { return points_.bodies(); }
  void attach(const BodySet& bodies) override;
  void evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) override;
  /// None: its row is posed on velocities alone.
  [[nodiscard]] RowMask holonomic_rows(int) const override { return 0; }
  /// w counts as constant.
  void acceleration_bias(const BodySet& bodies, std::span<Eigen::Vector3d> bias) const override;
  [[nodiscard]] Law law(double h, std::span<const Eigen::Vector3d> V) const override;

 private:
  AnchorPair points_;
  Eigen::Matrix3d frame_;
  double velocity_;
};

}  // namespace locdyn
