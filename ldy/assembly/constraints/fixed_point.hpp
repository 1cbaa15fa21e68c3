#pragma once
// A point of a body held in space or to a point of another body (a pin, a ball joint): v_slave − v_master = 0 at the
// end of the step, in space axes. It is posed on velocities with H at q*: an error of position is not fed back here,
// and what the scheme lets slip is of order h² a step.

#include <locdyn/ldy/assembly/anchor_pair.hpp>

namespace locdyn {

class FixedPoint final : public Constraint {
 public:
  /// `slave` held to `master`, which may be fixed in space.
  FixedPoint(const Anchor& master, const Anchor& slave) : points_(master, slave) {}
  /// `slave` held where it is.
  explicit FixedPoint(const Anchor& slave) : FixedPoint(Anchor{slave.point}, slave) {}

  /// x_slave − x_master now [m], space axes: the error of position.
  [[nodiscard]] Eigen::Vector3d separation(const BodySet& bodies) const {
    return points_.slave(bodies) - points_.master(bodies);
  }

  [[nodiscard]] std::string_view kind() const noexcept override { return "fixed point"; }
  [[nodiscard]] std::span<const BodyId> bodies() const noexcept override { return points_.bodies(); }
  void attach(const BodySet& bodies) override;
  void evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) override;
  void position_error(const BodySet& bodies, std::span<Eigen::Vector3d> error) const override;
  void acceleration_bias(const BodySet& bodies, std::span<Eigen::Vector3d> bias) const override;
  [[nodiscard]] Law law(double h, std::span<const Eigen::Vector3d> V) const override;

 private:
  AnchorPair points_;
};

}  // namespace locdyn
