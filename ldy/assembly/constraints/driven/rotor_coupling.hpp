#pragma once
// A rotor that turns as a coordinate x of other bodies does: (x − x⁰) − (φ − φ⁰) = 0. Its inertia I is then felt along
// x, as if ½ I ẋ² were added to the kinetic energy of the joint: what robot files call armature inertia, that of a
// motor's rotor times the square of its gear ratio.

#include <locdyn/ldy/assembly/constraints/joint.hpp>
#include <locdyn/ldy/assembly/quantities/coordinate.hpp>

namespace locdyn {

class RotorCoupling final : public Joint {
 public:
  /// `rotor` is a Rotor; at insertion std::invalid_argument for another body. Give it the coordinate's velocity.
  RotorCoupling(Coordinate coordinate, BodyId rotor);
  [[nodiscard]] std::string_view kind() const noexcept override { return "rotor"; }

 private:
  void take_hold(const BodySet& bodies) override;
  void measure(const BodyQuantities& at, JointRows& rows) const override;
  [[nodiscard]] Quantity mismatch(const BodyQuantities& at) const;
  Coordinate coordinate_;
  BodyId rotor_;
  double start_ = 0;
};

}  // namespace locdyn
