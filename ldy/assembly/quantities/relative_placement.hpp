#pragma once
// How a slave lies against a master, from where the two are at rest with each other: a displacement d and a rotation
// vector φ, both in space, with their rates
//
//   d = x_slave − x_master,   v = ẋ_slave − ẋ_master − ω_master × d,   ω = ω_slave − ω_master
//
// v is what an observer on the master sees of the slave's point, so that forces ± F at that point belong to it: a pair
// of bodies exchanges them without a moment left over. ½‖d‖² grows by d·v and ½‖φ‖² by φ·ω: −k d and −k φ are forces of
// a potential.

#include <vector>

#include <locdyn/ldy/assembly/quantities/body_quantities.hpp>

namespace locdyn {

class RelativePlacement {
 public:
  /// The points are where the two bodies meet at rest. `rest` [rad] is the rotation vector, in space, that turns the
  /// slave from where it lies now to where φ = 0. Throws std::invalid_argument where both are on one body, or on none,
  /// and for a number that is not finite.
  RelativePlacement(const Anchor& master, const Anchor& slave, const Eigen::Vector3d& rest = Eigen::Vector3d::Zero());

  /// Each once.
  [[nodiscard]] const std::vector<BodyId>& bodies() const noexcept { return bodies_; }
  /// Finds the material points and directions. Throws std::invalid_argument for a number that is not finite.
  void take_hold(const BodySet& bodies);

  /// d [m].
  [[nodiscard]] Eigen::Vector3d displacement(const BodyQuantities& at) const;
  /// v [m/s]. Throws std::invalid_argument where the master deforms.
  [[nodiscard]] VectorRate velocity(const BodyQuantities& at) const;
  /// φ [rad], ‖φ‖ ≤ π: beyond half a turn it goes on from the other side.
  [[nodiscard]] Eigen::Vector3d rotation(const BodyQuantities& at) const;
  /// ω [rad/s]. Throws std::invalid_argument where one of the two deforms.
  [[nodiscard]] VectorRate spin(const BodyQuantities& at) const;

 private:
  Anchor given_master_, given_slave_;
  Eigen::Vector3d rest_;
  std::vector<BodyId> bodies_;
  MaterialPoint master_, slave_;
  MaterialDirection master_axes_[3], slave_axes_[3];  // the same at rest
};

}  // namespace locdyn
