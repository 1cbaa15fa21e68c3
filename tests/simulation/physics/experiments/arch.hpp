#pragma once
// A semicircular arch of 40 voussoirs with radial joints on two fixed springers; the centre line's radius is 1 m.

#include "../bodies_in_scene.hpp"

#include <cmath>
#include <numbers>

namespace locdyn::physics {

/// `thickness` over the centre line's radius. Gives the voussoir at the crown.
inline BodyId add_arch(Scene& scene, double thickness) {
  constexpr int count = 40;
  constexpr double sector = std::numbers::pi / count;
  BodyId crown{0};
  for (int i = -1; i <= count; ++i) {
    ConvexHull hull;
    for (const double angle : {i * sector, (i + 1) * sector}) {
      for (const double radius : {1 - 0.5 * thickness, 1 + 0.5 * thickness}) {
        for (const double y : {-0.1, 0.1})
          hull.points.emplace_back(-radius * std::cos(angle), y, radius * std::sin(angle));
      }
    }
    if (i < 0 || i == count) {
      scene.add_obstacle(hull);
    } else {
      const BodyId id = scene.add(hull, {.position = mass_properties(hull, kDensity).center});
      if (i == count / 2) crown = id;
    }
  }
  return crown;
}

}  // namespace locdyn::physics
