// Closest points of smooth surfaces in space.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

#include <bodies/random_bodies.hpp>
#include <locdyn/forces/force_set.hpp>
#include <locdyn/forces/penalty/penalty_contact.hpp>
#include <locdyn/forces/penalty/surface_pair.hpp>

#include "surfaces.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::testing;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

namespace {

const RigidBody& rigid(const BodySet& bodies, BodyId id) {
  return dynamic_cast<const RigidBody&>(bodies[id]);
}
void place(BodySet& bodies, BodyId id, const Vector3d& x, const Orientation& q) {
  Eigen::VectorXd configuration(7);
  configuration << x, coefficients(q);
  bodies[id].set_configuration(configuration);
}

// How a body has gone since a finder took hold of it.
struct Travel {
  Vector3d from, to;
  Matrix3d turn;

  Vector3d point(const Vector3d& X) const { return to + turn * (X - from); }
};
Travel travel(const BodySet& bodies, BodyId id, const Vector3d& x, const Matrix3d& Q) {
  return {x, rigid(bodies, id).position(), rigid(bodies, id).rotation() * Q.transpose()};
}

}  // namespace

TEST_CASE("spheres on bodies anywhere: the distance of the centres less the radii") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    BodySet bodies;
    const BodyId a = rigid_in(bodies, random), b = rigid_in(bodies, random);
    const double r = random.between(0.2, 2), s = random.between(0.2, 2);
    const Vector3d p = random.vector(), q = random.vector();
    SurfacePair pair(ellipsoid_surface(p, {r, r, r}), a, ellipsoid_surface(q, {s, s, s}), b);
    pair.attach(bodies);
    const Vector3d x = rigid(bodies, a).position(), y = rigid(bodies, b).position();
    const Matrix3d Q = rigid(bodies, a).rotation(), R = rigid(bodies, b).rotation();
    // Deep in each other, apart, and between.
    place(bodies, a, random.vector(), random.orientation());
    place(bodies, b, random.vector(), random.orientation());
    const Vector3d here = travel(bodies, a, x, Q).point(p), there = travel(bodies, b, y, R).point(q);
    const double distance = random.between(0.3, 1.6) * (r + s);
    const Vector3d along = random.vector().normalized();
    place(bodies, b, rigid(bodies, b).position() + here - there + distance * along, rigid(bodies, b).orientation());
    const auto found = pair.find(bodies);
    REQUIRE(found);
    CHECK(std::abs(found->gap - (distance - r - s)) < 1e-13);
    CHECK((found->normal - along).norm() < 1e-12);
    CHECK((found->on_master - here - r * along).norm() < 1e-12);
    CHECK(std::abs(found->normal.dot(found->on_slave - found->on_master) - found->gap) < 1e-13);
    place(bodies, b, rigid(bodies, b).position() + 10 * (r + s) * along, rigid(bodies, b).orientation());
    CHECK(!pair.find(bodies));
  }
}

TEST_CASE("an ellipsoid over a plane: height − √(Σ a² n²)") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    BodySet bodies;
    const BodyId a = rigid_in(bodies, random);
    const Vector3d c = rigid(bodies, a).position(), half = half_axes(random, 0.2, 1.5);
    const Matrix3d axes = random.rotation();
    // A slope, a wall, and any plane.
    HeightSurface plane = tilted({random.normal(), random.normal()});
    plane.origin = random.vector();
    if (seed % 2 == 0) plane.axes = random.rotation();
    SurfacePair pair(plane, std::nullopt, ellipsoid_surface(c, half, axes), a);
    pair.attach(bodies);
    const Matrix3d before = rigid(bodies, a).rotation();
    const Vector3d n = plane.axes * up_at(plane, Vector2d::Zero());
    place(bodies, a, random.vector(), random.orientation());
    const Matrix3d turned_axes = rigid(bodies, a).rotation() * before.transpose() * axes;
    const double below = (turned_axes.transpose() * n).cwiseProduct(half).norm();
    const double height = n.dot(rigid(bodies, a).position() - plane.origin);
    const auto found = pair.find(bodies);
    REQUIRE(found);
    CHECK(std::abs(found->gap - (height - below)) < 1e-13);
    CHECK((found->normal - n).norm() < 1e-13);
    CHECK(std::abs(n.dot(found->on_master - plane.origin)) < 1e-13);
  }
}

TEST_CASE("ellipsoids with their axes in line: the distance less both half-axes") {
  for (const double gap : {-0.05, 0.0, 0.2}) {
    CAPTURE(gap);
    BodySet bodies;
    const Vector3d p(0.3, -0.2, 0.1);
    const BodyId a = bodies.emplace<Particle>(1.0, p), b = bodies.emplace<Particle>(1.0, Vector3d(4, 0, 0));
    SurfacePair pair(ellipsoid_surface(p, {1, 0.6, 0.8}), a, ellipsoid_surface({4, 0, 0}, {0.5, 0.9, 0.4}), b);
    pair.attach(bodies);
    const std::pair<Vector3d, double> lines[] = {
        {Vector3d::UnitX(), 1.5}, {-Vector3d::UnitY(), 1.5}, {Vector3d::UnitZ(), 1.2}};
    for (const auto& [along, halves] : lines) {
      bodies[b].set_configuration(p + (halves + gap) * along);
      const auto found = pair.find(bodies);
      REQUIRE(found);
      CHECK(std::abs(found->gap - gap) < 1e-13);
      CHECK((found->normal - along).norm() < 1e-12);
    }
  }
}

TEST_CASE("any two convex surfaces set against each other at a point have the gap given to it, whichever is master") {
  // The difference of both rolls in no sphere smaller than 2·0.4²/1.2 = 0.27, so no place is deeper than 0.05.
  for (unsigned seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    BodySet bodies;
    const BodyId a = rigid_in(bodies, random), b = rigid_in(bodies, random);
    const ConvexSurface master = some_ellipsoid(random, random.vector(), 0.4, 1.2);
    ConvexSurface slave = some_ellipsoid(random, random.vector(), 0.4, 1.2);
    if (seed % 3 == 0) slave = grown(slave, 0.2);
    SurfacePair pair(master, a, slave, b), exchanged(slave, b, master, a);
    pair.attach(bodies);
    exchanged.attach(bodies);
    const Vector3d x = rigid(bodies, a).position(), y = rigid(bodies, b).position();
    const Matrix3d Q = rigid(bodies, a).rotation(), R = rigid(bodies, b).rotation();
    place(bodies, a, random.vector(), random.orientation());
    place(bodies, b, random.vector(), random.orientation());
    const Travel of_master = travel(bodies, a, x, Q);
    Travel of_slave = travel(bodies, b, y, R);
    const Vector3d n = random.vector().normalized();
    const double gap = random.between(-0.05, 0.1);
    const Vector3d touch = of_master.point(master.point(of_master.turn.transpose() * n));
    const Vector3d opposite = slave.point(-(of_slave.turn.transpose() * n));
    place(bodies, b, rigid(bodies, b).position() + touch + gap * n - of_slave.point(opposite),
          rigid(bodies, b).orientation());

    const auto found = pair.find(bodies), other = exchanged.find(bodies);
    REQUIRE(found);
    REQUIRE(other);
    CHECK(std::abs(found->gap - gap) < 2e-13);
    CHECK((found->normal - n).norm() < 1e-11);
    CHECK((found->on_master - touch).norm() < 1e-11);
    CHECK(std::abs(other->gap - found->gap) < 2e-13);
    CHECK((other->normal + found->normal).norm() < 1e-11);
    CHECK((other->on_slave - found->on_master).norm() < 1e-11);
    CHECK((other->on_master - found->on_slave).norm() < 1e-11);
  }
}

TEST_CASE("an ellipsoid set against hills, hollows and saddles has the gap given to it") {
  // Its radii of curvature are at most 0.4²/0.2 = 0.8, those of the hollows at least 1/0.45.
  for (unsigned seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    BodySet bodies;
    const BodyId a = rigid_in(bodies, random), ground = rigid_in(bodies, random);
    const ConvexSurface egg = some_ellipsoid(random, random.vector(), 0.2, 0.4);
    const HeightSurface surface = hills();
    SurfacePair pair(surface, ground, egg, a);
    pair.attach(bodies);
    const Vector3d x = rigid(bodies, a).position(), y = rigid(bodies, ground).position();
    const Matrix3d Q = rigid(bodies, a).rotation(), R = rigid(bodies, ground).rotation();
    place(bodies, a, random.vector(), random.orientation());
    place(bodies, ground, random.vector(), random.orientation());
    const Travel of_ground = travel(bodies, ground, y, R), of_egg = travel(bodies, a, x, Q);
    const Vector2d at(random.between(-4, 4), random.between(-4, 4));
    const Vector3d n = of_ground.turn * up_at(surface, at), touch = of_ground.point(point_on(surface, at));
    const double gap = random.between(-0.03, 0.03);
    const Vector3d opposite = egg.point(-(of_egg.turn.transpose() * n));
    place(bodies, a, rigid(bodies, a).position() + touch + gap * n - of_egg.point(opposite),
          rigid(bodies, a).orientation());
    const auto found = pair.find(bodies);
    REQUIRE(found);
    CHECK(std::abs(found->gap - gap) < 2e-13);
    CHECK((found->normal - n).norm() < 1e-11);
    CHECK((found->on_master - touch).norm() < 1e-11);
    CHECK((found->on_slave - touch - gap * n).norm() < 1e-11);
  }
}

TEST_CASE("no direction of many shows flat and long ellipsoids, deep in each other, to be less deep") {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    BodySet bodies;
    const BodyId a = rigid_in(bodies, random), b = rigid_in(bodies, random);
    const Vector3d c = random.vector();
    const ConvexSurface master = some_ellipsoid(random, c, 0.05, 1),
                        slave = some_ellipsoid(random, c + 0.4 * random.vector(), 0.05, 1);
    SurfacePair pair(master, a, slave, b), exchanged(slave, b, master, a);
    pair.attach(bodies);
    exchanged.attach(bodies);
    const auto found = pair.find(bodies), other = exchanged.find(bodies);
    REQUIRE(found.has_value() == other.has_value());
    if (!found) continue;
    CHECK(std::abs(found->gap - other->gap) < 1e-13);
    CHECK((found->on_slave - found->on_master - found->gap * found->normal).norm() < 1e-12);
    double most = -1e300;
    for (int i = 0; i < 500; ++i) {
      const Vector3d n = random.vector().normalized();
      most = std::max(most, n.dot(slave.point(-n) - master.point(n)));
    }
    CHECK(most <= found->gap + 1e-13);
  }
}

TEST_CASE("concentric spheres are as deep as both radii, along some normal") {
  BodySet bodies;
  const BodyId a = bodies.emplace<Particle>(1.0, Vector3d(1, 2, 3));
  SurfacePair pair(ellipsoid_surface({1, 2, 3}, {0.5, 0.5, 0.5}), std::nullopt,
                   ellipsoid_surface({1, 2, 3}, {0.3, 0.3, 0.3}), a);
  pair.attach(bodies);
  const auto found = pair.find(bodies);
  REQUIRE(found);
  CHECK(std::abs(found->gap + 0.8) < 1e-13);
  CHECK(std::abs(found->normal.norm() - 1) < 1e-14);
}

TEST_CASE("second derivatives of surfaces are those of their points and normals, by differences") {
  const double dt = 1e-5;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const ConvexSurface egg = some_ellipsoid(random, random.vector(), 0.2, 1);
    const Vector3d n = random.vector().normalized(), u = random.vector(), along = u - n.dot(u) * n;
    const Vector3d by_difference =
        (egg.point((n + dt * along).normalized()) - egg.point((n - dt * along).normalized())) / (2 * dt);
    CHECK((egg.radii(n) * u - by_difference).norm() < 1e-8);

    const Vector3d x(random.normal(), random.normal(), random.between(-0.8, 0.8));
    const Foot foot = foot_of(hills(), x, "hills"), ahead = foot_of(hills(), x + dt * u, "hills"),
               behind = foot_of(hills(), x - dt * u, "hills");
    CHECK((x - foot.point - foot.distance * foot.normal).norm() < 1e-13);
    CHECK(std::abs(foot.normal.dot(u) - (ahead.distance - behind.distance) / (2 * dt)) < 1e-8);
    CHECK((foot.second * u - (ahead.normal - behind.normal) / (2 * dt)).norm() < 1e-8);
    CHECK((foot.second - foot.second.transpose()).norm() < 1e-14);
  }
}

TEST_CASE("pairs of surfaces refuse what has no meaning") {
  BodySet bodies;
  const BodyId a = bodies.emplace<Particle>(1.0, Vector3d(0, 0, 0.9));
  const ConvexSurface ball = ellipsoid_surface({0, 0, 0.9}, {1, 1, 1});
  const auto refused = [&](const auto& master, const ConvexSurface& slave, const char* message) {
    CHECK_THROWS_WITH_AS(SurfacePair(master, std::nullopt, slave, a), message, std::invalid_argument);
  };
  refused(ConvexSurface{nullptr, ball.radii}, ball,
          "master surface: expected functions of point and radii, found no point");
  refused(ball, ConvexSurface{ball.point, nullptr},
          "slave surface: expected functions of point and radii, found no radii");
  refused(HeightSurface{}, ball, "master surface: expected functions of height, slope and curvature, found no height");
  HeightSurface ground = bowl(0.1);
  ground.curvature = nullptr;
  refused(ground, ball, "master surface: expected functions of height, slope and curvature, found no curvature");
  ground = bowl(0.1);
  ground.axes *= -1;
  refused(ground, ball, "master surface: axes: expected a rotation, found a matrix off by 0 with determinant -1");

  ground = bowl(0.1);
  ground.origin.y() = NAN;
  refused(ground, ball, "master surface: origin: expected a finite number, found nan");

  // Inside out, flat, and not a number.
  ConvexSurface broken = ball;
  broken.point = [](const Vector3d& n) -> Vector3d { return -n; };
  CHECK_THROWS_WITH_AS(SurfacePair(broken, std::nullopt, ball, a),
                       doctest::Contains("master surface: expected the point farthest along each normal, found one"),
                       std::invalid_argument);
  broken = ball;
  broken.radii = [](const Vector3d&) -> Matrix3d { return Matrix3d::Zero(); };
  refused(broken, ball, "master surface: expected radii of curvature > 0, found a product of 0 and a sum of 0");
  broken.radii = [](const Vector3d&) -> Matrix3d { return Matrix3d::Constant(NAN); };
  CHECK_THROWS_WITH_AS(SurfacePair(broken, std::nullopt, ball, a),
                       doctest::Contains("master surface: expected finite numbers, found nan at normal"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(SurfacePair(ball, a, ball, a), "surfaces: expected those of two bodies, found both on body 0",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS((void)ellipsoid_surface({0, 0, 0}, {1, 0, 1}),
                       "second half-axis: expected a finite number > 0, found 0", std::invalid_argument);
  CHECK_THROWS_WITH_AS((void)ellipsoid_surface({0, 0, NAN}, {1, 1, 1}), "center: expected a finite number, found nan",
                       std::invalid_argument);

  // A ground that ends, and a body that deforms.
  ForceSet forces;
  ground = bowl(0.1);
  ground.height = [](const Vector2d& x) { return x.x() > 0.5 ? NAN : 0; };
  forces.add(std::make_unique<PenaltyContact>(std::make_unique<SurfacePair>(ground, std::nullopt, ball, a),
                                              PenaltyLaw{.stiffness = 1}),
             bodies, "shore");
  CHECK_THROWS_WITH_AS(
      forces.add_to(bodies),
      doctest::Contains("force \"shore\" (penalty contact): master surface: expected finite numbers, found nan at "),
      std::invalid_argument);
  Random random(1);
  const BodyId soft = bodies.add(std::move(one_of_each(random)[3]));
  SurfacePair pair(ball, std::nullopt, ball, soft);
  CHECK_THROWS_WITH_AS(pair.attach(bodies),
                       "slave surface: expected a body that stays rigid, found body 1, which deforms",
                       std::invalid_argument);
}
