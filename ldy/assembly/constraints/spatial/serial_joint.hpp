#pragma once
// Hinges and slides in succession between two bodies, without a body between them (quantities/serial_chain.hpp):
// 6 − (number of axes) rows. Limits, motors and gears act on its coordinates (`serial_coordinate`).

#include <locdyn/ldy/assembly/constraints/joint.hpp>
#include <locdyn/ldy/assembly/quantities/serial_chain.hpp>

namespace locdyn {

class SerialJoint final : public Joint {
 public:
  /// Where the bodies lie at insertion all coordinates are 0. Throws std::invalid_argument for six axes, which hold
  /// nothing; in a step where three hinges come to lie in one plane.
  explicit SerialJoint(SerialChain chain);
  [[nodiscard]] std::string_view kind() const noexcept override { return "serial joint"; }

 private:
  void take_hold(const BodySet& bodies) override;
  void measure(const BodyQuantities& at, JointRows& rows) const override;

  SerialChain chain_;
  std::vector<MaterialPoint> points_;  // those of the chain, from insertion on
};

}  // namespace locdyn
