// Derivatives of one step against central differences of it, by q and u of each body, reactions where they are unique.

#include "differences.hpp"

using namespace locdyn;
using namespace locdyn::trial;

namespace {

SurfaceId surface(World& world, double friction, double restitution = 0) {
  return world.system.materials.add_surface(
      "s" + std::to_string(world.system.materials.size()),
      {.static_friction = friction, .kinetic_friction = friction, .restitution = restitution});
}

BodyId ground(World& world, SurfaceId of, const Orientation& tilt = Orientation::Identity()) {
  const BodyId id = world.system.emplace<Obstacle>();
  world.system.add_collider({.body = id, .shape = Plane{}, .orientation = tilt, .surface = of});
  return id;
}

BodyId ball(World& world, SurfaceId of, double radius, const Eigen::Vector3d& at) {
  MassProperties mass = sphere_mass(1000, radius);
  mass.inertia(0, 0) *= 1.3;  // an uneven one turns in earnest
  const BodyId id = world.system.emplace<RigidBody>(mass, at);
  world.system.add_collider({.body = id, .shape = Sphere{radius}, .surface = of});
  return id;
}

BodyId box(World& world, SurfaceId of, const Eigen::Vector3d& size, const Eigen::Vector3d& at,
           const Eigen::Vector3d& turned = Eigen::Vector3d::Zero()) {
  const BodyId id = world.system.emplace<RigidBody>(box_mass(700, size), at, exponential(turned));
  world.system.add_collider({.body = id, .shape = Box{size}, .surface = of});
  return id;
}

void set_velocity(World& world, BodyId id, std::initializer_list<double> u) {
  world.system.bodies()[id].set_velocity(
      Eigen::Map<const Eigen::VectorXd>(u.begin(), static_cast<Eigen::Index>(u.size())));
}

}  // namespace

TEST_CASE("derivatives of a step: free flight of an uneven body that turns") {
  World world;
  const BodyId id = box(world, {}, {0.1, 0.3, 0.5}, {0, 0, 1}, {0.3, 0.2, 0.1});
  set_velocity(world, id, {3, 20, -7, 1, 2, 3});
  world.start();
  world.stepper->step();
  check_state(world);
}

TEST_CASE("derivatives of a step: a ball on a plane slides, rolls, is about to touch, bounces") {
  World world;
  const double friction = 0.3;
  double height = 0.0995, fall = 0, restitution = 0;
  Eigen::Vector2d along(1, 0.5);
  SUBCASE("slides") {}
  SUBCASE("rolls") {
    along.setZero();
  }
  SUBCASE("is about to touch") {
    height = 0.103;
    fall = -1;
  }
  SUBCASE("bounces") {
    fall = -1;
    restitution = 0.6;
  }
  const SurfaceId of = surface(world, friction, restitution);
  ground(world, of, exponential({0.1, -0.05, 0.02}));
  const BodyId id = ball(world, of, 0.1, {0, 0, height});
  set_velocity(world, id, {0.2, 0.3, 0.1, along[0], along[1], fall});
  world.start();
  check_state(world);
  if (restitution > 0) return;
  world.stepper->step();
  check_state(world);
}

TEST_CASE("derivatives of a step: balls on balls, which roll on each other and carry their frames on") {
  World world;
  const SurfaceId of = surface(world, 0.8);
  ground(world, of);
  const BodyId low = ball(world, of, 0.1, {0, 0, 0.0995});
  const BodyId high = ball(world, of, 0.07, {0.03, 0.02, 0.2645});
  set_velocity(world, low, {0.5, 0.2, 0.3, 0.02, -0.05, 0});
  set_velocity(world, high, {-0.5, 0.4, 0.2, 0.02, 0.03, 0});
  world.start();
  for (int k = 0; k < 3; ++k) {
    check_state(world);
    world.stepper->step();
  }
}

TEST_CASE("derivatives of a step: corners, edges and faces of boxes") {
  World world;
  const SurfaceId of = surface(world, 0.4);
  SUBCASE("a corner on a plane") {
    ground(world, of);
    const BodyId id = box(world, of, {0.2, 0.2, 0.2}, {0, 0, 0.17}, {0.6, 0.7, 0.1});
    set_velocity(world, id, {0.5, 0.2, 0.3, 0.2, -0.5, -0.1});
  }
  SUBCASE("a corner on the face of a box that moves, which is the master") {
    box(world, of, {0.5, 0.6, 0.2}, {0, 0, 0}, {0.05, 0.03, 0.1});
    const BodyId id = box(world, of, {0.2, 0.2, 0.2}, {0.02, 0.03, 0.26}, {0.6, 0.7, 0.1});
    set_velocity(world, id, {0.5, 0.2, 0.3, 0.2, -0.5, -1});
  }
  SUBCASE("the same, which is the slave") {
    const BodyId id = box(world, of, {0.2, 0.2, 0.2}, {0.02, 0.03, 0.26}, {0.6, 0.7, 0.1});
    box(world, of, {0.5, 0.6, 0.2}, {0, 0, 0}, {0.05, 0.03, 0.1});
    set_velocity(world, id, {0.5, 0.2, 0.3, 0.2, -0.5, -1});
  }
  SUBCASE("two edges that cross") {
    box(world, of, {0.6, 0.2, 0.2}, {0, 0, 0}, {0.7853, 0.02, 0});
    const BodyId id = box(world, of, {0.2, 0.6, 0.2}, {0.02, 0.03, 0.28}, {0.03, 0.7853, 0.01});
    set_velocity(world, id, {0.5, 0.2, 0.3, 0.2, -0.5, -1});
  }
  SUBCASE("a ball on a face, on an edge and on a corner") {
    box(world, of, {0.5, 0.6, 0.2}, {0, 0, 0}, {0.05, 0.03, 0.1});
    const BodyId face = ball(world, of, 0.05, {0.1, 0.1, 0.152});
    const BodyId edge = ball(world, of, 0.05, {-0.28, 0.1, 0.14});
    const BodyId corner = ball(world, of, 0.05, {0.27, -0.29, 0.115});
    set_velocity(world, face, {0.5, 0.2, 0.3, 0.2, -0.5, -1});
    set_velocity(world, edge, {0.5, 0.2, 0.3, 0.9, -0.1, -1});
    set_velocity(world, corner, {0.5, 0.2, 0.3, -0.5, 0.5, -1});
  }
  world.start();
  REQUIRE(world.stepper->state().contacts.empty());
  check_state(world);
  CHECK(world.stepper->step().contacts > 0);
  check_state(world);
}

// A box on its face: 12 rows, 6 freedoms. It slides along without turning, or a steeper friction holds it.
TEST_CASE("derivatives of a step: more rows than freedoms, whose velocities alone have derivatives") {
  World world;
  double friction = 0.2;
  SUBCASE("slides") {}
  SUBCASE("sticks") {
    friction = 0.9;
  }
  const SurfaceId of = surface(world, friction);
  ground(world, of);
  world.system.gravity = {3, 1, -9};
  const BodyId id = box(world, of, {0.3, 0.2, 0.1}, {0, 0, 0.0495});
  if (friction < 0.5) set_velocity(world, id, {0, 0, 0, 0.8, -0.5, 0});
  TimeStepperOptions options = World::options();
  options.stop.tolerance = 1e-12;
  world.start(options);
  world.stepper->step();
  check_state(world, Reactions::left_out);
}

// A stack whose contacts all stick and hold every body: reactions alone answer, by two solves (four with the weight
// that everything else takes). A ball beside it, which may roll, is not held.
TEST_CASE("derivatives of a step: contacts that hold every body take two solves") {
  World world;
  const SurfaceId of = surface(world, 0.9);
  ground(world, of);
  bool rolls = false;
  SUBCASE("a stack") {}
  SUBCASE("a stack and a ball") {
    rolls = true;
  }
  for (int k = 0; k < 4; ++k) box(world, of, {0.3, 0.2, 0.1}, {0.02 * k, 0, 0.0499 + 0.0998 * k});
  if (rolls) ball(world, of, 0.1, {1, 0, 0.0995});
  world.system.gravity = {0.6, 0.3, -9};
  TimeStepperOptions options = World::options();
  options.stop.tolerance = 1e-12;
  world.start(options);
  world.stepper->step();
  const DifferentiatedStep step(world.system, *world.stepper);
  StepResponse by = step.no_response();
  by.state.u.setLinSpaced(1, 2);
  by.state.q.setLinSpaced(3, -2);
  const StepInput back = step.adjoint(by);
  CHECK((step.most_solves() <= 2) == !rolls);
  // ⟨by, J change⟩ = ⟨Jᵀ by, change⟩, J change by the solves of everything else.
  StepInput change = step.no_input();
  change.state.q.setLinSpaced(-1, 2);
  change.state.u.setLinSpaced(2, -1);
  change.parameters.force.setLinSpaced(-2, 1);
  const StepResponse ahead = step.tangent(change);
  const double found = back.state.q.dot(change.state.q) + back.state.u.dot(change.state.u) +
                       back.parameters.force.dot(change.parameters.force),
               expected = by.state.u.dot(ahead.state.u) + by.state.q.dot(ahead.state.q);
  CHECK(std::abs(expected) > 1);
  CHECK(found == doctest::Approx(expected).epsilon(1e-9));
}

// The factor, and what a solve leaves behind for the next one, show in no bit.
TEST_CASE("derivatives of a step: asked again, after others, and of a factor made anew, they are the same bits") {
  World world;
  const SurfaceId of = surface(world, 0.5);
  ground(world, of);
  for (int k = 0; k < 3; ++k) box(world, of, {0.3, 0.2, 0.1}, {0.02 * k, 0, 0.0499 + 0.0998 * k});
  const BodyId slider = ball(world, of, 0.1, {1, 0, 0.0995});
  set_velocity(world, slider, {0.2, 0.3, 0.1, 1, 0.5, 0});
  TimeStepperOptions options = World::options();
  options.stop.tolerance = 1e-10;
  world.start(options);
  world.stepper->step();
  const auto before = world.stepper->state();
  const auto numbers = [](const DifferentiatedStep& step) {
    StepResponse by = step.no_response();
    by.state.u.setLinSpaced(1, 2);
    by.state.q.setLinSpaced(-1, 3);
    const StepInput back = step.adjoint(by);
    Eigen::VectorXd all(back.state.q.size() + back.state.u.size() + back.parameters.mass.size());
    all << back.state.q, back.state.u, back.parameters.mass;
    return all;
  };
  const DifferentiatedStep step(world.system, *world.stepper);
  CHECK(step.report().contacts > 12);
  const Eigen::VectorXd first = numbers(step);
  CHECK(first.norm() > 0.1);
  StepInput change = step.no_input();
  change.state.u.setOnes();
  const StepResponse ahead = step.tangent(change);
  StepResponse other = step.no_response();
  other.state.u[3] = 1;
  (void)step.adjoint(other);
  CHECK(numbers(step) == first);
  CHECK(step.tangent(change).state.u == ahead.state.u);
  // ⟨by, J change⟩ = ⟨Jᵀ by, change⟩.
  CHECK(step.adjoint(other).state.u.sum() == doctest::Approx(ahead.state.u[3]).epsilon(1e-10));

  world.stepper->restore(before);
  const DifferentiatedStep again(world.system, *world.stepper);
  CHECK(numbers(again) == first);
}
