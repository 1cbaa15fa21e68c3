// Blocks that share no more than an edge, as diagonal neighbours in masonry do: whatever way rounding and creep turn
// them, nothing may look deep. The direction between two edges that are almost parallel and almost touch is lost in
// rounding; taken for a normal, it sees the length of the edge as penetration.

#include <doctest/doctest.h>

#include <cmath>

#include "scene.hpp"

namespace locdyn::test {
namespace {

// One wedge of a ring from radius r to r + 0.35, 1 m wide, between two angles from the vertical.
ConvexHull voussoir(double r, double a, double b) {
  ConvexHull hull;
  for (const double angle : {a, b}) {
    for (const double radius : {r, r + 0.35}) {
      for (const double y : {-0.5, 0.5}) {
        hull.points.push_back({radius * std::sin(angle), y, radius * std::cos(angle)});
      }
    }
  }
  return hull;
}

TEST_CASE("voussoirs that share an edge never look deep") {
  std::mt19937 random(20);
  int met = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    CAPTURE(trial);
    const double size = std::pow(10.0, -6 - 8 * std::uniform_real_distribution<>()(random));  // 1e-14 … 1e-6
    const Orientation turn = turned(size, random_vector(random, 1));
    Scene scene;
    scene.moving(voussoir(6.25, 0.18, 0.3), {});
    scene.moving(voussoir(6.60, 0.06, 0.18), {random_vector(random, size), turn});
    for (const DetectedContact& contact : scene.detect(1e-3)) {
      ++met;
      // The blocks reach 7 m from the origin they are turned about, and may overlap by what that moves them.
      CHECK(contact.gap > -10 * size - 1e-12);
    }
  }
  CHECK(met > 2000);
}

}  // namespace
}  // namespace locdyn::test
