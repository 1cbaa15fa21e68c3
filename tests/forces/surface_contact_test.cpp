// Penalty contact of smooth surfaces in space: its gradient and power, rest, and energy kept.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include <bodies/random_bodies.hpp>
#include <locdyn/forces/penalty/penalty_contact.hpp>
#include <locdyn/forces/penalty/surface_pair.hpp>
#include <locdyn/simulation/time_stepper.hpp>

#include "step_of.hpp"

#include "states.hpp"
#include "surfaces.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::testing;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

TEST_CASE("penalty contact of surfaces is the gradient of its potential, and loses what it says") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    BodySet bodies;
    ForceSet elastic, lossy;
    const auto contact = [&](const auto& master, std::optional<BodyId> carrier, const ConvexSurface& slave, BodyId id) {
      const auto pair = [&] { return std::make_unique<SurfacePair>(master, carrier, slave, id); };
      elastic.add(std::make_unique<PenaltyContact>(pair(), PenaltyLaw{.stiffness = 300}), bodies);
      lossy.add(
          std::make_unique<PenaltyContact>(
              pair(),
              PenaltyLaw{.stiffness = 300, .damping = 2, .damping_exponent = 0.5, .friction = 0.4, .slip_speed = 0.1}),
          bodies);
    };
    // Each slave lies 0.06 … 0.1 deep: bodies move by 6e-3 and less in the differences, so none lets go.
    const auto against = [&](const ConvexSurface& slave, const Vector3d& touch, const Vector3d& n) {
      const Vector3d shift = touch - random.between(0.06, 0.1) * n - slave.point(-n);
      return ConvexSurface{[=](const Vector3d& m) -> Vector3d { return slave.point(m) + shift; }, slave.radii};
    };
    const BodyId a = rigid_in(bodies, random), b = rigid_in(bodies, random), c = rigid_in(bodies, random),
                 d = rigid_in(bodies, random), e = bodies.emplace<Particle>(1.0, random.vector());
    const ConvexSurface master = some_ellipsoid(random, bodies[a].to_space(Vector3d::Zero()), 0.6, 1.2);
    const Vector3d n = random.vector().normalized();
    const auto small = [&] { return some_ellipsoid(random, Vector3d::Zero(), 0.5, 0.8); };
    contact(master, a, against(small(), master.point(n), n), b);
    contact(master, std::nullopt, against(grown(small(), 0.3), master.point(n), n), e);
    const Vector2d at(random.normal(), random.normal());
    contact(hills(), std::nullopt, against(small(), point_on(hills(), at), up_at(hills(), at)), c);
    contact(hills(), d, against(small(), point_on(hills(), at), up_at(hills(), at)), b);
    for (const ForceId id : elastic.ids()) {
      CAPTURE(id);
      REQUIRE(dynamic_cast<const PenaltyContact&>(elastic[id]).state(bodies).touches);
    }
    for (const BodyId id : bodies.ids()) {
      bodies[id].set_velocity(0.3 * random.velocity(bodies[id].freedoms()));
    }
    const PowerBalance balance = power_balance(lossy, bodies, 1e-3);
    CHECK(balance.dissipated > 0);
    CHECK(std::abs(balance.rate + balance.dissipated) < 1e-6 * balance.dissipated);
    CHECK(gradient_error(elastic, bodies, 1e-3) < 1e-7);
  }
}

TEST_CASE("an egg comes to rest in a bowl where m g = k δ^(3/2)") {
  System system;
  system.gravity = {0, 0, -9.81};
  const double m = 2, k = 1e6, depth = std::pow(m * 9.81 / k, 2.0 / 3);
  const Matrix3d inertia = m / 5 * Vector3d(0.09 + 0.04, 0.09 + 0.04, 0.09 + 0.09).asDiagonal();
  const BodyId egg = system.emplace<RigidBody>(MassProperties{m, Vector3d::Zero(), inertia}, Vector3d(0, 0, 0.2));
  system.add_force(std::make_unique<PenaltyContact>(
      std::make_unique<SurfacePair>(bowl(1), std::nullopt, ellipsoid_surface({0, 0, 0.2}, {0.3, 0.3, 0.2}), egg),
      PenaltyLaw{.stiffness = k, .damping = 300}));
  TimeStepper stepper(system, step_of(2e-4));
  while (stepper.time() < 0.3) (void)stepper.step();
  const Vector3d rest = system.bodies()[egg].to_space(Vector3d::Zero());
  CHECK(std::abs(0.2 - rest.z() - depth) < 1e-6 * depth);
  CHECK(rest.head<2>().norm() < 1e-12);
}

TEST_CASE("an egg that rocks in a bowl keeps its energy to the square of the step") {
  const auto drift = [](double h) {
    System system;
    system.gravity = {0, 0, -9.81};
    const double m = 2;
    const Matrix3d inertia = m / 5 * Vector3d(0.0625 + 0.04, 0.09 + 0.04, 0.09 + 0.0625).asDiagonal();
    const Vector3d up = up_at(bowl(1), {0.3, -0.2}), at = point_on(bowl(1), {0.3, -0.2});
    const Orientation lean = exponential({0.3, 0.2, 0.5});
    const ConvexSurface own = ellipsoid_surface(Vector3d::Zero(), {0.3, 0.25, 0.2}, lean.toRotationMatrix());
    const Vector3d x = at - 2e-3 * up - own.point(-up);
    const BodyId egg = system.emplace<RigidBody>(MassProperties{m, Vector3d::Zero(), inertia}, x, lean);
    system.add_force(std::make_unique<PenaltyContact>(
        std::make_unique<SurfacePair>(bowl(1), std::nullopt,
                                      ellipsoid_surface(x, {0.3, 0.25, 0.2}, lean.toRotationMatrix()), egg),
        PenaltyLaw{.stiffness = 1e4, .exponent = 1}));
    TimeStepper stepper(system, step_of(h));
    const auto energy = [&] {
      const Body& body = system.bodies()[egg];
      return body.kinetic_energy() + body.potential_energy(system.gravity) +
             system.forces().potential_energy(system.bodies());
    };
    const double before = energy();
    double most = 0;
    while (stepper.time() < 1) {
      (void)stepper.step();
      most = std::max(most, std::abs(energy() - before));
    }
    // It has rolled across: what is kept is not that of a body at rest.
    CHECK(system.bodies()[egg].kinetic_energy() > 1e-3);
    return most;
  };
  const double coarse = drift(1e-3), fine = drift(5e-4);
  CAPTURE(coarse);
  CAPTURE(fine);
  CHECK(coarse < 1e-4);
  CHECK(fine < 0.3 * coarse);
}
