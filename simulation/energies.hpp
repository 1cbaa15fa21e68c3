#pragma once
// The mechanical energy of a system where it is now.

#include <locdyn/simulation/system.hpp>

namespace locdyn {

struct Energies {
  double kinetic = 0;    ///< T [J]
  double potential = 0;  ///< V [J]: of weight, of bodies that deform, and of the applied forces that have one
  double total = 0;      ///< T + V [J]
};

/// Constraints store none, but for springs that are constraints (spring_damper.hpp), which are not counted. Throws
/// std::invalid_argument where a force has no energy at this state.
[[nodiscard]] Energies energies(const System& system);

}  // namespace locdyn
