#pragma once
// Two points tied to each other: a material point of the slave, and a material point of the master or a point fixed in
// space. What the bilateral constraints on points have in common.

#include <array>
#include <optional>

#include <locdyn/bodies/kinematic_body.hpp>
#include <locdyn/ldy/assembly/constraint.hpp>

namespace locdyn {

/// A point in space [m] where it lies when the constraint is inserted, and the body that carries it from then on;
/// without a body it stays where it is.
struct Anchor {
  Eigen::Vector3d point = Eigen::Vector3d::Zero();  ///< in space, where it lies when the constraint is inserted [m]
  std::optional<BodyId> body = std::nullopt;        ///< that carries it; none: it stays
};

class AnchorPair {
 public:
  /// The slave must have a body. Throws std::invalid_argument.
  AnchorPair(const Anchor& master, const Anchor& slave);

  /// Master and slave, or the slave alone.
  [[nodiscard]] std::span<const BodyId> bodies() const noexcept { return {ids_.data(), count_}; }
  /// Finds the material points. Throws std::invalid_argument for a point that is not finite.
  void attach(const BodySet& bodies);

  /// Where the points lie now, in space [m].
  [[nodiscard]] Eigen::Vector3d master(const BodySet& bodies) const;
  [[nodiscard]] Eigen::Vector3d slave(const BodySet& bodies) const;

  /// Slave − master: separation, velocity and bias (acceleration at u̇ = 0), in space.
  [[nodiscard]] MaterialMotion relative(const BodySet& bodies) const;

  /// Block 0: U = frameᵀ (v_slave − v_master), each body at its own point.
  void evaluate(const BodySet& bodies, const Eigen::Matrix3d& frame, ConstraintKinematics& kinematics) const;

 private:
  std::array<BodyId, 2> ids_{};  // slave, then the master if it has a body
  std::size_t count_;
  Eigen::Vector3d master_, slave_;  // in space until `attach`, then in body coordinates of those that have a body
};

}  // namespace locdyn
