#pragma once
// What rests presses as it did the step before: forces of least norm, where others wander in the null space of W.

#include "../bodies_in_scene.hpp"

namespace locdyn::physics {

/// A table on four feet, of which three would do.
BodyId add_table(Scene& scene);

struct SteadyForces {
  std::size_t contacts = 0;
  double change = 0;  ///< largest of any reaction in a step after the first ones, as a share of the largest
  int failed = 0;     ///< steps that did not converge, or whose reactions are not of least norm
  bool same = true;   ///< the contacts are those they were
};
/// After `before` steps in which it comes to rest, `steps` more.
SteadyForces steady_forces(TimeStepper& stepper, int before, int steps);

/// Least norm, nothing sleeps.
[[nodiscard]] TimeStepperOptions with_least_norm(double step, double tolerance);

}  // namespace locdyn::physics
