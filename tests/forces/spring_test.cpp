// Springs and dampers between points: energy, momentum, closed forms.

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include <bodies/random_bodies.hpp>
#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/forces/point_spring_damper.hpp>
#include <locdyn/forces/torsion_spring.hpp>
#include <locdyn/forces/weight.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>
#include <locdyn/simulation/energies.hpp>
#include <locdyn/simulation/time_stepper.hpp>

#include "step_of.hpp"

#include "states.hpp"

using namespace locdyn;
using namespace locdyn::testing;
using Eigen::Vector3d;

namespace {

// One of each kind and an obstacle, and springs between points of them, to space and to the obstacle.
struct Web {
  BodySet bodies;
  ForceSet forces;

  Web(unsigned seed, double damping) {
    Random random(seed);
    for (auto& body : one_of_each(random)) bodies.add(std::move(body));
    bodies.emplace<Obstacle>();
    const auto spring = [&](std::optional<BodyId> a, std::optional<BodyId> b) {
      const Anchor first{3 * random.vector(), a}, second{3 * random.vector(), b};
      const double length = (first.point - second.point).norm();
      forces.add(std::make_unique<PointSpringDamper>(first, second, SpringProperties{random.between(1, 5), damping},
                                                     random.between(0.2, 2) * length),
                 bodies);
    };
    for (BodyId a{0}; a < 4; ++a) {
      spring(a, std::nullopt);
      spring(BodyId{4}, a);
      for (BodyId b{0}; b < a; ++b) spring(a, b);
    }
    forces.add(std::make_unique<Weight>(Anchor{random.vector(), BodyId{2}}, 3, Vector3d(1, 2, -9)), bodies);
    forces.add(std::make_unique<Weight>(Anchor{random.vector(), BodyId{1}}, 2, Vector3d(1, -2, 0)), bodies);
  }
};

// A particle on a spring from the origin along x, 0.3 m beyond its rest length: x after 2 s.
double damped_place(double h) {
  System system;
  system.gravity.setZero();
  const BodyId mass = system.emplace<Particle>(2.0, Vector3d(1.3, 0, 0));
  system.add_force(
      std::make_unique<PointSpringDamper>(Anchor{}, Anchor{{1.3, 0, 0}, mass}, SpringProperties{50, 3}, 1.0));
  TimeStepper stepper(system, step_of(h));
  while (stepper.time() < 2 - h / 2) REQUIRE(stepper.step().status == SolveStatus::converged);
  return system.bodies()[mass].to_space(Vector3d::Zero()).x();
}

}  // namespace

TEST_CASE("springs and weights are the gradient of their potential, on every kind of body") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Web web(seed, 0);
    CHECK(gradient_error(web.forces, web.bodies) < 1e-7);
  }
}

TEST_CASE("springs and dampers lose the energy that they say") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Web web(seed, 0.7);
    const PowerBalance balance = power_balance(web.forces, web.bodies);
    CHECK(balance.dissipated > 0);
    CHECK(std::abs(balance.rate + balance.dissipated) < 1e-7 * balance.dissipated);
  }
}

TEST_CASE("a damped oscillator follows its closed form with second order in h") {
  const double m = 2, k = 50, c = 3, decay = c / (2 * m), omega = std::sqrt(k / m - decay * decay);
  const double exact = 1 + 0.3 * std::exp(-2 * decay) * (std::cos(2 * omega) + decay / omega * std::sin(2 * omega));
  double before = 0;
  for (const double h : {0.02, 0.01, 0.005, 0.0025}) {
    const double error = std::abs(damped_place(h) - exact);
    CAPTURE(h);
    CAPTURE(error);
    CHECK(error < 10 * h * h);
    if (before > 0) CHECK(before / error == doctest::Approx(4).epsilon(0.1));
    before = error;
  }
}

TEST_CASE("springs within a system change neither momentum nor angular momentum") {
  Random random(3);
  System system;
  system.gravity.setZero();
  std::vector<BodyId> ids;
  for (int k = 0; k < 4; ++k) {
    ids.push_back(system.emplace<RigidBody>(MassProperties{random.between(0.5, 2), Vector3d::Zero(), random.inertia()},
                                            2 * random.vector(), random.orientation()));
    ids.push_back(system.emplace<Particle>(random.between(0.5, 2), 2 * random.vector()));
  }
  // A force on a particle acts at the particle itself, wherever its line lies: there alone it is anchored.
  const auto anchor = [&](BodyId id) {
    const bool turns = system.bodies()[id].freedoms() == 6;
    return Anchor{system.bodies()[id].to_space(turns ? random.vector() : Vector3d::Zero()), id};
  };
  double motion = 0;  // Σ m |v|
  for (const BodyId id : ids) {
    Body& body = system.bodies()[id];
    body.set_velocity(random.velocity(body.freedoms()));
    motion += body.mass() * body.velocity().tail<3>().norm();
    for (BodyId other{0}; other < id; ++other) {
      system.add_force(
          std::make_unique<PointSpringDamper>(anchor(id), anchor(other), SpringProperties{random.between(1, 5), 0.05}));
    }
    if (id >= 2 && body.freedoms() == 6) {
      system.add_force(std::make_unique<TorsionSpring>(Axis{Vector3d::Zero(), Vector3d(1, 2, 3), BodyId{id - 2}},
                                                       Axis{Vector3d::Zero(), Vector3d(1, 2, 3), id},
                                                       TorsionProperties{2, 0.1, 0.5}));
    }
  }
  TimeStepper stepper(system, step_of(1e-3));
  const StepReport first = stepper.step();
  StepReport last = first;
  for (int i = 0; i < 1000; ++i) last = stepper.step();
  CHECK((last.momentum - first.momentum).norm() < 1e-13 * motion);
  CHECK((last.angular_momentum - first.angular_momentum).norm() < 1e-13 * 10 * motion);  // arms of some metres
  CHECK(last.kinetic_energy + last.potential_energy < first.kinetic_energy + first.potential_energy);
}

TEST_CASE("a pendulum damped by a spring-damper is of second order through its joint's reactions") {
  // A bar hinged about y; a damper holds its end to a point beside it.
  const auto height = [](double h) {
    System system;
    const BodyId bar = system.emplace<RigidBody>(box_mass(1000, {2, 0.02, 0.04}), Vector3d(1, 0, 0));
    system.add_constraint(std::make_unique<Hinge>(Axis{Vector3d::Zero(), Vector3d::UnitY()},
                                                  Axis{Vector3d::Zero(), Vector3d::UnitY(), bar}));
    system.add_force(
        std::make_unique<PointSpringDamper>(Anchor{{2, 0, 1}}, Anchor{{2, 0, 0}, bar}, SpringProperties{4, 3}, 0.5));
    TimeStepperOptions options = step_of(h);
    options.solver = "condensed";
    options.correction = Correction::none;
    TimeStepper stepper(system, options);
    while (stepper.time() < 0.8 - h / 2) REQUIRE(stepper.step().status == SolveStatus::converged);
    return system.bodies()[bar].to_space({1, 0, 0}).z();
  };
  const double coarse = height(0.02), middle = height(0.01), fine = height(0.005);
  CAPTURE(coarse);
  CAPTURE(middle);
  CAPTURE(fine);
  CHECK((coarse - middle) / (middle - fine) == doctest::Approx(4).epsilon(0.15));
}

TEST_CASE("a damped system at rest stays at rest") {
  // A bar on a hinge, held level by a tight spring-damper, though gravity pulls in each step. The first step knows no
  // reactions yet: what that leaves dies out with 5.9/s.
  System system;
  const BodyId bar = system.emplace<RigidBody>(box_mass(1000, {2, 0.02, 0.04}), Vector3d(1, 0, 0));
  system.add_constraint(std::make_unique<Hinge>(Axis{Vector3d::Zero(), Vector3d::UnitY()},
                                                Axis{Vector3d::Zero(), Vector3d::UnitY(), bar}));
  const double weight = system.bodies()[bar].mass() * 9.81;
  // At its end: half the weight, from 0.5 m above, 100 N/m.
  system.add_force(std::make_unique<PointSpringDamper>(Anchor{{2, 0, 0.5}}, Anchor{{2, 0, 0}, bar},
                                                       SpringProperties{100, 20}, 0.5 - weight / 200));
  TimeStepper stepper(system, step_of(2e-3));
  StepReport report;
  for (int i = 0; i < 2000; ++i) report = stepper.step();
  CHECK(report.largest_speed < 1e-9);
  CHECK(std::abs(system.bodies()[bar].to_space({1, 0, 0}).z()) < 1e-9);  // c h g/2 would be 2e-3 m of the spring
}

TEST_CASE("a spring of rest length zero passes through its point, another has no direction there") {
  System system;
  system.gravity.setZero();
  const BodyId mass = system.emplace<Particle>(1.0, Vector3d(0, 0, 0));
  system.add_force(std::make_unique<PointSpringDamper>(Anchor{}, Anchor{{0, 0, 0}, mass}, SpringProperties{4, 0.5}));
  system.bodies()[mass].clear_forces();
  system.forces().add_to(system.bodies());
  CHECK(system.bodies()[mass].added_force() == Vector3d::Zero());
  system.bodies()[mass].set_velocity(Vector3d(0, 3, -4));
  system.forces().add_to(system.bodies());
  CHECK((system.bodies()[mass].added_force() - Vector3d(0, -1.5, 2)).norm() < 1e-15);  // −c v
  CHECK(system.forces().dissipated_power(system.bodies()) == doctest::Approx(0.5 * 25).epsilon(1e-15));

  system.add_force(std::make_unique<PointSpringDamper>(Anchor{}, Anchor{{0, 0, 0}, mass}, SpringProperties{4, 0}, 0.1),
                   "strut");
  CHECK_THROWS_WITH_AS(
      system.forces().add_to(system.bodies()),
      "force \"strut\" (spring-damper): length: expected ends apart where the rest length is 0.1, found "
      "both at (0, 0, 0)",
      std::invalid_argument);
  TimeStepper stepper(system, step_of(0.01));
  system.bodies()[mass].set_velocity(Vector3d::Zero());
  CHECK_THROWS_AS(stepper.step(), std::invalid_argument);
  CHECK(stepper.time() == 0);
  CHECK(system.bodies()[mass].velocity() == Vector3d::Zero());
}

TEST_CASE("springs refuse what has no meaning, naming it") {
  BodySet bodies;
  const BodyId a = bodies.emplace<Particle>(1.0, Vector3d(1, 0, 0));
  const BodyId wall = bodies.emplace<Obstacle>();
  ForceSet forces;
  const Anchor on_a{{1, 0, 0}, a}, in_space{};
  const auto make = [&](const Anchor& from, const Anchor& to, SpringProperties p, std::optional<double> length) {
    return std::make_unique<PointSpringDamper>(from, to, p, length);
  };
  const auto refused = [&](const auto& act, const char* message) {
    CHECK_THROWS_WITH_AS(act(), message, std::invalid_argument);
  };
  refused([&] { make(in_space, on_a, {-1, 0}, 1); }, "stiffness: expected >= 0, found -1");
  refused([&] { make(in_space, on_a, {NAN, 0}, 1); }, "stiffness: expected a finite number, found nan");
  refused([&] { make(in_space, on_a, {1, -2}, 1); }, "damping: expected >= 0, found -2");
  refused([&] { make(in_space, on_a, {0, 0}, 1); }, "stiffness and damping: expected one above 0, found both 0");
  refused([&] { make(in_space, on_a, {1, 0}, -1); }, "rest length: expected a finite number >= 0, found -1");
  refused([&] { make(in_space, in_space, {1, 0}, 1); }, "points: expected one of a body, found points in space alone");
  refused([&] { make(on_a, on_a, {1, 0}, 1); }, "points: expected those of two bodies, found both on body 0");
  refused(
      [&] {
        forces.add(make(in_space, {{0, 0, 0}, BodyId{7}}, {1, 0}, 1), bodies, "far");
      },
      "force \"far\" (spring-damper): body: expected an id below 2, found 7");
  refused(
      [&] {
        forces.add(make(in_space, {{0, 0, 0}, wall}, {1, 0}, 1), bodies);
      },
      "force 0 (spring-damper): bodies: expected one that moves, found obstacles alone");
  refused(
      [&] {
        forces.add(make(in_space, {{NAN, 0, 0}, a}, {1, 0}, 1), bodies);
      },
      "force 0 (spring-damper): second point: expected a finite number, found nan");
  refused([&] { forces.add(nullptr, bodies); }, "force: expected a force, found a null pointer");
  CHECK(forces.size() == 0);
  CHECK(forces.add(make(in_space, on_a, {1, 0}, 1), bodies, "one") == 0);
  CHECK(forces.find("one") == 0);
  refused(
      [&] {
        forces.add(make(in_space, on_a, {1, 0}, 1), bodies, "one");
      },
      "force: expected a new name, found \"one\" again");
  refused([&] { (void)forces.find("two"); }, "force: expected the name of one, found \"two\"");
  refused([&] { forces.set_memory(std::vector<double>{1}); }, "forces: memory: expected 0 numbers, found 1");
  refused([&] { Weight({{0, 0, 0}, a}, 0, {0, 0, -1}); }, "mass: expected a finite number > 0, found 0");
}

TEST_CASE("a weight beside the mass centre turns its body, in the plane and in space") {
  System system;
  system.gravity = {0, -10, 0};
  const BodyId plate = system.emplace<PlanarBody>(2.0, 0.5, Eigen::Vector2d(1, 2));
  const BodyId box = system.emplace<RigidBody>(box_mass(1000, {0.1, 0.2, 0.3}), Vector3d(0, 0, 5));
  system.add_force(std::make_unique<Weight>(Anchor{{1.5, 2.25, 0}, plate}, 3.0, system.gravity));
  system.add_force(std::make_unique<Weight>(Anchor{{0.25, 0, 5.5}, box}, 3.0, system.gravity));
  system.forces().add_to(system.bodies());
  CHECK((system.bodies()[plate].added_force() - Vector3d(0, -30, -15)).norm() < 1e-14);
  // (0.25, 0, 0.5) × (0, −30, 0) = (15, 0, −7.5)
  CHECK((system.bodies()[box].added_force() - (Eigen::VectorXd(6) << 15, 0, -7.5, 0, -30, 0).finished()).norm() <
        1e-13);
  CHECK(energies(system).potential ==
        doctest::Approx(2 * 10 * 2 + 3 * 10 * 2.25).epsilon(1e-14));  // the box and its weight lie at y = 0
  CHECK(energies(system).total == energies(system).kinetic + energies(system).potential);
}
