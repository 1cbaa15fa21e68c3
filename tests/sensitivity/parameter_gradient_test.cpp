// Derivatives of whole runs by what a system is made of, tangent and adjoint, against central differences of runs that
// are made anew; joints, springs and forces beside contacts.

#include <cmath>
#include <string>

#include <locdyn/forces/point_spring_damper.hpp>
#include <locdyn/ldy/assembly/constraints/rigid_link.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>
#include <locdyn/ldy/assembly/constraints/spring_damper.hpp>

#include "differences.hpp"

using namespace locdyn;
using namespace locdyn::trial;

namespace {

// Numbers that the world below is made of, each changed by itself.
struct Settings {
  double ball_mass = 4, ball_inertia = 0.017, cross_inertia = 0, box_mass = 5;
  double friction = 0.3, restitution = 0.5, radius = 0.1, capsule_length = 0.2, edge = 0.2, offset = 0.01;
  double gravity = -9.81, force = 0, planar_mass = 2, planar_moment = 0.3;
};

// A ball that slides and spins on a tilted plane, a box that bounces on its corner, a capsule that slides with one end,
// a ball in the air that hits another, a body of the plane.
void make(World& world, const Settings& s) {
  System& system = world.system;
  system.gravity = {0, 0, s.gravity};
  const SurfaceId plain = system.materials.add_surface(
      "plain", {.static_friction = s.friction, .kinetic_friction = s.friction, .restitution = 0});
  const SurfaceId lively = system.materials.add_surface(
      "lively", {.static_friction = s.friction, .kinetic_friction = s.friction, .restitution = s.restitution});
  const BodyId ground = system.emplace<Obstacle>();
  system.add_collider(
      {.body = ground, .shape = Plane{}, .orientation = exponential({0.05, -0.02, 0}), .surface = plain});

  MassProperties ball = sphere_mass(1000, 0.1);
  ball.mass = s.ball_mass;
  ball.inertia = Eigen::Vector3d(s.ball_inertia, 0.02, 0.025).asDiagonal();
  ball.inertia(0, 1) = ball.inertia(1, 0) = s.cross_inertia;
  const BodyId slides = system.emplace<RigidBody>(ball, Eigen::Vector3d(0, 0, 0.0985));
  system.add_collider({.body = slides, .shape = Sphere{s.radius}, .surface = plain});
  system.bodies()[slides].set_velocity((Eigen::VectorXd(6) << 1, 2, 0.5, 1.5, 0.5, 0).finished());

  MassProperties box = box_mass(700, {0.2, 0.2, 0.2});
  box.mass = s.box_mass;
  const BodyId bounces = system.emplace<RigidBody>(box, Eigen::Vector3d(2, 0, 0.25), exponential({0.6, 0.7, 0.1}));
  system.add_collider(
      {.body = bounces, .shape = Box{{s.edge, 0.2, 0.2}}, .position = {s.offset, 0, 0}, .surface = lively});
  system.bodies()[bounces].set_velocity((Eigen::VectorXd(6) << 0.2, 0.5, 0.3, 0.5, 0.2, -2).finished());

  const BodyId leans =
      system.emplace<RigidBody>(capsule_mass(900, 0.05, 0.2), Eigen::Vector3d(-2, 0, 0.1), exponential({0.4, 0.5, 0}));
  system.add_collider({.body = leans, .shape = Capsule{0.05, s.capsule_length}, .surface = plain});
  system.bodies()[leans].set_velocity((Eigen::VectorXd(6) << 0.2, 0.5, 0.3, 0.9, 0.2, -0.5).finished());

  const BodyId hits = system.emplace<RigidBody>(ball, Eigen::Vector3d(0.05, 0.06, 0.3));
  system.add_collider({.body = hits, .shape = Sphere{s.radius}, .surface = plain});
  system.bodies()[hits].set_velocity((Eigen::VectorXd(6) << 1, 0, 2, 1, 0.3, -1).finished());

  const BodyId planar = system.emplace<PlanarBody>(s.planar_mass, s.planar_moment, Eigen::Vector2d(0, 9), 0.3);
  system.add_load([planar, slides, force = s.force](double, double, BodySet& bodies) {
    bodies[planar].add_force({1, 2, 0}, {0.3, 9.2, 0});
    bodies[slides].add_torque({0.3, 0.2, 0.1});  // fixed in space
    bodies[slides].add_generalised_force((Eigen::VectorXd(6) << force, 0, 0, 0, force, 0).finished());
  });
  world.start();
}

constexpr int kSteps = 8;

// What every number of the end gives by one of the settings.
Eigen::VectorXd difference(double Settings::*which, double way) {
  Place ends[2];
  World worlds[2];
  for (int side = 0; side < 2; ++side) {
    Settings s;
    s.*which += side == 0 ? -way : way;
    make(worlds[side], s);
    for (int k = 0; k < kSteps; ++k) worlds[side].stepper->step();
    ends[side] = place_of(worlds[side].system);
  }
  return between(worlds[0].system, ends[0], ends[1]) / (2 * way);
}

}  // namespace

TEST_CASE("derivatives of a run: by mass, inertia, friction, restitution, sizes, places, gravity and force") {
  World world;
  make(world, {});
  const ParameterVariation none = no_parameters(world.system);
  struct Kind {
    std::string name;
    double Settings::*which;
    std::function<void(ParameterVariation&)> set;
  };
  const BodyId slides{1}, bounces{2}, hits{4}, planar{5};
  const SurfaceId plain{1}, lively{2};
  const auto inertia = [&](int row, int column) {
    return [=](ParameterVariation& p) {
      for (const BodyId id : {slides, hits}) {
        p.inertia(3 * row + column, id.value()) = 1;
        p.inertia(3 * column + row, id.value()) = 1;
      }
    };
  };
  const std::vector<Kind> kinds = {
      {"mass of the balls", &Settings::ball_mass, [&](auto& p) { p.mass[slides.value()] = p.mass[hits.value()] = 1; }},
      {"mass of the box", &Settings::box_mass, [&](auto& p) { p.mass[bounces.value()] = 1; }},
      {"mass of a planar body", &Settings::planar_mass, [&](auto& p) { p.mass[planar.value()] = 1; }},
      {"moment of a planar body", &Settings::planar_moment, [&](auto& p) { p.inertia(8, planar.value()) = 1; }},
      {"an inertia", &Settings::ball_inertia, inertia(0, 0)},
      {"a product of inertia", &Settings::cross_inertia, inertia(0, 1)},
      {"friction", &Settings::friction,
       [&](auto& p) {
         p.friction[ParameterVariation::pair(plain, plain)] = p.friction[ParameterVariation::pair(plain, lively)] = 1;
       }},
      {"restitution", &Settings::restitution,
       [&](auto& p) { p.restitution[ParameterVariation::pair(lively, plain)] = 1; }},
      {"radius", &Settings::radius, [](auto& p) { p.size(0, 1) = p.size(0, 4) = 1; }},
      {"length of a capsule", &Settings::capsule_length, [](auto& p) { p.size(1, 3) = 1; }},
      {"edge of a box", &Settings::edge, [](auto& p) { p.size(0, 2) = 1; }},
      {"place of a shape in its body", &Settings::offset, [](auto& p) { p.position(0, 2) = 1; }},
      {"gravity", &Settings::gravity, [](auto& p) { p.gravity[2] = 1; }},
      {"force", &Settings::force, [](auto& p) { p.force[0] = p.force[4] = 1; }},
  };

  // One adjoint of a number made of all that the run ends with; a tangent for each kind.
  std::mt19937 random(11);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto n = no_state(world.system).q.size();
  Eigen::VectorXd weights(2 * n);
  for (double& w : weights) w = number(random);
  Rollout rollout(world.system, *world.stepper, {.checkpoint_every = 3});
  rollout.run(kSteps);
  const Place end = place_of(world.system);
  const RolloutGradient gradient = rollout.adjoint([&](long k, StateVariation& by) {
    if (k < kSteps) return;
    CHECK(between(world.system, end, place_of(world.system)).isZero(0));  // the same bits
    by.q += weights.head(n);
    by.u += weights.tail(n);
  });
  CHECK(gradient.steps_not_strict == 0);
  for (const NotStrict& edge : gradient.not_strict) FAIL_CHECK(edge.edge);
  CHECK(between(world.system, end, place_of(world.system)).isZero(0));
  for (const Kind& kind : kinds) {
    CAPTURE(kind.name);
    ParameterVariation p = none;
    kind.set(p);
    Eigen::VectorXd found(2 * n);
    rollout.tangent(kSteps, no_state(world.system), p,
                    [&](long, const StateVariation& change) { found << change.q, change.u; });
    const Eigen::VectorXd expected = difference(kind.which, 1e-6);
    CHECK(expected.norm() > 1e-4);
    CHECK(worst_share(found, expected) < 1e-6);
    CHECK(std::abs(dot(gradient.parameters, p) - weights.dot(found)) < 1e-9 * (1 + std::abs(weights.dot(found))));
  }
}

TEST_CASE("derivatives of a step: joints, links, springs and applied forces beside a contact") {
  World world;
  System& system = world.system;
  const SurfaceId of = system.materials.add_surface("s", {.static_friction = 0.4, .kinetic_friction = 0.4});
  const BodyId ground = system.emplace<Obstacle>();
  system.add_collider({.body = ground, .shape = Plane{}, .surface = of});
  std::vector<BodyId> bars;
  for (int k = 0; k < 3; ++k) {
    bars.push_back(system.emplace<RigidBody>(box_mass(700, {0.3, 0.1, 0.05}), Eigen::Vector3d(0.3 * k, 0.1 * k, 0.5),
                                             exponential({0.1 * k, 0.2, 0.3})));
  }
  const BodyId weight = system.emplace<RigidBody>(sphere_mass(900, 0.1), Eigen::Vector3d(0.9, 0.3, 0.0985));
  system.add_collider({.body = weight, .shape = Sphere{0.1}, .surface = of});
  const BodyId bead = system.emplace<Particle>(0.7, Eigen::Vector3d(0.3, 0.9, 0.4));
  system.add_constraint(
      std::make_unique<Hinge>(Axis{{-0.15, 0, 0.5}, {0, 1, 0.1}}, Axis{{-0.15, 0, 0.5}, {0, 1, 0.1}, bars[0]}));
  system.add_constraint(
      std::make_unique<Hinge>(Axis{{0.15, 0, 0.5}, {0, 1, 0.3}, bars[0]}, Axis{{0.15, 0, 0.5}, {0, 1, 0.3}, bars[1]}));
  system.add_constraint(std::make_unique<Cylindrical>(Axis{{0.45, 0.2, 0.5}, {1, 1, 0.3}, bars[1]},
                                                      Axis{{0.45, 0.2, 0.5}, {1, 1, 0.3}, bars[2]}));
  system.add_constraint(
      std::make_unique<RigidLink>(Anchor{{0.7, 0.2, 0.5}, bars[2]}, Anchor{{0.9, 0.3, 0.15}, weight}));
  system.add_constraint(std::make_unique<SpringDamper>(Anchor{{0.3, 0.1, 0.5}, bars[1]}, Anchor{{0.3, 0.9, 0.4}, bead},
                                                       SpringProperties{.stiffness = 300, .damping = 4}, 0.5));
  system.add_force(std::make_unique<PointSpringDamper>(Anchor{{0.6, 0.1, 0.5}, bars[2]}, Anchor{{0.3, 0.9, 0.4}, bead},
                                                       SpringProperties{.stiffness = 200}, 0.4));
  world.start();
  system.bodies()[weight].set_velocity((Eigen::VectorXd(6) << 0.3, 0.2, 0.1, 0.5, 0.3, -0.2).finished());
  for (int k = 0; k < 3; ++k) world.stepper->step();
  check_state(world);
}
