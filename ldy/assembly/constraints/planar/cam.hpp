#pragma once
// Two curves, one of each body, that touch: at parameters s₁ and s₂, coordinates without mass of their own
// (MasslessCoordinate), the points and the directions of the tangents are the same,
//
//   x₂(s₂) − x₁(s₁) = 0   (x and y),   ℓ (t₁ × t₂)/(‖t₁‖ ‖t₂‖) = 0,   t = ∂x/∂s
//
// Three rows on the freedoms of two bodies and two parameters: one freedom is left less. Nothing keeps the curves from
// pulling at each other.

#include <locdyn/ldy/assembly/constraints/joint.hpp>

namespace locdyn {

/// A curve in the plane, in body coordinates (mass centre at the origin; space where no body carries it) [m], by its
/// parameter s: position, tangent = d/ds of it, second = d²/ds². The third derivative, which the bias of the row of
/// tangents takes, is found by central differences of the second over `step` where it is not given (to about 1e-9).
struct PlaneCurve {
  /// Of s.
  using Function = std::function<Eigen::Vector2d(double)>;
  Function position, tangent, second;  ///< [m] and its derivatives by s
  Function third = nullptr;            ///< absent: by differences
  double step = 1e-5;                  ///< of these differences, in s
};

/// One side of a cam: the body (or space), its curve, and the coordinate that is its parameter.
struct CamSide {
  std::optional<BodyId> body;  ///< none: space
  PlaneCurve curve;            ///< that touches the other one
  BodyId parameter;            ///< a MasslessCoordinate
};

class Cam final : public Joint {
 public:
  /// Throws std::invalid_argument where a function of a curve is missing; at insertion where a parameter is not a
  /// MasslessCoordinate, a tangent is zero or a curve gives no numbers.
  Cam(CamSide first, CamSide second);

  [[nodiscard]] std::string_view kind() const noexcept override { return "cam"; }

 private:
  void take_hold(const BodySet&) override {}
  void measure(const BodyQuantities& at, JointRows& rows) const override;
  CamSide first_, second_;
};

}  // namespace locdyn
