#pragma once
// Energy where nothing may add any: no restitution, no springs, no drive.

#include "../bodies_in_scene.hpp"

namespace locdyn::physics {

enum class Falling { pile, stack, arch, dominoes };
[[nodiscard]] const char* name_of(Falling example);

struct EnergyBalance {
  double released = 0;  ///< kinetic energy at start + largest potential energy released [J]
  // Largest rise of kinetic + potential energy above any earlier value, over `released`.
  double growth = 0;           ///< without what position correction added
  double growth_as_it_is = 0;  ///< with it
  double growth_at_end = 0;    ///< without, over the last tenth of the time
  double corrected = 0;        ///< what position correction added, over `released`
  double speed = 0;            ///< largest at the end [m/s]
  int failed = 0;              ///< steps that did not converge
};
EnergyBalance balance_of(Falling example, double duration, const TimeStepperOptions& options);

}  // namespace locdyn::physics
