#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/contact/contact_point.hpp>

using namespace locdyn;

TEST_CASE("a contact point is checked field by field") {
  BodySet bodies;
  const BodyId floor = bodies.emplace<Obstacle>();
  const BodyId wall = bodies.emplace<Obstacle>();
  const BodyId stone = bodies.emplace<Particle>(1.0, Eigen::Vector3d(0, 0, 0));
  const ContactPoint good{.master = floor, .slave = stone, .material = {.friction = 0.5, .restitution = 1}};
  CHECK_NOTHROW(validate(good, bodies));

  ContactPoint bad = good;
  bad.slave = wall;
  CHECK_THROWS_WITH_AS(validate(bad, bodies), "slave: expected a moving body, found obstacle 1 against obstacle 0",
                       std::invalid_argument);
  bad = good;
  bad.master = stone;
  CHECK_THROWS_WITH_AS(validate(bad, bodies), "slave: expected a body other than the master, found body 2 as both",
                       std::invalid_argument);
  bad = good;
  bad.master = BodyId{3};
  CHECK_THROWS_WITH_AS(validate(bad, bodies), "master: expected a body id below 3, found 3", std::invalid_argument);
  bad = good;
  bad.frame.col(0) *= -1;  // left-handed
  CHECK_THROWS_AS(validate(bad, bodies), std::invalid_argument);
  bad = good;
  bad.frame(0, 1) = 1e-3;
  CHECK_THROWS_AS(validate(bad, bodies), std::invalid_argument);
  bad = good;
  bad.gap = NAN;
  CHECK_THROWS_WITH_AS(validate(bad, bodies), "gap: expected a finite number, found nan", std::invalid_argument);
  bad = good;
  bad.point[1] = INFINITY;
  CHECK_THROWS_AS(validate(bad, bodies), std::invalid_argument);
}

TEST_CASE("a surface material has μ ≥ 0 and 0 ≤ e ≤ 1") {
  CHECK_NOTHROW(validate(SurfaceMaterial{.friction = 10, .restitution = 0}));
  CHECK_THROWS_WITH_AS(validate(SurfaceMaterial{.friction = -0.1}),
                       "friction: expected a finite number >= 0, found -0.1", std::invalid_argument);
  CHECK_THROWS_AS(validate(SurfaceMaterial{.friction = INFINITY}), std::invalid_argument);
  CHECK_THROWS_WITH_AS(validate(SurfaceMaterial{.restitution = 1.5}), "restitution: expected 0 <= e <= 1, found 1.5",
                       std::invalid_argument);
  CHECK_THROWS_AS(validate(SurfaceMaterial{.restitution = NAN}), std::invalid_argument);
}
