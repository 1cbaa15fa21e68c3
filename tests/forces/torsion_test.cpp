// Torsion springs: gradients off their axes, many turns, saved states.

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include <bodies/random_bodies.hpp>
#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/forces/bushing_force.hpp>
#include <locdyn/forces/coordinate_force.hpp>
#include <locdyn/forces/torsion_spring.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>
#include <locdyn/ldy/assembly/quantities/serial_chain.hpp>
#include <locdyn/simulation/time_stepper.hpp>

#include "step_of.hpp"

#include "states.hpp"

using namespace locdyn;
using namespace locdyn::testing;
using Eigen::Vector3d;
using std::numbers::pi;

namespace {

// A disc in the plane on a torsion spring to space, turned at 40 rad/s: several turns each way.
struct Disc {
  System system;
  BodyId disc = system.emplace<PlanarBody>(1.0, 0.02, Eigen::Vector2d(0, 0));
  TorsionSpring* spring = nullptr;

  explicit Disc(double damping) {
    system.gravity.setZero();
    system.bodies()[disc].set_velocity(Vector3d(0, 0, 40));
    auto made = std::make_unique<TorsionSpring>(Axis{}, Axis{Vector3d::Zero(), Vector3d::UnitZ(), disc},
                                                TorsionProperties{0.02, damping, 0.5});
    spring = made.get();
    system.add_force(std::move(made), "watch");
  }
};

}  // namespace

TEST_CASE("a torsion spring is the gradient of its potential, axes aligned or not") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    BodySet bodies;
    for (auto& body : one_of_each(random)) bodies.add(std::move(body));
    bodies.emplace<Obstacle>();
    ForceSet forces, damped;
    const auto axis = [&](std::optional<BodyId> body) { return Axis{random.vector(), random.vector(), body}; };
    const auto add = [&](std::optional<BodyId> a, std::optional<BodyId> b, double damping, ForceSet& set) {
      const Axis master = axis(a);
      Axis slave = axis(b);
      slave.direction = master.direction;
      set.add(std::make_unique<TorsionSpring>(master, slave,
                                              TorsionProperties{random.between(1, 3), damping, random.normal()}),
              bodies);
    };
    for (ForceSet* set : {&forces, &damped}) {
      const double damping = set == &damped ? 0.8 : 0;
      add(std::nullopt, BodyId{2}, damping, *set);
      add(BodyId{4}, BodyId{3}, damping, *set);
      add(BodyId{3}, BodyId{2}, damping, *set);
      set->add(std::make_unique<TorsionSpring>(planar_angle(BodyId{1}), TorsionProperties{2, damping, 0.3}), bodies);
      set->add(std::make_unique<TorsionSpring>(
                   unsigned_angle(carried(BodyId{2}, random.vector()), carried(BodyId{3}, random.vector())),
                   TorsionProperties{2, damping, 0.3}),
               bodies);
    }
    // Away from where the axes were aligned.
    for (BodyId id{0}; id < 4; ++id) {
      bodies[id].set_velocity(random.velocity(bodies[id].freedoms()));
      bodies[id].advance(0.1);
    }
    const PowerBalance balance = power_balance(damped, bodies, 5e-4);
    CHECK(std::abs(balance.rate + balance.dissipated) < 1e-7 * balance.dissipated);
    CHECK(gradient_error(forces, bodies, 5e-4) < 1e-7);
  }
}

TEST_CASE("a bushing is the gradient of its potential and loses what it says") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    BodySet bodies;
    for (int copy = 0; copy < 2; ++copy) {
      for (auto& body : one_of_each(random)) bodies.add(std::move(body));
    }
    const BodyId obstacle = bodies.emplace<Obstacle>();
    ForceSet forces, damped;
    const auto add = [&](std::optional<BodyId> master, BodyId slave, double share, ForceSet& set) {
      RelativePlacement placement({random.vector(), master}, {random.vector(), slave}, 0.3 * random.vector());
      set.add(std::make_unique<BushingForce>(std::move(placement),
                                             BushingProperties{random.between(1, 3), share, 2.0, 0.5 * share}),
              bodies);
    };
    for (ForceSet* set : {&forces, &damped}) {
      const double share = set == &damped ? 0.8 : 0;
      add(std::nullopt, BodyId{2}, share, *set);
      add(obstacle, BodyId{6}, share, *set);
      add(BodyId{6}, BodyId{2}, share, *set);
    }
    for (BodyId id{0}; id < 8; ++id) {
      bodies[id].set_velocity(random.velocity(bodies[id].freedoms()));
      bodies[id].advance(0.1);
    }
    const PowerBalance balance = power_balance(damped, bodies, 5e-4);
    CHECK(std::abs(balance.rate + balance.dissipated) < 1e-7 * balance.dissipated);
    CHECK(gradient_error(forces, bodies, 5e-4) < 1e-7);
  }
  const RelativePlacement placement({Vector3d::Zero()}, {Vector3d::Zero(), BodyId{0}});
  CHECK_THROWS_WITH_AS(BushingForce(placement, {.stiffness = -1}), "stiffness: expected >= 0, found -1",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(BushingForce(placement, {}), "stiffness and damping: expected one above 0, found all 0",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(BushingForce(placement, {.angular_damping = std::nan("")}), doctest::Contains("angular damping"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(RelativePlacement({}, {}), "points: expected those of two bodies, found both on none",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(RelativePlacement({}, {Vector3d::Zero(), BodyId{0}}, Vector3d::Constant(std::nan(""))),
                       doctest::Contains("rest: expected finite numbers"), std::invalid_argument);
}

TEST_CASE("a torsion spring counts turns: the closed form of an oscillation by six turns each way") {
  const double I = 0.02, k = 0.02, c = 0.001, rest = 0.5;
  const double decay = c / (2 * I), omega = std::sqrt(k / I - decay * decay);
  const auto exact = [&](double t) {
    const double start = -rest;
    return rest +
           std::exp(-decay * t) * (start * std::cos(omega * t) + (40 + decay * start) / omega * std::sin(omega * t));
  };
  Disc disc(c);
  TimeStepper stepper(disc.system, step_of(1e-3));
  double largest = 0, error = 0;
  for (int i = 0; i < 5000; ++i) {
    (void)stepper.step();
    const double angle = disc.spring->angle(disc.system.bodies());
    largest = std::max(largest, std::abs(angle));
    error = std::max(error, std::abs(angle - exact(stepper.time())));
  }
  CHECK(largest > 12 * pi);
  CHECK(error < 40 * 1e-6);  // of second order: amplitude times (ω h)² and some
  // θ itself tells the same.
  CHECK(disc.spring->angle(disc.system.bodies()) ==
        doctest::Approx(disc.system.bodies()[disc.disc].configuration()[2]).epsilon(1e-12));
}

TEST_CASE("between two hinged bodies it acts about the axis, equal and opposite") {
  System system;
  system.gravity.setZero();
  const Vector3d axis = Vector3d(1, 2, 2) / 3;
  const BodyId a = system.emplace<RigidBody>(box_mass(1000, {0.1, 0.2, 0.3}), Vector3d(0, 0, 0));
  const BodyId b = system.emplace<RigidBody>(box_mass(1000, {0.1, 0.2, 0.3}), Vector3d(1, 1, 0));
  system.add_force(std::make_unique<TorsionSpring>(Axis{Vector3d::Zero(), axis, a}, Axis{Vector3d::Zero(), axis, b},
                                                   TorsionProperties{3, 0, 0.2}));
  system.forces().add_to(system.bodies());
  Eigen::VectorXd Q = Eigen::VectorXd::Zero(6);
  Q.head<3>() = 0.6 * axis;  // −k (0 − 0.2) on the slave
  CHECK((system.bodies()[b].added_force() - Q).norm() < 1e-14);
  CHECK((system.bodies()[a].added_force() + Q).norm() < 1e-14);
}

TEST_CASE("a run with a wound spring goes on from its state, bit for bit") {
  Disc whole(0.0005), second(0.0005);
  TimeStepper through(whole.system, step_of(2e-3));
  StepperState saved;
  for (int i = 0; i < 400; ++i) {
    (void)through.step();
    if (i == 199) saved = through.state();
  }
  REQUIRE(saved.forces.size() == 1);
  CHECK(saved.forces[0] > 2 * pi);
  TimeStepper later(second.system, step_of(2e-3));
  later.restore(saved);
  for (int i = 200; i < 400; ++i) (void)later.step();
  CHECK(later.state().bodies == through.state().bodies);
  CHECK(later.state().forces == through.state().forces);

  saved.forces.push_back(0);
  CHECK_THROWS_WITH_AS(later.restore(saved), "state: forces: expected 1 numbers, found 2", std::invalid_argument);
}

TEST_CASE("torsion springs refuse what has no meaning") {
  const Axis z{Vector3d::Zero(), Vector3d::UnitZ(), BodyId{0}};
  CHECK_THROWS_WITH_AS(TorsionSpring(Axis{}, z, {-1, 0, 0}), "stiffness: expected >= 0, found -1",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(TorsionSpring(Axis{}, z, {1, NAN, 0}), "damping: expected a finite number, found nan",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(TorsionSpring(Axis{}, z, {1, 0, INFINITY}), "rest angle: expected a finite number, found inf",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(TorsionSpring(Axis{}, z, {0, 0, 0}), "stiffness and damping: expected one above 0, found both 0",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(TorsionSpring(distance({}, {{1, 0, 0}, BodyId{0}}), {1, 0, 0}),
                       "coordinate: expected an angle, found a length", std::invalid_argument);
  TorsionSpring spring(Axis{}, z, {1, 0, 0});
  CHECK_THROWS_WITH_AS(spring.set_memory(std::vector<double>{1, 2}),
                       "torsion spring: memory: expected 1 numbers, found 2", std::invalid_argument);
}

TEST_CASE("a force on a length: spring, damper and effort against their closed forms") {
  // A mass on a slide: m ẍ = −k (x − x₀) − c ẋ + e, from rest at its start x = 0.
  const double m = 2, k = 50, c = 3, rest = 0.1, e = 4, h = 1e-3;
  System system;
  system.gravity.setZero();
  const BodyId a = system.emplace<RigidBody>(sphere_mass(1, 1), Vector3d::Zero());
  const double scale = system.bodies()[a].mass() / m;
  const Axis axis{Vector3d::Zero(), Vector3d::UnitX()};
  CoordinateForceProperties properties{k * scale, c * scale, rest, [=](double) { return e * scale; }};
  system.add_force(std::make_unique<CoordinateForce>(axis_displacement(axis, {Vector3d::Zero(), a}), properties));
  TimeStepper stepper(system, {.step = h});
  for (int i = 0; i < 500; ++i) stepper.step();
  const double end = rest + e / k, decay = c / (2 * m), omega = std::sqrt(k / m - decay * decay), t = stepper.time();
  const double x = end * (1 - std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t)));
  // Second order: (ω h)² of the amplitude.
  CHECK(system.bodies()[a].to_space(Vector3d::Zero()).x() == doctest::Approx(x).epsilon(25 * h * h));

  const auto make = [&](double stiffness, double damping) {
    return CoordinateForce(axis_displacement(axis, {Vector3d::Zero(), a}), {stiffness, damping, 0, {}});
  };
  CHECK_THROWS_WITH_AS(make(-1, 0), "stiffness: expected >= 0, found -1", std::invalid_argument);
  CHECK_THROWS_AS(make(0, NAN), std::invalid_argument);
  properties.effort = [](double) { return NAN; };
  system.add_force(std::make_unique<CoordinateForce>(axis_displacement(axis, {Vector3d::Zero(), a}), properties));
  CHECK_THROWS_AS(stepper.step(), std::invalid_argument);
}

TEST_CASE("a force on a coordinate is the gradient of its potential") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    BodySet bodies;
    for (int i = 0; i < 2; ++i) {
      auto all = one_of_each(random);
      for (auto& body : all) {
        if (dynamic_cast<RigidBody*>(body.get()) != nullptr) bodies.add(std::move(body));
      }
    }
    ForceSet forces;
    const SerialChain chain(BodyId{0}, BodyId{1},
                            {{true, random.vector(), {1, 0.2, 0}},
                             {true, random.vector(), {0, 1, 0.2}},
                             {false, random.vector(), {0, 0, 1}},
                             {true, random.vector(), {0.2, 0, 1}}});
    for (std::size_t i = 0; i < 4; ++i) {
      forces.add(
          std::make_unique<CoordinateForce>(serial_coordinate(chain, i),
                                            CoordinateForceProperties{random.between(1, 3), 0, random.normal(), {}}),
          bodies);
    }
    for (const BodyId id : bodies.ids()) bodies[id].advance(0.05);
    CHECK(gradient_error(forces, bodies) <= 1e-8);
  }
}
