#pragma once
// A spring, a damper and an effort on a relative coordinate x, taken at the end of the step, as those of robot files:
// F = e(t*) − k (x⁺ − x₀) − c ẋ⁺ with x⁺ = x* + h/2 ẋ⁺. As a compliant law U + σ + C R = 0 with U = ẋ (ℓ ẋ for an
// angle, R = F/ℓ, k and c over ℓ² then) this is
//
//   C = 1/(h k/2 + c),   σ = C (k (x* − x₀) − e)
//
// Stable for every h. The force that is evaluated at the state it is given is forces/coordinate_force.

#include <functional>

#include <locdyn/ldy/assembly/constraints/joint.hpp>
#include <locdyn/ldy/assembly/constraints/spring_damper.hpp>
#include <locdyn/ldy/assembly/quantities/coordinate.hpp>

namespace locdyn {

class CompliantDrive final : public Joint {
 public:
  /// k and c in N/m and N s/m, of an angle in N m/rad and N m s/rad, k + c > 0; rest x₀; e(t) [N] or [N m], empty:
  /// none. Throws std::invalid_argument; in steps where e(t) is not finite.
  CompliantDrive(Coordinate coordinate, const SpringProperties& properties, double rest,
                 std::function<double(double)> effort = {});

  [[nodiscard]] std::string_view kind() const noexcept override { return "compliant drive"; }
  [[nodiscard]] bool depends_on_time() const noexcept override { return static_cast<bool>(effort_); }
  void evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) override;
  /// None: its law holds forces, not positions.
  [[nodiscard]] RowMask holonomic_rows(int) const override { return 0; }
  [[nodiscard]] Law law(double h, std::span<const Eigen::Vector3d> V) const override;

 private:
  void take_hold(const BodySet& bodies) override;
  void measure(const BodyQuantities& at, JointRows& rows) const override;

  Coordinate coordinate_;
  SpringProperties properties_;
  double rest_;
  std::function<double(double)> effort_;
  double stretch_ = 0, push_ = 0;  // ℓ (x − x₀) and e at the last `evaluate`
};

}  // namespace locdyn
