#pragma once
// A spring, a damper and an effort on a relative coordinate x of bodies, an angle [rad] or a length [m]:
//
//   F = −k (x − x₀) − c ẋ + e(t),  as f = F ∂x/∂q on all bodies;   V = ½ k (x − x₀)²,   dissipated c ẋ²
//
// e is the torque or force of a motor. Where x is a joint's own coordinate, f does no work on what the joint holds. It
// is evaluated at the state it is given, so that steps have to resolve it.

#include <array>
#include <functional>

#include <locdyn/forces/force.hpp>
#include <locdyn/ldy/assembly/quantities/coordinate.hpp>

namespace locdyn {

/// Of a spring, a damper and a motor on a coordinate.
struct CoordinateForceProperties {
  double stiffness = 0;                         ///< k ≥ 0 [N m/rad] or [N/m]
  double damping = 0;                           ///< c ≥ 0 [N m s/rad] or [N s/m]
  double rest = 0;                              ///< x₀ [rad] or [m]
  std::function<double(double t)> effort = {};  ///< e(t) [N m] or [N]; empty: none
};

class CoordinateForce final : public Force {
 public:
  /// Throws std::invalid_argument for k, c or x₀ out of range, and when evaluated with an effort that is not finite.
  CoordinateForce(Coordinate coordinate, CoordinateForceProperties properties);

  [[nodiscard]] std::string_view kind() const noexcept override { return "force on a coordinate"; }
  [[nodiscard]] std::span<const BodyId> bodies() const noexcept override { return coordinate_.bodies(); }
  void attach(const BodySet& bodies) override;
  void add_to(BodySet& bodies) override;
  [[nodiscard]] bool depends_on_velocity() const noexcept override { return properties_.damping > 0; }
  [[nodiscard]] double potential_energy(const BodySet& bodies) const override;
  [[nodiscard]] double dissipated_power(const BodySet& bodies) const override;
  [[nodiscard]] std::span<const double> memory() const noexcept override {
    return {memory_.data(), coordinate_.memory_size()};
  }
  void set_memory(std::span<const double> memory) override;

 private:
  [[nodiscard]] Quantity measure(const BodySet& bodies) const;

  Coordinate coordinate_;
  CoordinateForceProperties properties_;
  std::array<double, 1> memory_ = {0};  // x at the last `add_to`
};

}  // namespace locdyn
