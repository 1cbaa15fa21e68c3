#pragma once
// A04 of the multibody benchmark set: Bricard's mechanism, five uniform rods of 1 m, 1 kg and a square section of 0.1 m
// along the edges of a cube, closed through the ground by six hinges; at rest, g = 9.81 m/s² along −y; 10 s. It moves,
// though 30 rows stand against 30 velocities: one repeats the others. Source: González, Dopico, Lugrís & Cuadrado,
// Multibody Syst. Dyn. 16 (2006) 179–190; Bricard (1897).

#include <locdyn/dynamics/smooth/applied_loads.hpp>

#include "dynamics/mechanism/linkages.hpp"

namespace locdyn::test {

struct BricardLoop : Linkage {
  static constexpr double kDuration = 10;
  Mechanism mechanism;
  AppliedLoads loads{.gravity = {0, -9.81, 0}};

  BricardLoop() : mechanism((build(), system)) {}

  [[nodiscard]] double energy() const {
    return system.bodies().kinetic_energy() + system.bodies().potential_energy(loads.gravity);
  }
  /// The joint opposite to the ground's first.
  [[nodiscard]] Vector3d far_corner() const { return system.bodies()[2].to_space({0, 0, 0.5}); }

 private:
  void build() {
    const std::vector<Vector3d> corners = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
    const std::vector<Vector3d> axes = {Vector3d::UnitY(), Vector3d::UnitZ(), Vector3d::UnitX(),
                                        Vector3d::UnitY(), Vector3d::UnitZ(), Vector3d::UnitX()};
    std::optional<BodyId> before;
    for (std::size_t k = 0; k < 6; ++k) {
      std::optional<BodyId> rod;
      if (k < 5) {
        const Vector3d along = (corners[k + 1] - corners[k]).cwiseAbs();
        rod = system.emplace<RigidBody>(box_mass(100, 0.1 * Vector3d::Ones() + 0.9 * along),
                                        Vector3d(0.5 * (corners[k] + corners[k + 1])));
      }
      join<Hinge>("hinge " + std::to_string(k), Axis{corners[k], axes[k], before}, Axis{corners[k], axes[k], rod});
      before = rod;
    }
  }
};

}  // namespace locdyn::test
