// What derivatives refuse, and what they list.

#include <limits>
#include <string>

#include <locdyn/bodies/pseudo_rigid_body.hpp>

#include "differences.hpp"

using namespace locdyn;
using namespace locdyn::trial;

namespace {

template <class Error, class Work>
std::string message(const Work& work) {
  try {
    work();
  } catch (const Error& fault) {
    return fault.what();
  }
  return "nothing";
}

BodyId ball_on_plane(World& world, double height, double friction = 0.3) {
  const SurfaceId of =
      world.system.materials.add_surface("s", {.static_friction = friction, .kinetic_friction = friction});
  const BodyId ground = world.system.emplace<Obstacle>();
  world.system.add_collider({.body = ground, .shape = Plane{}, .surface = of});
  const BodyId id = world.system.emplace<RigidBody>(sphere_mass(1000, 0.1), Eigen::Vector3d(0, 0, height));
  world.system.add_collider({.body = id, .shape = Sphere{0.1}, .surface = of});
  return id;
}

std::string refused(const TimeStepperOptions& options) {
  World world;
  ball_on_plane(world, 0.0985);
  world.start(options);
  return message<std::invalid_argument>([&] { DifferentiatedStep step(world.system, *world.stepper); });
}

}  // namespace

TEST_CASE("derivatives: options and numbers that have no meaning are refused in one line") {
  TimeStepperOptions options = World::options();
  options.sleep = true;
  CHECK(refused(options) == "derivatives: sleep: expected off, since what sleeps has no derivatives, found on");
  options = World::options();
  options.solver = "pyramid-pgs";
  CHECK(refused(options) == "derivatives: solver: expected one of round cones, found pyramid-pgs");

  World world;
  ball_on_plane(world, 0.0985);
  world.start();
  const auto with_margin = [&](double margin) {
    return message<std::invalid_argument>(
        [&] { DifferentiatedStep(world.system, *world.stepper, {.margin = margin}); });
  };
  CHECK(with_margin(0) == "derivatives: margin: expected a number between 0 and 1, found 0");
  CHECK(with_margin(std::numeric_limits<double>::quiet_NaN()) != "nothing");
  CHECK(world.stepper->steps() == 0);

  const DifferentiatedStep step(world.system, *world.stepper);
  StepInput input = step.no_input();
  input.state.q = Eigen::VectorXd::Zero(5);
  CHECK(message<std::invalid_argument>([&] { (void)step.tangent(input); }) == "q: expected 6 x 1 numbers, found 5 x 1");
  input = step.no_input();
  input.parameters.mass[1] = std::numeric_limits<double>::quiet_NaN();
  CHECK(message<std::invalid_argument>([&] { (void)step.tangent(input); }) ==
        "mass: expected finite numbers, found one that is not");
  input = step.no_input();
  input.contacts.resize(3);
  CHECK(message<std::invalid_argument>([&] { (void)step.tangent(input); }) == "contacts: expected none or 1, found 3");
  input = step.no_input();
  input.contacts[0].gap = std::numeric_limits<double>::infinity();
  CHECK(message<std::invalid_argument>([&] { (void)step.tangent(input); }) ==
        "contacts: expected finite numbers, found one that is not");
  StepResponse response = step.no_response();
  response.reaction.resize(3, 9);
  CHECK(message<std::invalid_argument>([&] { (void)step.adjoint(response); }) ==
        "reaction: expected 3 x 1 numbers, found 3 x 9");
  response = step.no_response();
  response.velocity(0, 0) = std::numeric_limits<double>::quiet_NaN();
  CHECK(message<std::invalid_argument>([&] { (void)step.adjoint(response); }) ==
        "velocity: expected finite numbers, found one that is not");
  CHECK_THROWS_AS((void)step.row(ConstraintId{77}), std::invalid_argument);
  world.stepper->step();
  CHECK(message<std::logic_error>([&] { (void)step.tangent(step.no_input()); }) ==
        "derivatives: expected the step that they are of to be the last, found another since");
  CHECK_THROWS_AS(Rollout(world.system, *world.stepper, {.checkpoint_every = -1}), std::invalid_argument);
  Rollout rollout(world.system, *world.stepper);
  CHECK_THROWS_AS(rollout.run(-1), std::invalid_argument);
}

TEST_CASE("derivatives: kinds that have none are refused, by body and before the step where that can be seen") {
  World deforms;
  deforms.system.emplace<PseudoRigidBody>(7, 0.01 * Eigen::Matrix3d::Identity(), ElasticMaterial{1e6, 0.3}, 0.01,
                                          Eigen::Vector3d(0, 0, 1));
  deforms.start();
  CHECK(message<std::invalid_argument>([&] { DifferentiatedStep step(deforms.system, *deforms.stepper); }) ==
        "derivatives: body 0: expected a particle, a planar body, a rigid body or an obstacle, found another kind with "
        "12 "
        "velocities");
  CHECK(deforms.stepper->steps() == 0);

  World gives;
  const SurfaceId soft = gives.system.materials.add_surface("soft", {.stiffness = 1e5, .damping = 10});
  const BodyId ground = gives.system.emplace<Obstacle>();
  gives.system.add_collider({.body = ground, .shape = Plane{}, .surface = soft});
  const BodyId id = gives.system.emplace<Particle>(1, Eigen::Vector3d(0, 0, 0.0985));
  gives.system.add_collider({.body = id, .shape = Sphere{0.1}, .surface = soft});
  gives.start();
  CHECK(message<std::invalid_argument>([&] { DifferentiatedStep step(gives.system, *gives.stepper); }) ==
        "derivatives: contact of bodies 0 and 1: expected a hard one, found one with a stiffness");
}

TEST_CASE("derivatives: a step that did not converge is refused") {
  World world;
  const BodyId ground = world.system.emplace<Obstacle>();
  world.system.add_collider({.body = ground, .shape = Plane{}});
  const BodyId id = world.system.emplace<RigidBody>(box_mass(700, {0.3, 0.2, 0.1}), Eigen::Vector3d(0, 0, 0.049),
                                                    exponential({0.01, 0.02, 0.3}));
  world.system.add_collider({.body = id, .shape = Box{{0.3, 0.2, 0.1}}});
  world.system.bodies()[id].set_velocity((Eigen::VectorXd(6) << 1, 2, 3, 1, 2, -1).finished());
  TimeStepperOptions options = World::options();
  options.solver = "nsgs";
  options.stop.tolerance = 1e-300;
  options.stop.max_iterations = 1;
  world.start(options);
  const std::string found = message<std::runtime_error>([&] { DifferentiatedStep step(world.system, *world.stepper); });
  CHECK(found.starts_with("derivatives: expected a step that converges as a whole, found step 1"));
}

TEST_CASE("derivatives: what position correction has moved is refused") {
  World world;
  ball_on_plane(world, 0.095);
  TimeStepperOptions options = World::options();
  options.correction = Correction::projection;
  world.start(options);
  CHECK(message<std::runtime_error>([&] {
          DifferentiatedStep step(world.system, *world.stepper);
        }).starts_with("derivatives: body 1: expected a step without position correction"));
}

TEST_CASE("derivatives: states on an edge are listed by contact") {
  World world;
  SUBCASE("a gap of 0") {
    ball_on_plane(world, 0.1);
    world.start();
    const DifferentiatedStep step(world.system, *world.stepper);
    REQUIRE(step.not_strict().size() == 1);
    CHECK(step.not_strict()[0].edge == "with a gap of 0, neither open nor closed");
    CHECK(step.not_strict()[0].slave == BodyId{1});
  }
  SUBCASE("neither presses nor opens") {
    const BodyId id = ball_on_plane(world, 0.0985);
    world.system.gravity.setZero();
    world.system.bodies()[id].set_velocity((Eigen::VectorXd(6) << 0, 0, 0, 1, 0, 0).finished());
    world.start();
    const DifferentiatedStep step(world.system, *world.stepper);
    REQUIRE(step.not_strict().size() == 1);
    CHECK(step.not_strict()[0].edge == "neither presses nor opens");
  }
  SUBCASE("on the cone's edge without slip") {
    // A particle that a plane holds by friction just so, μ = tan α.
    const BodyId id = ball_on_plane(world, 1, 0.5);
    world.system.remove(id);
    const BodyId particle = world.system.emplace<Particle>(1, Eigen::Vector3d(0, 0, 0.0985));
    world.system.add_collider({.body = particle, .shape = Sphere{0.1}, .surface = SurfaceId{1}});
    world.system.gravity = {0.5, 0, -1};
    world.start();
    const DifferentiatedStep step(world.system, *world.stepper);
    REQUIRE(step.not_strict().size() == 1);
    CHECK(step.not_strict()[0].edge == "on the cone's edge without slip");
  }
}
