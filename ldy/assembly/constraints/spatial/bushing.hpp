#pragma once
// A bushing: springs and dampers of all six ways in which a slave moves against a master (relative_placement.hpp), the
// same in all directions, solved with the contacts at the end of the step. With d⁺ = d* + h/2 v⁺ and φ⁺ = φ* + h/2 ω⁺
//
//   F = −k d⁺ − c v⁺,   M = −k_φ φ⁺ − c_φ ω⁺
//
// As a compliant law U + σ + C R = 0 with C = 1/(h k/2 + c), σ = C k d* (moments in rows scaled by ℓ, see joint.hpp):
// stable for every h, k and c. A ball joint with such a moment is sprung; tied to space it is the spring of a free
// body. The forces of the same springs, for motion without steps, are in forces/bushing_force.
//
// Source: as driven/servo.hpp, for three directions at once.

#include <locdyn/ldy/assembly/constraints/joint.hpp>
#include <locdyn/ldy/assembly/quantities/relative_placement.hpp>

namespace locdyn {

/// All ≥ 0, one of them more than 0. Where both of a kind are 0 it acts not at all in that way.
struct BushingProperties {
  double stiffness = 0, damping = 0;                  ///< k [N/m], c [N s/m]
  double angular_stiffness = 0, angular_damping = 0;  ///< k_φ [N m/rad], c_φ [N m s/rad]

  /// Has it a force; has it a moment?
  [[nodiscard]] bool pulls() const noexcept { return stiffness > 0 || damping > 0; }
  [[nodiscard]] bool turns() const noexcept { return angular_stiffness > 0 || angular_damping > 0; }
};
/// Throws std::invalid_argument naming the number out of range, or all where all are 0.
void validate(const BushingProperties& properties);

class Bushing final : public Joint {
 public:
  /// Throws std::invalid_argument for properties out of range.
  Bushing(RelativePlacement placement, const BushingProperties& properties);

  [[nodiscard]] std::string_view kind() const noexcept override { return "bushing"; }
  void evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) override;
  /// None: its law holds forces, not positions.
  [[nodiscard]] RowMask holonomic_rows(int) const override { return 0; }
  [[nodiscard]] Law law(double h, std::span<const Eigen::Vector3d> V) const override;

 private:
  void take_hold(const BodySet& bodies) override;
  void measure(const BodyQuantities& at, JointRows& rows) const override;

  RelativePlacement placement_;
  BushingProperties properties_;
  Eigen::Vector3d d_ = Eigen::Vector3d::Zero(), phi_ = Eigen::Vector3d::Zero();  // at the last `evaluate`
};

}  // namespace locdyn
