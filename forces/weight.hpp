#pragma once
// The weight of a mass m at a material point x that need not be the mass centre: F = m g at x, V = −m g·x.
//
// Bodies of this library have their coordinates at their mass centre and weigh there by themselves (`System::gravity`),
// wherever their shapes' coordinates lie. This is for weight beyond that: a load without inertia of its own, or a field
// that acts on one body alone.

#include <locdyn/forces/force.hpp>
#include <locdyn/ldy/assembly/quantities/body_quantities.hpp>

namespace locdyn {

class Weight final : public Force {
 public:
  /// `at`: in space where it lies when it is added, on a body. mass [kg] > 0, gravity [m/s²]. Throws
  /// std::invalid_argument.
  Weight(const Anchor& at, double mass, const Eigen::Vector3d& gravity);

  [[nodiscard]] std::string_view kind() const noexcept override { return "weight"; }
  [[nodiscard]] std::span<const BodyId> bodies() const noexcept override { return ids_; }
  void attach(const BodySet& bodies) override;
  void add_to(BodySet& bodies) override;
  [[nodiscard]] bool depends_on_velocity() const noexcept override { return false; }
  [[nodiscard]] double potential_energy(const BodySet& bodies) const override;

 private:
  Anchor anchor_;
  Eigen::Vector3d force_;  // m g
  std::vector<BodyId> ids_;
  MaterialPoint point_;
};

}  // namespace locdyn
