#pragma once
// A spring and a damper between two points, taken at the end of the step: R = −k g⁺ − c U, where g = length − rest
// length and g⁺ = g* + h/2 U, since q⁺ = q* + h/2 u⁺. As a compliant law U + σ + C R = 0 this is
//
//   C = 1/(h k/2 + c),   σ = C k g*
//
// along n from master to slave at q*; row n alone is used. Stable for every h: a free oscillation loses the share
// 1 − 1/√(1 + h² k/(2m)) of its amplitude a step.

#include <locdyn/ldy/assembly/anchor_pair.hpp>

namespace locdyn {

/// k and c are material, so the struct carries their units.
struct SpringProperties {
  double stiffness = 0;  ///< k ≥ 0 [N/m]
  double damping = 0;    ///< c ≥ 0 [N s/m]; k + c > 0
};
/// Throws std::invalid_argument for k or c out of range.
void validate(const SpringProperties& properties);

class SpringDamper final : public Constraint {
 public:
  /// At rest at the length that the anchors are apart. Throws std::invalid_argument for k or c out of range.
  SpringDamper(const Anchor& master, const Anchor& slave, const SpringProperties& properties);
  /// With a rest length ≥ 0 [m].
  SpringDamper(const Anchor& master, const Anchor& slave, const SpringProperties& properties, double rest_length);

  /// g [m] at the last `evaluate`.
  [[nodiscard]] double elongation() const noexcept { return elongation_; }

  [[nodiscard]] std::string_view kind() const noexcept override { return "spring-damper"; }
  [[nodiscard]] std::span<const BodyId> bodies() const noexcept override { return points_.bodies(); }
  void attach(const BodySet& bodies) override;
  void evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) override;
  /// None: its law holds forces, not positions.
  [[nodiscard]] RowMask holonomic_rows(int) const override { return 0; }
  [[nodiscard]] Law law(double h, std::span<const Eigen::Vector3d> V) const override;

 private:
  AnchorPair points_;
  SpringProperties properties_;
  std::optional<double> rest_length_;  // set by `attach` where the caller has not
  double elongation_ = 0;
};

}  // namespace locdyn
