#pragma once
// A04 of the multibody benchmark set: Bricard's mechanism, five uniform rods of 1 m, 1 kg and a square section of 0.1 m
// along the edges of a cube, closed through the ground by six hinges; at rest, g = 9.81 m/s² along −y; 10 s. It moves,
// though 30 rows stand against 30 velocities: one repeats the others. Source: González, Dopico, Lugrís & Cuadrado,
// Multibody Syst. Dyn. 16 (2006) 179–190; Bricard (1897).

#include <locdyn/mechanism/smooth/applied_loads.hpp>

#include "mechanism/linkages.hpp"

namespace locdyn::test {

struct BricardLoop : BricardRods {
  static constexpr double kDuration = 10;
  Mechanism mechanism;
  AppliedLoads loads{.gravity = {0, -9.81, 0}};

  BricardLoop() : BricardRods(100, 0.1), mechanism(system) {}

  [[nodiscard]] double energy() const {
    return system.bodies().kinetic_energy() + system.bodies().potential_energy(loads.gravity);
  }
  /// The joint opposite to the ground's first.
  [[nodiscard]] Vector3d far_corner() const { return system.bodies()[BodyId{2}].to_space({0, 0, 0.5}); }
};

}  // namespace locdyn::test
