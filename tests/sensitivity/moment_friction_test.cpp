// Derivatives of a step with rolling, torsional and elliptic friction: by the state, and by each coefficient of a
// contact, against central differences of steps that are made anew.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <locdyn/ldy/assembly/constraints/contact.hpp>

#include "differences.hpp"

using namespace locdyn;
using namespace locdyn::trial;

namespace {

constexpr double kRadius = 0.1;

struct Coefficients {
  double friction = 0.3, cross = 0.3, rolling = 0, torsional = 0;
};

BodyId uneven_ball(World& world, const std::vector<double>& u) {
  MassProperties mass = sphere_mass(1000, kRadius);
  mass.inertia(0, 0) *= 1.3;
  const BodyId id = world.system.emplace<RigidBody>(mass, Eigen::Vector3d(0, 0, kRadius - 5e-4));
  world.system.bodies()[id].set_velocity(
      Eigen::Map<const Eigen::VectorXd>(u.data(), static_cast<Eigen::Index>(u.size())));
  return id;
}

// On a plane that it is found to touch.
void on_plane(World& world, const Coefficients& with, const std::vector<double>& u) {
  const SurfaceId of = world.system.materials.add_surface("s", {.static_friction = with.friction,
                                                                .kinetic_friction = with.friction,
                                                                .rolling = with.rolling,
                                                                .torsional = with.torsional});
  const BodyId ground = world.system.emplace<Obstacle>();
  world.system.add_collider({.body = ground, .shape = Plane{}, .surface = of});
  const BodyId id = uneven_ball(world, u);
  world.system.add_collider({.body = id, .shape = Sphere{kRadius}, .surface = of});
  world.start();
}

// At a point that its owner gives, with friction that differs along t1 and t2; in the plane (t1, n) or in space.
void at_point(World& world, const Coefficients& with, ContactRows rows, const std::vector<double>& u) {
  const BodyId ground = world.system.emplace<Obstacle>();
  const BodyId id = uneven_ball(world, u);
  world.system.add_constraint(std::make_unique<Contact>(
      ContactPoint{.master = ground,
                   .slave = id,
                   .point = Eigen::Vector3d(0.01, 0.02, 0),
                   .frame = exponential_matrix({0.02, 0.03, 0.4}),
                   .material = {.friction = with.friction,
                                .cross_friction =
                                    with.cross == with.friction ? std::nullopt : std::optional<double>(with.cross)}},
      rows));
  world.start();
}

using Make = std::function<void(World&, const Coefficients&)>;

// What the step makes of q and u by one coefficient, against a tangent; and the adjoint of the same.
void check_by(const Make& make, const Coefficients& with, double Coefficients::*which, double ContactVariation::*field,
              bool counts) {
  const double way = 1e-6;
  World ends[2];
  for (int side = 0; side < 2; ++side) {
    Coefficients changed = with;
    changed.*which += side == 0 ? -way : way;
    make(ends[side], changed);
    REQUIRE(ends[side].stepper->step().status == SolveStatus::converged);
  }
  const Eigen::VectorXd expected =
      between(ends[0].system, place_of(ends[0].system), place_of(ends[1].system)) / (2 * way);

  World world;
  make(world, with);
  const DifferentiatedStep step(world.system, *world.stepper);
  for (const NotStrict& edge : step.not_strict()) FAIL_CHECK(edge.edge);
  StepInput input = step.no_input();
  REQUIRE(input.contacts.size() == 1);
  input.contacts[0].*field = 1;
  const StepResponse found = step.tangent(input);
  Eigen::VectorXd state(expected.size());
  state << found.state.q, found.state.u;
  CHECK((expected.norm() > 1e-3) == counts);
  CHECK(worst_share(state, expected) < 1e-6);

  StepResponse by = step.no_response();
  by.state.q.setLinSpaced(1, -2);
  by.state.u.setLinSpaced(-1, 3);
  CHECK(step.adjoint(by).contacts[0].*field ==
        doctest::Approx(by.state.q.dot(found.state.q) + by.state.u.dot(found.state.u)).epsilon(1e-9));
}

}  // namespace

TEST_CASE("derivatives of a step: rolling and torsional friction, of what slides, rolls, spins or is held") {
  Coefficients with{.friction = 0.3, .rolling = 0.01, .torsional = 0.005};
  std::vector<double> u;
  bool slides = true, moves = true;  // what the force's disc and the moments' discs do
  SUBCASE("it slides, rolls and spins") {
    u = {1, 2, 3, 1.5, 0.5, 0};
  }
  SUBCASE("it slides and spins the other way") {
    u = {-2, 1, -3, 0.5, 1, 0};
  }
  SUBCASE("it rolls without sliding, and spins") {
    with.friction = 0.9;
    slides = false;
    u = {-2, 10, 3, 1, 0.2, 0};  // ω × r of the lowest point takes v away
  }
  SUBCASE("it slides, and its moments hold it") {
    with.rolling = with.torsional = 0.2;
    moves = false;
    u = {0.02, 0.01, 0.03, 1.5, 0.5, 0};
  }
  SUBCASE("all hold it") {
    with = {.friction = 0.9, .rolling = 0.1, .torsional = 0.1};
    slides = moves = false;
    u = {0.01, 0.02, 0.01, 0.002, 0.001, 0};
  }
  SUBCASE("rolling friction alone") {
    with.torsional = 0;
    u = {1, 2, 3, 1.5, 0.5, 0};
  }
  SUBCASE("torsional friction alone") {
    with.rolling = 0;
    u = {1, 2, 3, 1.5, 0.5, 0};
  }
  const Make make = [&](World& world, const Coefficients& c) { on_plane(world, c, u); };
  {
    World world;
    make(world, with);
    // Where spin changes no reaction, what is compared with 1e-3 N s/m is the rounding of 41 N over 2e-5 m/s.
    check_state(world, Reactions::compared, 1e-5);
  }
  check_by(make, with, &Coefficients::friction, &ContactVariation::friction, slides);
  if (with.rolling > 0) check_by(make, with, &Coefficients::rolling, &ContactVariation::rolling, moves);
  if (with.torsional > 0) check_by(make, with, &Coefficients::torsional, &ContactVariation::torsional, moves);
}

TEST_CASE("derivatives of a step: elliptic friction, of what slides or is held") {
  Coefficients with{.friction = 0.5, .cross = 0.2};
  std::vector<double> u;
  bool slides = true;
  SUBCASE("it slides across") {
    u = {1, 2, 3, 1.5, 0.7, -0.2};
  }
  SUBCASE("it slides nearly along t1") {
    u = {0, 0, 0, 1, 0.5, -0.2};
  }
  SUBCASE("it is held") {
    with = {.friction = 0.9, .cross = 0.7};
    slides = false;
    u = {0, 0, 0, 0.01, 0.02, -0.2};
  }
  const Make make = [&](World& world, const Coefficients& c) { at_point(world, c, ContactRows::space, u); };
  {
    World world;
    make(world, with);
    check_state(world);
  }
  check_by(make, with, &Coefficients::friction, &ContactVariation::friction, slides);
  check_by(make, with, &Coefficients::cross, &ContactVariation::cross_friction, slides);
}

TEST_CASE("derivatives of a step: a contact with rows in the plane of t1 and n alone") {
  const Make make = [](World& world, const Coefficients& c) {
    at_point(world, c, ContactRows::plane, {1, 2, 3, 1.5, 0.7, -0.2});
  };
  {
    World world;
    make(world, {});
    check_state(world);
  }
  // `cross` stays what `friction` is, which is the law's only coefficient.
  const Make alike = [&](World& world, Coefficients c) {
    c.cross = c.friction;
    make(world, c);
  };
  check_by(alike, {}, &Coefficients::friction, &ContactVariation::friction, true);
}
