#pragma once
// An applied force: f(q, u, t) that the state of some bodies decides, with the potential and the loss of energy that it
// has. One file each for the kinds. It knows bodies alone, so that time steps and integrators of smooth motion take the
// same ones. A spring that is a constraint, taken at the end of the step, is in ldy/assembly/constraints/spring_damper.

#include <span>
#include <string_view>

#include <locdyn/bodies/body_set.hpp>

namespace locdyn {

class Force {
 public:
  virtual ~Force() = default;

  /// What it is, for messages: "spring-damper", "torsion spring", ….
  [[nodiscard]] virtual std::string_view kind() const noexcept = 0;

  /// The bodies it acts on or looks at, each once; the same for life. Empty for one that acts on all there are.
  [[nodiscard]] virtual std::span<const BodyId> bodies() const noexcept = 0;

  /// Takes hold of the bodies where they lie now (material points, rest lengths). Called once, by `ForceSet::add`,
  /// after it has checked that the bodies exist. Throws std::invalid_argument naming the value at fault.
  virtual void attach(const BodySet& bodies) = 0;

  /// Adds its forces and torques to the bodies (`Body::add_force` and its like), at the configurations, velocities and
  /// time that hold now. Throws std::invalid_argument where the state has no force.
  virtual void add_to(BodySet& bodies) = 0;

  /// Does f change with u? What does not is evaluated once a step.
  [[nodiscard]] virtual bool depends_on_velocity() const noexcept = 0;

  /// V(q, t) [J]: the part of f that it belongs to is −∂V/∂q. 0 for forces without.
  [[nodiscard]] virtual double potential_energy(const BodySet&) const { return 0; }
  /// What it takes out of kinetic and potential energy now [W], ≥ 0: d(T + V)/dt = −dissipated + what drives add. 0 for
  /// forces that lose nothing, and for those of functions, which nobody can tell.
  [[nodiscard]] virtual double dissipated_power(const BodySet&) const { return 0; }

  /// What it remembers beside q, such as an angle over many turns; part of the state of a run.
  [[nodiscard]] virtual std::span<const double> memory() const noexcept { return {}; }
  /// Puts back what `memory` gave. Throws std::invalid_argument where the size is another.
  virtual void set_memory(std::span<const double> memory);
};

}  // namespace locdyn
