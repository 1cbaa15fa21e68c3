// Which point found on a pair goes on from which of before.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <vector>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/simulation/stepping/point_matching.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using Eigen::Vector3d;

namespace {

// Four corners of a square of side 1 on an obstacle and on a body that has gone to `slave_at` since.
struct Square {
  explicit Square(const Vector3d& slave_at = Vector3d::Zero()) : slave(1, slave_at) {
    for (std::size_t i = 0; i < 4; ++i) {
      corners[i].point.point = corners[i].on_master = corners[i].on_slave = Vector3d(i & 1 ? 1 : 0, i & 2 ? 1 : 0, 0);
      before.push_back(&corners[i]);
      found.push_back({.point = corners[i].point.point});
    }
  }
  std::vector<int> match() {
    std::vector<int> from;
    for (const Match& m : matching.match(found, before, {obstacle, slave})) from.push_back(m.from);
    return from;
  }

  Obstacle obstacle;
  Particle slave;
  std::array<TrackedContact, 4> corners;
  std::vector<const TrackedContact*> before;
  std::vector<DetectedContact> found;
  PointMatching matching;
};

}  // namespace

TEST_CASE("points that lie near where they lay go on, in whatever order they are found") {
  Square square;
  for (DetectedContact& f : square.found) f.point += Vector3d(0.03, 0, 0.04);
  CHECK(square.match() == std::vector{0, 1, 2, 3});
  for (const Match& m : square.matching.match(square.found, square.before, {square.obstacle, square.slave})) {
    CHECK(m.distance == doctest::Approx(0.05));
  }
  std::ranges::reverse(square.found);
  CHECK(square.match() == std::vector{3, 2, 1, 0});
}

TEST_CASE("a point that either body has carried goes on, by the distance from there") {
  Square square({0.4, 0, 0});  // slides, its corners with it
  CHECK(square.match() == std::vector{0, 1, 2, 3});
  square.found[1].point = {1.4, 0, 0};
  const auto matches = square.matching.match(square.found, square.before, {square.obstacle, square.slave});
  CHECK(matches[1].from == 1);
  CHECK(matches[1].distance == doctest::Approx(0));
}

TEST_CASE("a point beyond half the least distance of those before is another one, and so is one too many") {
  Square square;
  square.found[2].point = {0, 1.6, 0};
  CHECK(square.match() == std::vector{0, 1, -1, 3});
  square.found.push_back({.point = {0, 1.1, 0}});
  CHECK(square.match() == std::vector{0, 1, -1, 3, 2});
  square.before.clear();
  CHECK(square.match() == std::vector{-1, -1, -1, -1, -1});
}
