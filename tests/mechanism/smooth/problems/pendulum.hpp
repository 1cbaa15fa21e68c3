#pragma once
// A01 of the multibody benchmark set: a point of 1 kg on a rigid rod of 1 m without mass, let go at the horizontal
// under g = 9.81 m/s² along −y; energy over 10 s. Source: González, Dopico, Lugrís & Cuadrado, Multibody Syst. Dyn. 16
// (2006) 179–190.

#include <numbers>

#include <locdyn/mechanism/smooth/applied_loads.hpp>

#include "mechanism/linkages.hpp"

namespace locdyn::test {

struct Pendulum : Linkage {
  static constexpr double kGravity = 9.81, kDuration = 10;
  BodyId bob;
  Mechanism mechanism;
  AppliedLoads loads{.gravity = {0, -kGravity, 0}};

  /// `angle` from the lower vertical [rad].
  explicit Pendulum(double angle = -std::numbers::pi / 2)
      : bob(system.emplace<Particle>(1.0, Vector3d(std::sin(angle), -std::cos(angle), 0))),
        mechanism(
            (join<RigidLink>("rod", Anchor{}, Anchor{{std::sin(angle), -std::cos(angle), 0}, bob}, 1.0), system)) {}

  [[nodiscard]] Vector3d position() const { return system.bodies()[bob].to_space(Vector3d::Zero()); }
  /// T + V, 0 at the start of A01 [J].
  [[nodiscard]] double energy() const {
    return system.bodies().kinetic_energy() + system.bodies().potential_energy(loads.gravity);
  }
};

/// Two points of 1 kg on rods of 1 m, the second below the first; both rods at angles from the lower vertical.
struct DoublePendulum : Linkage {
  BodyId upper, lower;
  Mechanism mechanism;
  AppliedLoads loads{.gravity = {0, -9.81, 0}};

  DoublePendulum(double first, double second)
      : upper(system.emplace<Particle>(1.0, at(first))),
        lower(system.emplace<Particle>(1.0, at(first) + at(second))),
        mechanism((rods(first, second), system)) {}

  [[nodiscard]] double energy() const {
    return system.bodies().kinetic_energy() + system.bodies().potential_energy(loads.gravity);
  }
  /// From both down to both up [J].
  static constexpr double kPotentialRange = 9.81 * (2 + 4);

 private:
  [[nodiscard]] static Vector3d at(double angle) { return {std::sin(angle), -std::cos(angle), 0}; }
  void rods(double first, double second) {
    join<RigidLink>("upper rod", Anchor{}, Anchor{at(first), upper}, 1.0);
    join<RigidLink>("lower rod", Anchor{at(first), upper}, Anchor{at(first) + at(second), lower}, 1.0);
  }
};

}  // namespace locdyn::test
