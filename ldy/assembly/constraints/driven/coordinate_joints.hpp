#pragma once
// What holds, drives, limits and couples relative coordinates x (coordinate.hpp), one row each:
//
//   prescribed      x − f(t) = 0: a length or an angle held (f constant), a motor of position
//   velocity motor  ẋ − w(t) = 0, posed on velocities alone; of limited force it gives way
//   limit           x − bound ≥ 0 or bound − x ≥ 0, without friction, with restitution
//   gear            (x₁ − x₁⁰) − τ (x₂ − x₂⁰) = 0, over any number of turns

#include <locdyn/ldy/assembly/constraints/joint.hpp>
#include <locdyn/ldy/assembly/quantities/coordinate.hpp>

namespace locdyn {

/// x − f(t) = 0: a coordinate held, or driven by position.
class Prescribed final : public Joint {
 public:
  /// f(t) [rad or m] with its derivatives. In a step, U is the velocity at its end: f′(t* + h/2) is asked for. Throws
  /// std::invalid_argument where a function is missing; at insertion and in steps where one returns no number.
  Prescribed(Coordinate coordinate, TimeFunction f);
  /// Held at `value`.
  Prescribed(Coordinate coordinate, double value) : Prescribed(std::move(coordinate), constant_function(value)) {}

  [[nodiscard]] std::string_view kind() const noexcept override { return "prescribed coordinate"; }
  [[nodiscard]] bool depends_on_time() const noexcept override { return true; }
  void evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) override;
  [[nodiscard]] Law law(double h, std::span<const Eigen::Vector3d> V) const override;

 private:
  void take_hold(const BodySet& bodies) override;
  void measure(const BodyQuantities& at, JointRows& rows) const override;
  Coordinate coordinate_;
  TimeFunction f_;
  double time_ = 0;  // at the last `evaluate`
};

/// ẋ − w(t) = 0: a coordinate driven by velocity.
class VelocityMotor final : public Joint {
 public:
  /// w(t) [rad/s or m/s] and its derivative. In a step, w(t* + h/2) is asked for. Throws as Prescribed does.
  /// A `force` that is limited [N, N m] makes it a bounded reaction (ldy/laws/bounded_law.hpp): it drives at w, or with
  /// all the force that it has.
  VelocityMotor(Coordinate coordinate, std::function<double(double)> w, std::function<double(double)> derivative,
                const ForceRange& force = {});
  VelocityMotor(Coordinate coordinate, double w, const ForceRange& force = {});

  [[nodiscard]] std::string_view kind() const noexcept override { return "velocity motor"; }
  [[nodiscard]] bool depends_on_time() const noexcept override { return true; }
  void evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) override;
  [[nodiscard]] Law law(double h, std::span<const Eigen::Vector3d> V) const override;

 private:
  void take_hold(const BodySet& bodies) override;
  void measure(const BodyQuantities& at, JointRows& rows) const override;
  Coordinate coordinate_;
  ForceRange force_;
  TimeFunction w_;   // its value and first derivative are those of the velocity
  double time_ = 0;  // at the last `evaluate`
};

/// Which end of its range a limit is.
enum class Side { lower, upper };

/// A coordinate kept on one side of a bound.
class Limit final : public Joint {
 public:
  /// Keeps the coordinate above a lower bound, or below an upper one [rad or m]; its law is that of a contact without
  /// friction, along n, with the distance to the bound (times ℓ for an angle) for a gap. With a restitution e > 0, 0 …
  /// 1, it does nothing before the gap is closed, and then sends back: ẋ⁺ = −e ẋ (Moreau); with e = 0 the bound is met
  /// exactly. Throws std::invalid_argument where the bound is not finite or e out of range.
  Limit(Coordinate coordinate, Side side, double bound, double restitution = 0);

  [[nodiscard]] std::string_view kind() const noexcept override { return "limit"; }
  void evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) override;
  [[nodiscard]] Law law(double h, std::span<const Eigen::Vector3d> V) const override;

 private:
  void take_hold(const BodySet& bodies) override;
  void measure(const BodyQuantities& at, JointRows& rows) const override;
  Coordinate coordinate_;
  Side side_;
  double bound_, restitution_;
  double gap_ = 0;  // at the last `evaluate`
};

/// Two coordinates coupled by a ratio.
class Gear final : public Joint {
 public:
  /// x₁ = τ x₂ but for a constant, found at insertion. τ has the unit of x₁ over that of x₂: angles and lengths may be
  /// coupled (rack and pinion). Wheels that mesh from outside turn against each other: τ < 0. Throws
  /// std::invalid_argument where τ is 0 or not finite.
  Gear(Coordinate first, Coordinate second, double ratio);

  [[nodiscard]] std::string_view kind() const noexcept override { return "gear"; }

 private:
  void take_hold(const BodySet& bodies) override;
  void measure(const BodyQuantities& at, JointRows& rows) const override;
  [[nodiscard]] Quantity mismatch(const BodyQuantities& at) const;
  Coordinate first_, second_;
  double ratio_, start_ = 0;
};

}  // namespace locdyn
