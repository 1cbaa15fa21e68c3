// Joints and contacts together through time: a platform on ten legs of five joints each, its feet on the floor by 40
// contacts, pushed.

#include <cmath>
#include <numbers>

#include <locdyn/ldy/residual.hpp>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

struct Machine : FloorScene {
  Machine() : FloorScene(rough(0.6)) {
    constexpr int kLegs = 10, kLinks = 5;
    constexpr double kLink = 0.15, kRing = 1.0;
    const BodyId platform =
        system.add(std::make_unique<RigidBody>(box_mass(500, {2.2, 2.2, 0.1}), Vector3d(0, 0, kLinks * kLink)));
    for (int leg = 0; leg < kLegs; ++leg) {
      const double angle = 2 * std::numbers::pi * leg / kLegs;
      Vector3d pin(kRing * std::cos(angle), kRing * std::sin(angle), kLinks * kLink);
      BodyId above = platform;
      for (int k = 0; k < kLinks; ++k) {
        const Vector3d middle = pin - Vector3d(0, 0, kLink / 2);
        const Box box{{0.08, 0.05, kLink}};
        const BodyId link = k == kLinks - 1
                                ? add_solid(system, box, middle)
                                : system.add(std::make_unique<RigidBody>(mass_properties(box, 1000), middle));
        system.add_constraint(std::make_unique<FixedPoint>(Anchor{pin, above}, Anchor{pin, link}));
        pin.z() -= kLink;
        above = link;
      }
    }
    set_velocity(system, platform, {0.3, -0.2, -0.1}, {0.1, 0.05, 0});
  }
};

struct Worst {
  double velocity = 0, position = 0;
  std::size_t contacts = 0;
};

Worst twenty_sweeps_a_step(const char* solver) {
  Machine machine;
  TimeStepperOptions options;
  options.solver = solver;
  options.stop.tolerance = 1e-13;
  options.stop.max_iterations = 20;
  TimeStepper stepper(machine.system, options);
  Worst worst;
  for (int i = 0; i < 100; ++i) {
    const StepReport report = stepper.step();
    if (i == 0) worst.contacts = report.contacts;
    worst.velocity = std::max(worst.velocity, joint_velocity_error(machine.system.graph()));
    worst.position = std::max(worst.position, report.joint_error);
  }
  return worst;
}

}  // namespace

TEST_CASE("50 joints on 40 contacts at 20 sweeps a step: joints hold to rounding where they are condensed") {
  const Worst condensed = twenty_sweeps_a_step("condensed"), swept = twenty_sweeps_a_step("nsgs");
  MESSAGE("joints' velocity error, position error after projection: condensed "
          << condensed.velocity << " m/s, " << condensed.position << " m; in the sweep " << swept.velocity << " m/s, "
          << swept.position << " m");
  CHECK(condensed.contacts == 40);
  CHECK(condensed.velocity < 1e-12);
  CHECK(condensed.position < 1e-12);
  CHECK(swept.velocity > 1e-6);
}
