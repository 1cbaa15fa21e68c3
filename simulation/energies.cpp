#include <locdyn/simulation/energies.hpp>

namespace locdyn {

Energies energies(const System& system) {
  Energies now;
  now.kinetic = system.bodies().kinetic_energy();
  now.potential = system.bodies().potential_energy(system.gravity) + system.forces().potential_energy(system.bodies());
  now.total = now.kinetic + now.potential;
  return now;
}

}  // namespace locdyn
