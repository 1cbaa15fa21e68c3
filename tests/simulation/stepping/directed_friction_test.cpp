// Friction that differs along and across a direction of the surface, against closed forms: μ_1 along, μ_2 across. With
// g_n the acceleration that presses, a contact sticks while (p_1/μ_1)² + (p_2/μ_2)² ≤ g_n², and slides by maximal
// dissipation: u̇_i = p_i − g_n μ_i² u_i/√(μ_1² u_1² + μ_2² u_2²).

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/particle.hpp>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

constexpr double kAlong = 0.2, kAcross = 0.5, kDirectedStep = 1e-2, kPress = 9.81;
const TimeStepperOptions kDirectedOptions{.step = kDirectedStep, .stop = {.tolerance = 1e-12}, .sleep = false};
const PairMaterial kGrooved{.static_friction = kAlong, .kinetic_friction = kAlong, .cross_friction = kAcross};

// A ball that does not turn, on a floor whose grooves run along (cos φ, sin φ): a point that slides.
struct GroovedPuck : FloorScene {
  double angle;
  BodyId puck;

  explicit GroovedPuck(double phi, const PairMaterial& material = kGrooved) : FloorScene(material), angle(phi) {
    // In coordinates of the shape, out of its surface too: its part in the surface alone counts.
    system.set_friction_direction(ColliderId{0}, 3 * along() + 0.7 * Vector3d::UnitZ());
    puck = system.emplace<Particle>(0.3, Vector3d(0, 0, 0.05));
    system.add_collider({.body = puck, .shape = Sphere{0.05}});
  }
  [[nodiscard]] Vector3d along() const { return {std::cos(angle), std::sin(angle), 0}; }
  [[nodiscard]] Vector3d across() const { return {-std::sin(angle), std::cos(angle), 0}; }
  // What pulls along and across, in accelerations.
  void pull(double p1, double p2) { system.gravity = p1 * along() + p2 * across() - kPress * Vector3d::UnitZ(); }
  [[nodiscard]] Eigen::Vector2d speed() const {
    const Vector3d u = system.bodies()[puck].velocity();
    return {u.dot(along()), u.dot(across())};
  }
  void run(int steps) {
    TimeStepper stepper(system, kDirectedOptions);
    for (int i = 0; i < steps; ++i) REQUIRE(stepper.step().status == SolveStatus::converged);
  }
};

// In-plane angle of a box that lies flat.
Orientation yaw(double angle) {
  return Orientation(Eigen::AngleAxisd(angle, Vector3d::UnitZ()));
}

std::string fault_of_step(TimeStepper& stepper) {
  try {
    (void)stepper.step();
  } catch (const std::invalid_argument& fault) {
    return fault.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("directed friction: along and across the grooves a puck holds to its angle and slides down beyond") {
  for (const double phi : {0.0, 0.4, 2.1}) {
    for (const bool across : {false, true}) {
      const double mu = across ? kAcross : kAlong;
      for (const double share : {0.999, 1.001, 1.5}) {
        CAPTURE(phi);
        CAPTURE(across);
        CAPTURE(share);
        GroovedPuck scene(phi);
        const double p = share * mu * kPress;
        scene.pull(across ? 0 : p, across ? p : 0);
        scene.run(50);
        const Eigen::Vector2d u = scene.speed();
        const double expected = std::max(p - mu * kPress, 0.0) * 50 * kDirectedStep;
        CHECK(std::abs(u[across ? 1 : 0] - expected) < 1e-9);
        CHECK(std::abs(u[across ? 0 : 1]) < 1e-9);
      }
    }
  }
}

TEST_CASE("directed friction: an oblique pull holds within the ellipse of the two coefficients") {
  for (const double beta : {0.3, 0.8, 1.3}) {
    const double most = kPress / std::hypot(std::cos(beta) / kAlong, std::sin(beta) / kAcross);
    for (const double share : {0.999, 1.01}) {
      CAPTURE(beta);
      CAPTURE(share);
      GroovedPuck scene(0.7);
      scene.pull(share * most * std::cos(beta), share * most * std::sin(beta));
      scene.run(50);
      CHECK((scene.speed().norm() > 1e-4) == (share > 1));
      if (share < 1) CHECK(scene.speed().norm() < 1e-9);
    }
  }
}

TEST_CASE("directed friction: under an oblique pull it slides where maximal dissipation has it") {
  // u = A t e solves the equation for p_i = A e_i + g_n μ_i² e_i/√(μ_1² e_1² + μ_2² e_2²), and so does each step of it.
  constexpr double kRate = 1.5;
  for (const double way : {0.2, 0.9, 1.4, -0.6}) {
    CAPTURE(way);
    const Eigen::Vector2d e(std::cos(way), std::sin(way)), mu(kAlong, kAcross);
    const Eigen::Vector2d p = kRate * e + kPress * mu.cwiseProduct(mu).cwiseProduct(e) / mu.cwiseProduct(e).norm();
    GroovedPuck scene(1.1);
    scene.pull(p[0], p[1]);
    scene.run(80);
    CHECK((scene.speed() - kRate * 80 * kDirectedStep * e).norm() < 1e-9);
    // It leaves the line of the pull: the direction of the pull itself is wrong by far.
    CHECK(std::abs(p[0] * e[1] - p[1] * e[0]) / p.norm() > 0.05);
  }
}

TEST_CASE("directed friction: slipping takes both coefficients down in the same ratio") {
  GroovedPuck scene(0.3, {.static_friction = 0.4, .kinetic_friction = 0.2, .cross_friction = 0.6});
  scene.pull(0, 0.5 * kPress);  // below μ_s across, above μ_k = 0.3 across
  scene.run(20);
  CHECK(scene.speed().norm() < 1e-9);
  scene.pull(0, 0.61 * kPress);
  scene.run(21);  // static friction holds in the first step
  CHECK(scene.speed()[1] == doctest::Approx(kPress * kDirectedStep * (0.01 + 20 * 0.31)).epsilon(1e-8));
}

TEST_CASE("directed friction: a direction of the body turns with it, and that of the floor counts before it") {
  for (const double turn : {0.0, 0.5, 1.2}) {
    for (const bool floor_too : {false, true}) {
      CAPTURE(turn);
      CAPTURE(floor_too);
      FloorScene scene(kGrooved);
      const BodyId box = add_solid(scene.system, Box{{0.4, 0.4, 0.1}}, {0, 0, 0.05}, yaw(turn));
      scene.system.set_friction_direction(ColliderId{1}, {1, 0, 0});
      const Vector3d own = yaw(turn) * Vector3d::UnitX();
      // Across its own direction, which is along that of the floor where it has one.
      const Vector3d pull = Vector3d::UnitZ().cross(own);
      if (floor_too) scene.system.set_friction_direction(ColliderId{0}, pull);
      scene.system.gravity = 0.35 * kPress * pull - kPress * Vector3d::UnitZ();
      TimeStepper stepper(scene.system, kDirectedOptions);
      for (int i = 0; i < 40; ++i) REQUIRE(stepper.step().status == SolveStatus::converged);
      const double expected = floor_too ? (0.35 - kAlong) * kPress * 40 * kDirectedStep : 0;
      CHECK((scene.system.bodies()[box].velocity().tail<3>() - expected * pull).norm() < 1e-8);
      for (const ActiveContact& contact : stepper.contacts()) {
        CHECK(std::abs(contact.point.frame.col(0).dot(floor_too ? pull : own)) == doctest::Approx(1).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("directed friction: the tangents of a spinning box follow its direction, step by step") {
  FloorScene scene(kGrooved);
  const BodyId box = add_solid(scene.system, Box{{0.4, 0.4, 0.1}}, {0, 0, 0.05});
  scene.system.set_friction_direction(ColliderId{1}, {1, 0, 0});
  set_velocity(scene.system, box, {0, 0, 9}, {0.5, 0.2, 0});
  TimeStepper stepper(scene.system, {.step = 2e-3, .stop = {.tolerance = 1e-10}});
  double turned = 0;
  for (int i = 0; i < 150; ++i) {
    // The frame is that of q*, half a step on.
    const double spin = scene.system.bodies()[box].velocity()[2];
    const Vector3d x =
        scene.system.bodies()[box].to_space(Vector3d::UnitX()) - scene.system.bodies()[box].to_space(Vector3d::Zero());
    const Vector3d half = yaw(1e-3 * spin) * x;
    REQUIRE(!stepper.step().failed());
    turned += 2e-3 * spin;
    for (const ActiveContact& contact : stepper.contacts()) {
      const double error = std::sqrt(std::max(0.0, 1 - std::pow(contact.point.frame.col(0).dot(half), 2)));
      CHECK(error < 1e-6);
    }
  }
  CHECK(turned > 1);
}

TEST_CASE("directed friction: where the direction passes through the normal the tangents do not jump") {
  // A ball that rolls along x, and its direction in the plane of rolling: it points down once a half-turn.
  for (const double aside : {0.0, 0.02}) {
    CAPTURE(aside);
    FloorScene scene(kGrooved);
    const BodyId ball = add_solid(scene.system, Sphere{0.1}, {0, 0, 0.1});
    scene.system.set_friction_direction(ColliderId{1}, {0, aside, 1});
    set_velocity(scene.system, ball, {0, 10, 0}, {1, 0, 0});
    TimeStepper stepper(scene.system, {.step = 1e-3, .stop = {.tolerance = 1e-12}});
    Vector3d before = Vector3d::Zero();
    double jump = 0;
    for (int i = 0; i < 700; ++i) {
      REQUIRE(!stepper.step().failed());
      REQUIRE(stepper.contacts().size() == 1);
      const Vector3d t1 = stepper.contacts()[0].point.frame.col(0);
      if (i > 0) jump = std::max(jump, (t1 - before).norm());
      before = t1;
    }
    // Straight through: never. Past it at an angle of 0.02, the part in the surface turns by 0.01 rad/0.02 a step.
    CHECK(jump < (aside == 0 ? 1e-9 : 0.6));
    CHECK(scene.system.bodies()[ball].velocity()[3] == doctest::Approx(1).epsilon(1e-8));
  }
}

TEST_CASE("directed friction: a contact of two shapes without a direction is refused in one line, and nothing moves") {
  FloorScene scene(kGrooved);
  const BodyId box = add_solid(scene.system, Box{{0.4, 0.4, 0.1}}, {0, 0, 0.05});
  TimeStepper stepper(scene.system, kDirectedOptions);
  const StepperState before = stepper.state();
  CHECK(fault_of_step(stepper) ==
        "contact of \"floor\" and body 1: expected a friction_direction of one of the two shapes, whose cross friction "
        "0.5 is not the friction 0.2, found none");
  CHECK(stepper.state().bodies == before.bodies);
  // With the same friction on both sides there is nothing to direct.
  scene.system.materials.set_pair(SurfaceId{0}, SurfaceId{0},
                                  {.static_friction = 0.3, .kinetic_friction = 0.3, .cross_friction = 0.3});
  CHECK(!stepper.step().failed());
  CHECK(scene.system.bodies()[box].velocity().norm() < 1e-9);
  CHECK_THROWS_AS(scene.system.set_friction_direction(ColliderId{9}, Vector3d::UnitX()), std::out_of_range);
  CHECK_THROWS_AS(scene.system.set_friction_direction(ColliderId{0}, Vector3d::Constant(std::nan(""))),
                  std::invalid_argument);
  CHECK_THROWS_WITH_AS(validate(PairMaterial{.cross_friction = -1}), doctest::Contains("cross friction: expected"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(validate(PairMaterial{.cross_friction = 1, .rolling = 1}),
                       doctest::Contains("cross friction: expected none beside rolling"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(validate(PairMaterial{.cross_friction = 1, .stiffness = 1}),
                       doctest::Contains("stiffness: expected none beside"), std::invalid_argument);
}

TEST_CASE(
    "directed friction: a modifier may direct it, and what is carried into turned tangents is the reaction in space") {
  FloorScene scene(rough(0.4));
  const BodyId box = add_solid(scene.system, Box{{0.4, 0.4, 0.1}}, {0, 0, 0.05});
  scene.system.gravity = {1, 0.5, -kPress};
  double angle = 0;
  scene.system.set_contact_modifier([&](ContactToSolve& contact) {
    CHECK(contact.friction_direction == Vector3d::Zero());
    contact.material.cross_friction = 0.6;
    contact.friction_direction = {std::cos(angle), std::sin(angle), 0};
  });
  TimeStepper stepper(scene.system, {.step = kDirectedStep, .stop = {.tolerance = 1e-10}});
  int solved = 0;
  for (int i = 0; i < 60; ++i, angle += 0.2) {
    const StepReport report = stepper.step();
    REQUIRE(report.status == SolveStatus::converged);
    solved += report.iterations > 0;
    Vector3d force = Vector3d::Zero();
    for (const ActiveContact& contact : stepper.contacts()) force += contact.point.frame * contact.reaction;
    CHECK((force + scene.system.bodies()[box].mass() * scene.system.gravity).norm() < 1e-6);
  }
  // In the turned tangents the reactions of the step before hold it: a warm start that needs no iteration but at first.
  CHECK(solved < 20);
  CHECK(scene.system.bodies()[box].velocity().norm() < 1e-8);
  scene.system.set_contact_modifier([](ContactToSolve& contact) { contact.friction_direction[0] = HUGE_VAL; });
  CHECK(fault_of_step(stepper) ==
        "contact modifier: bodies 0 and 1: friction_direction: expected finite numbers, found others");
}

TEST_CASE("directed friction: a run goes on from its state bit for bit, on any number of threads") {
  const auto thrown = [] {
    auto scene = std::make_unique<FloorScene>(
        PairMaterial{.static_friction = 0.5, .kinetic_friction = 0.3, .cross_friction = 0.2});
    for (int k = 0; k < 4; ++k) {
      const BodyId box = add_solid(scene->system, Box{{0.2, 0.15, 0.1}}, {0.3 * k, 0.05 * k, 0.05 + 0.02 * k}, yaw(k));
      scene->system.set_friction_direction(ColliderId{static_cast<std::uint32_t>(k + 1)}, {1, 0.2, 0.1});
      set_velocity(scene->system, box, {1, 2, 5}, {1, -0.4, 0});
    }
    return scene;
  };
  const auto first = thrown();
  TimeStepper stepper(first->system, {.step = 5e-3});
  for (int i = 0; i < 40; ++i) (void)stepper.step();
  const StepperState saved = stepper.state();
  for (int i = 0; i < 60; ++i) (void)stepper.step();
  for (const int threads : {1, 2}) {
    const auto fresh = thrown();
    TimeStepper again(fresh->system, {.step = 5e-3, .stop = {.threads = threads}});
    again.restore(saved);
    for (int i = 0; i < 60; ++i) (void)again.step();
    check_same(again.state(), stepper.state());
  }
}

TEST_CASE("a material that is changed between steps holds for contacts that have not moved, too") {
  for (const bool sleeps : {false, true}) {
    CAPTURE(sleeps);
    FloorScene scene(rough(0.5));
    const BodyId box = add_solid(scene.system, Box{{0.4, 0.4, 0.1}}, {0, 0, 0.05});
    TimeStepper stepper(scene.system, {.step = kDirectedStep, .stop = {.tolerance = 1e-12}, .sleep = sleeps});
    for (int i = 0; i < 60; ++i) (void)stepper.step();
    scene.system.materials.set_pair(SurfaceId{0}, SurfaceId{0}, rough(0.25));
    (void)stepper.step();
    REQUIRE(stepper.contacts().size() == 4);
    for (const ActiveContact& contact : stepper.contacts()) CHECK(contact.point.material.friction == 0.25);
    CHECK(scene.system.bodies()[box].velocity().norm() < 1e-9);
  }
}
