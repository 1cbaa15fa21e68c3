#pragma once
// What acts on a relative coordinate x (coordinate.hpp) as a spring, a damper, a servo or dry friction, one row each,
// solved with the contacts, at the end of the step. With x⁺ = x* + h/2 ẋ⁺, since q⁺ = q* + h/2 u⁺,
//
//   servo      R = −k (x⁺ − f(t⁺)) − c (ẋ⁺ − w(t⁺)), cut back to the force that it has; w = f′, or another speed
//   spring     R = −k (x⁺ − x₀) − c ẋ⁺
//   friction   |R| ≤ limit, against ẋ⁺, or as large as it takes to have ẋ⁺ = 0
//
// As a law, U + σ + C R = 0 with C = 1/(h k/2 + c), σ = C (k (x* − f⁺) − c w⁺): stable for every h, k and c. What is
// limited is a bounded reaction (ldy/laws/bounded_law.hpp). A motor that gives a force of its own is a load.
//
// Source: Lacoursière, Ghosts and machines (2007) ch. 4 (stiff springs as regularised constraints); Tan, Liu & Turk,
// IEEE CG&A 31 (2011) (implicit PD control).

#include <functional>

#include <locdyn/ldy/assembly/constraints/joint.hpp>
#include <locdyn/ldy/assembly/constraints/spring_damper.hpp>
#include <locdyn/ldy/assembly/quantities/coordinate.hpp>

namespace locdyn {

/// The gains of a servo, and the force that it has.
struct ServoGains {
  double stiffness = 0;   ///< k ≥ 0 [N/m], of an angle [N m/rad]
  double damping = 0;     ///< c ≥ 0 [N s/m], of an angle [N m s/rad]; k + c > 0
  ForceRange force = {};  ///< [N], of an angle [N m]
};
/// Throws std::invalid_argument naming the gain out of range, or both where they are 0.
void validate(const ServoGains& gains);

/// What a servo is told, over time.
struct ServoTarget {
  std::function<double(double)> position = {};  ///< f(t) [rad or m], where it has stiffness
  std::function<double(double)> speed = {};     ///< w(t) [rad/s or m/s], where it has damping: f′, or another one
};

/// A coordinate pulled to f(t): proportional and derivative control, implicit.
class Servo : public Joint {
 public:
  /// Each gain has its target; the other may be missing. Throws std::invalid_argument for gains out of range and where
  /// a function is missing.
  Servo(Coordinate coordinate, const ServoGains& gains, ServoTarget target);
  /// f(t) [rad or m] with its first derivative, w = f′: the second one is not asked for. Without stiffness it controls
  /// the speed f′ alone. Throws as above.
  Servo(Coordinate coordinate, const ServoGains& gains, TimeFunction f);
  /// To a place where it stays.
  Servo(Coordinate coordinate, const ServoGains& gains, double value)
      : Servo(std::move(coordinate), gains, constant_function(value)) {}

  [[nodiscard]] std::string_view kind() const noexcept override { return "servo"; }
  [[nodiscard]] bool depends_on_time() const noexcept override { return true; }
  void evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) override;
  /// None: its law holds forces, not positions.
  [[nodiscard]] RowMask holonomic_rows(int) const override { return 0; }
  void position_error(const BodySet& bodies, std::span<Eigen::Vector3d> error) const override;
  [[nodiscard]] Law law(double h, std::span<const Eigen::Vector3d> V) const override;

 private:
  void take_hold(const BodySet& bodies) override;
  void measure(const BodyQuantities& at, JointRows& rows) const override;
  Coordinate coordinate_;
  ServoGains gains_;
  ServoTarget target_;
  double time_ = 0, x_ = 0;  // at the last `evaluate`; x times ℓ for an angle
};

/// A spring and a damper of a coordinate: of a hinge a torsion spring, implicit.
class CoordinateSpring final : public Servo {
 public:
  /// With its rest at x₀ [rad or m]. Throws std::invalid_argument for k or c out of range.
  CoordinateSpring(Coordinate coordinate, const SpringProperties& properties, double rest)
      : Servo(std::move(coordinate), {.stiffness = properties.stiffness, .damping = properties.damping}, rest) {}

  [[nodiscard]] std::string_view kind() const noexcept override { return "coordinate spring"; }
  [[nodiscard]] bool depends_on_time() const noexcept override { return false; }
};

/// Dry friction of a coordinate, of limited force whatever a joint carries: any coordinate, beside any joint.
class DryFriction final : public Joint {
 public:
  /// `limit` > 0 [N], of an angle [N m]. Throws std::invalid_argument for another.
  DryFriction(Coordinate coordinate, double limit);

  [[nodiscard]] std::string_view kind() const noexcept override { return "dry friction"; }
  [[nodiscard]] Law law(double h, std::span<const Eigen::Vector3d> V) const override;

 private:
  void take_hold(const BodySet& bodies) override;
  void measure(const BodyQuantities& at, JointRows& rows) const override;
  Coordinate coordinate_;
  double limit_;
};

}  // namespace locdyn
