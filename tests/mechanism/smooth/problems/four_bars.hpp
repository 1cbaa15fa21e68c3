#pragma once
// A02 of the multibody benchmark set: N four-bars side by side, of 2N + 1 uniform bars of 1 m and 1 kg, upright, every
// upper joint with 1 m/s along x; g = 9.81 m/s² along −y. The mechanism passes positions in which all bars lie on one
// line: there it has N + 1 freedoms for an instant. For N = 2 the first upper joint is at (0.3284581115, 0.9445185382)
// after 10 s. Source: González, Dopico, Lugrís & Cuadrado, Multibody Syst. Dyn. 16 (2006) 179–190.

#include <locdyn/mechanism/smooth/applied_loads.hpp>

#include "mechanism/linkages.hpp"

namespace locdyn::test {

struct FourBars : Linkage {
  static constexpr double kDuration = 10;
  std::vector<BodyId> posts, couplers;
  Mechanism mechanism;
  AppliedLoads loads{.gravity = {0, -9.81, 0}};

  explicit FourBars(int windows, double speed = 1) : mechanism((build(windows), system)) {
    for (const BodyId post : posts) system.bodies()[post].set_velocity(Vector3d(speed / 2, 0, -speed));
    for (const BodyId coupler : couplers) system.bodies()[coupler].set_velocity(Vector3d(speed, 0, 0));
  }

  [[nodiscard]] Vector3d first_tip() const { return system.bodies()[posts[0]].to_space({0.5, 0, 0}); }
  static Vector3d reference() { return {0.3284581115, 0.9445185382, 0}; }
  [[nodiscard]] double energy() const {
    return system.bodies().kinetic_energy() + system.bodies().potential_energy(loads.gravity);
  }

 private:
  void build(int windows) {
    for (int k = 0; k <= windows; ++k) {
      posts.push_back(planar_bar({k, 0}, {k, 1}));
      pin("foot " + std::to_string(k), {k, 0}, posts.back());
      if (k == 0) continue;
      couplers.push_back(planar_bar({k - 1, 1}, {k, 1}));
      pin("left joint " + std::to_string(k), {k - 1, 1}, posts[static_cast<std::size_t>(k - 1)], couplers.back());
      pin("right joint " + std::to_string(k), {k, 1}, posts.back(), couplers.back());
    }
  }
};

}  // namespace locdyn::test
