#pragma once
// A spring and a damper on an angle φ between bodies, full turns counted, rest angle φ₀:
//
//   moment M = −k (φ − φ₀) − c φ̇,  as f = M ∂φ/∂q on all bodies;   V = ½ k (φ − φ₀)²,   dissipated c φ̇²
//
// About a hinge's axis f is a pair of torques ± M along it. Where nothing holds the axes together, f is still exactly
// the gradient of V.

#include <array>

#include <locdyn/forces/force.hpp>
#include <locdyn/ldy/assembly/quantities/coordinate.hpp>

namespace locdyn {

/// Of a spring and a damper on an angle.
struct TorsionProperties {
  double stiffness = 0;   ///< k ≥ 0 [N m/rad]
  double damping = 0;     ///< c ≥ 0 [N m s/rad]; k + c > 0
  double rest_angle = 0;  ///< φ₀ [rad]
};

class TorsionSpring final : public Force {
 public:
  /// On an angle (coordinate.hpp). Throws std::invalid_argument for a coordinate that is a length, and k, c or φ₀ out
  /// of range. Bodies that deform are fine, particles have no effect.
  TorsionSpring(Coordinate angle, const TorsionProperties& properties);
  /// φ: what the slave has turned about the master's axis, by the right hand, since it was added. A hinge's own axes,
  /// or z for bodies in the plane.
  TorsionSpring(const Axis& master, const Axis& slave, const TorsionProperties& properties)
      : TorsionSpring(axis_angle(master, slave), properties) {}

  /// φ now [rad]: of all that differ by full turns the nearest to that of the last `add_to`.
  [[nodiscard]] double angle(const BodySet& bodies) const { return measure(bodies).value; }

  [[nodiscard]] std::string_view kind() const noexcept override { return "torsion spring"; }
  [[nodiscard]] std::span<const BodyId> bodies() const noexcept override { return angle_.bodies(); }
  void attach(const BodySet& bodies) override;
  void add_to(BodySet& bodies) override;
  [[nodiscard]] bool depends_on_velocity() const noexcept override { return properties_.damping > 0; }
  [[nodiscard]] double potential_energy(const BodySet& bodies) const override;
  [[nodiscard]] double dissipated_power(const BodySet& bodies) const override;
  [[nodiscard]] std::span<const double> memory() const noexcept override {
    return {memory_.data(), angle_.memory_size()};
  }
  void set_memory(std::span<const double> memory) override;

 private:
  [[nodiscard]] Quantity measure(const BodySet& bodies) const;

  Coordinate angle_;
  TorsionProperties properties_;
  std::array<double, 1> memory_ = {0};  // φ at the last `add_to`
};

}  // namespace locdyn
