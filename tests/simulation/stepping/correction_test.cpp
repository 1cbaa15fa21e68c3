// Penetration and closing errors taken back: by projection, by Baumgarte's feedback, or not at all.

#include <cmath>

#include <locdyn/ldy/assembly/constraints/fixed_direction.hpp>
#include <locdyn/ldy/assembly/constraints/rigid_link.hpp>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

constexpr double kDepth = 1e-3;  // [m]
constexpr double kCorrectedStep = 1e-3;

// A cube of edge 1 that lies kDepth too deep in the floor.
struct DeepBox : FloorScene {
  BodyId box = add_solid(system, Box{{1, 1, 1}}, {0, 0, 0.5 - kDepth});

  [[nodiscard]] double depth() const { return 0.5 - system.bodies()[box].configuration()[2]; }
  [[nodiscard]] double climb() const { return system.bodies()[box].velocity()[5]; }
};

TimeStepperOptions correcting(Correction correction) {
  TimeStepperOptions options;
  options.step = kCorrectedStep;
  options.stop.tolerance = 1e-12;
  options.correction = correction;
  return options;
}

}  // namespace

TEST_CASE("projection lifts a box to half the slop, without velocity or kinetic energy, and says what it cost") {
  DeepBox scene;
  const TimeStepperOptions options = correcting(Correction::projection);
  TimeStepper stepper(scene.system, options);
  const double mass = scene.system.bodies()[scene.box].mass();
  const double before = scene.system.bodies().potential_energy(scene.system.gravity);
  const StepReport report = stepper.step();
  CHECK(report.penetration == doctest::Approx(kDepth).epsilon(1e-9));
  // Positions are solved to 1e-3 of the error.
  CHECK(std::abs(scene.depth() - options.slop / 2) < 2e-3 * kDepth);
  CHECK(scene.system.bodies()[scene.box].velocity().norm() < 1e-12);
  CHECK(report.kinetic_energy < 1e-20);
  CHECK(report.correction_energy == doctest::Approx(mass * 9.81 * (kDepth - scene.depth())).epsilon(1e-9));
  CHECK(report.potential_energy - before == doctest::Approx(report.correction_energy).epsilon(1e-6));
  // And that is all: within the slop nothing is taken back.
  for (int i = 0; i < 20; ++i) CHECK(stepper.step().correction_energy == 0);
  CHECK(scene.depth() >= 0);
  CHECK(scene.depth() <= options.slop);
}

TEST_CASE("a pile of boxes that all lie too deep is spread in one step, the ball beside it stays") {
  FloorScene scene;
  std::vector<BodyId> boxes;
  for (int i = 0; i < 3; ++i) {
    boxes.push_back(add_solid(scene.system, Box{{1, 1, 1}}, {0, 0, 0.5 + i - kDepth * (i + 1)}));
  }
  const BodyId ball = add_solid(scene.system, Sphere{0.5}, {5, 0, 0.5});
  const TimeStepperOptions options = correcting(Correction::projection);
  TimeStepper stepper(scene.system, options);
  (void)stepper.step();
  for (int i = 0; i < 3; ++i) {
    const double z = scene.system.bodies()[boxes[static_cast<std::size_t>(i)]].configuration()[2];
    // Each gap is left at half the slop; sweeps end at a change of 1e-3 of all errors together.
    CHECK(std::abs(z - (0.5 + i - options.slop / 2 * (i + 1))) < 1e-2 * kDepth * (i + 1));
  }
  CHECK(std::abs(scene.system.bodies()[ball].configuration()[2] - 0.5) < 1e-6);
}

TEST_CASE("a tower that has sunk into the floor is lifted as a whole, however slowly sweeps carry that up") {
  FloorScene scene;
  constexpr int kBoxes = 40;
  for (int i = 0; i < kBoxes; ++i) add_solid(scene.system, Box{{1, 1, 1}}, {0, 0, 0.5 + i - kDepth});
  TimeStepperOptions options = correcting(Correction::projection);
  options.stop.tolerance = 1e-3;
  TimeStepper stepper(scene.system, options);
  CHECK(stepper.step().penetration == doctest::Approx(kDepth).epsilon(1e-3));
  for (int i = 0; i < 150; ++i) (void)stepper.step();
  CHECK(stepper.step().penetration < 2 * options.slop);
}

TEST_CASE("a budget of sweeps holds for what takes penetration back, too: it needs more steps") {
  const auto depths = [](long budget) {
    FloorScene scene;
    for (int i = 0; i < 40; ++i) add_solid(scene.system, Box{{1, 1, 1}}, {0, 0, 0.5 + i - kDepth});
    TimeStepperOptions options = correcting(Correction::projection);
    options.stop.tolerance = 1e-3;
    options.sweep_budget = budget;
    TimeStepper stepper(scene.system, options);
    std::vector<double> found;
    for (int i = 0; i < 600; ++i) found.push_back(stepper.step().penetration);
    return found;
  };
  const std::vector<double> free = depths(0), ten = depths(10), one = depths(1);
  CHECK(free[20] < ten[20]);
  CHECK(ten[20] < one[20]);
  CHECK(ten[20] < kDepth);
  CHECK(ten[599] < 0.1 * kDepth);  // solves of ten sweeps let it sink anew in each step
}

TEST_CASE("projection does not touch what moves freely beside a penetration") {
  DeepBox scene;
  const BodyId ball = add_solid(scene.system, Sphere{0.1}, {5, 0, 3});
  set_velocity(scene.system, ball, Vector3d::Zero(), {1, 2, 3});
  TimeStepper stepper(scene.system, correcting(Correction::projection));
  (void)stepper.step();
  const Vector3d expected = Vector3d(5, 0, 3) + kCorrectedStep * Vector3d(1, 2, 3) -
                            0.5 * kCorrectedStep * kCorrectedStep * Vector3d(0, 0, 9.81);
  CHECK((scene.system.bodies()[ball].configuration().head<3>() - expected).norm() < 1e-14);
}

TEST_CASE("what no displacement takes back stays where it is, and what one does is lifted beside it") {
  FloorScene scene;
  scene.system.gravity.setZero();
  const double between = 2 * (0.5 - kDepth);  // of floor and ceiling, for a ball of diameter 1
  const BodyId ceiling = scene.system.add(std::make_unique<Obstacle>());
  scene.system.add_collider(
      {.body = ceiling, .shape = Plane{}, .position = {0, 0, between}, .orientation = Orientation(0, 1, 0, 0)});
  const BodyId ball = add_solid(scene.system, Sphere{0.5}, {0, 0, between / 2});
  const BodyId box = add_solid(scene.system, Box{{0.3, 0.3, 0.3}}, {5, 0, 0.15 - kDepth});
  const TimeStepperOptions options = correcting(Correction::projection);
  TimeStepper stepper(scene.system, options);
  CHECK(stepper.step().contacts >= 3);
  CHECK((scene.system.bodies()[ball].configuration().head<3>() - Vector3d(0, 0, between / 2)).norm() < 1e-12);
  CHECK(std::abs(scene.system.bodies()[box].configuration()[2] - (0.15 - options.slop / 2)) < 2e-3 * kDepth);
}

TEST_CASE("of two boxes that overlap in free space each gives way by its mass") {
  System system(make_bullet_detector());
  system.gravity.setZero();
  const BodyId light = add_solid(system, Box{{1, 1, 1}}, {0, 0, 0});
  const BodyId heavy = add_solid(system, Box{{1, 1, 2}}, {0, 0, 1.5 - kDepth});
  TimeStepper stepper(system, correcting(Correction::projection));
  const StepReport report = stepper.step();
  const double down = -system.bodies()[light].configuration()[2];
  const double up = system.bodies()[heavy].configuration()[2] - (1.5 - kDepth);
  CHECK(down == doctest::Approx(2 * up).epsilon(1e-3));
  CHECK(down + up == doctest::Approx(kDepth - 5e-6).epsilon(2e-3));
  CHECK(report.kinetic_energy == 0);
  CHECK(report.correction_energy == 0);  // no gravity
}

TEST_CASE("Baumgarte's feedback is the velocity α (depth − slop)/h, at most β") {
  for (const double alpha : {0.1, 0.3, 1.0}) {
    CAPTURE(alpha);
    DeepBox scene;
    TimeStepperOptions options = correcting(Correction::baumgarte);
    options.baumgarte_alpha = alpha;
    TimeStepper stepper(scene.system, options);
    const StepReport report = stepper.step();
    const double asked = std::min(alpha * (kDepth - options.slop) / kCorrectedStep, options.baumgarte_beta);
    CHECK(scene.climb() == doctest::Approx(asked).epsilon(1e-9));
    // The step ends half a step of that velocity later: nothing else moves the box.
    CHECK(scene.depth() == doctest::Approx(kDepth - 0.5 * kCorrectedStep * asked).epsilon(1e-9));
    CHECK(report.correction_energy == 0);
  }
}

TEST_CASE("Baumgarte's feedback brings a box to the slop and leaves it there") {
  DeepBox scene;
  const TimeStepperOptions options = correcting(Correction::baumgarte);
  TimeStepper stepper(scene.system, options);
  double least = kDepth;
  for (int i = 0; i < 300; ++i) {
    (void)stepper.step();
    least = std::min(least, scene.depth());
  }
  // What is left falls by the factor 1 − α a step: 0.9^300 = 2e-14.
  CHECK(scene.depth() == doctest::Approx(options.slop).epsilon(1e-6));
  CHECK(least > 0.99 * options.slop);
}

TEST_CASE("without correction a box stays as deep as it is") {
  DeepBox scene;
  TimeStepper stepper(scene.system, correcting(Correction::none));
  for (int i = 0; i < 10; ++i) CHECK(stepper.step().correction_energy == 0);
  CHECK(scene.depth() == doctest::Approx(kDepth).epsilon(1e-12));
  CHECK(scene.system.bodies()[scene.box].velocity().norm() < 1e-12);
}

TEST_CASE("projection closes joints, and does not move what they leave free") {
  System system;
  system.gravity.setZero();
  const auto body_at = [&](const Vector3d& x) {
    return system.add(std::make_unique<RigidBody>(box_mass(1000, {0.1, 0.2, 0.3}), x));
  };
  const BodyId a = body_at({0, 0, 0});
  const BodyId b = body_at({1, 0, 0});
  const BodyId c = body_at({5, 0, 0});
  const BodyId d = body_at({9, 0, 0});
  const Vector3d pin(0.5, 0, 0), n = Vector3d(1, 2, 2) / 3;
  std::vector<ConstraintId> joints;
  joints.push_back(system.add_constraint(std::make_unique<FixedPoint>(Anchor{pin, a}, Anchor{pin, b})));
  joints.push_back(system.add_constraint(std::make_unique<FixedDirection>(Anchor{{5, 0, 0}, c}, n)));
  joints.push_back(system.add_constraint(std::make_unique<RigidLink>(Anchor{{9, 2, 0}}, Anchor{{9, 0, 0}, d})));
  const Vector3d off(3e-4, -5e-4, 8e-4);
  for (const BodyId body : {b, c, d}) {
    Eigen::VectorXd q = system.bodies()[body].configuration();
    q.head<3>() += off;
    system.bodies()[body].set_configuration(q);
  }
  const auto errors = [&] {
    std::vector<double> sizes;
    for (ConstraintId id : joints) {
      Vector3d error;
      system.assembly().constraint(id).position_error(system.bodies(), {&error, 1});
      sizes.push_back(error.norm());
    }
    return sizes;
  };
  const std::vector<double> before = errors();
  CHECK(before[0] == doctest::Approx(off.norm()));
  CHECK(before[1] == doctest::Approx(std::abs(n.dot(off))));
  CHECK(before[2] == doctest::Approx(0.5e-3).epsilon(1e-2));  // shorter, to first order
  TimeStepper stepper(system, correcting(Correction::projection));
  const StepReport report = stepper.step();
  const std::vector<double> after = errors();
  for (std::size_t i = 0; i < joints.size(); ++i) {
    CAPTURE(i);
    CHECK(after[i] < 2e-3 * before[i] + 1e-6);  // 1e-3 of the error, and what is of second order in it
  }
  CHECK(report.kinetic_energy == 0);
  // Across its direction the second joint, which holds the mass centre, leaves the body where it is.
  const Vector3d shift = system.bodies()[c].to_space(Vector3d::Zero()) - Vector3d(5, 0, 0) - off;
  CHECK(shift.cross(n).norm() < 1e-15);
}
