#pragma once
// The springs and dampers of a bushing (ldy/assembly/constraints/spatial/bushing.hpp) as forces of the state:
//
//   F = −k d − c v,   M = −k_φ φ − c_φ ω;   V = ½ k ‖d‖² + ½ k_φ ‖φ‖²,   dissipated c ‖v‖² + c_φ ‖ω‖²
//
// on the slave, the opposite on the master. Evaluated at the state it is given, so that steps have to resolve it.

#include <locdyn/forces/force.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/bushing.hpp>

namespace locdyn {

class BushingForce final : public Force {
 public:
  /// Throws std::invalid_argument for properties out of range.
  BushingForce(RelativePlacement placement, const BushingProperties& properties);

  [[nodiscard]] std::string_view kind() const noexcept override { return "force of a bushing"; }
  [[nodiscard]] std::span<const BodyId> bodies() const noexcept override { return placement_.bodies(); }
  void attach(const BodySet& bodies) override;
  void add_to(BodySet& bodies) override;
  [[nodiscard]] bool depends_on_velocity() const noexcept override {
    return properties_.damping > 0 || properties_.angular_damping > 0;
  }
  [[nodiscard]] double potential_energy(const BodySet& bodies) const override;
  [[nodiscard]] double dissipated_power(const BodySet& bodies) const override;

 private:
  RelativePlacement placement_;
  BushingProperties properties_;
};

}  // namespace locdyn
