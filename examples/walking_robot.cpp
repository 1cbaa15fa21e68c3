// A robot of six legs from an MJCF file walks by position servos: three legs stand and push back, three swing forward.
// By hand: each half of a cycle takes the trunk one stride further, as long as no foot slips; the feet, balls of radius
// r, roll on as the shins turn under them, which adds r (φ_end − φ_start) of the shin's angle φ.

#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

#include <locdyn/io/scene/build_scene.hpp>
#include <locdyn/simulation/time_stepper.hpp>

#include "agrees.hpp"

namespace {

constexpr double kLink = 0.15, kHeight = 0.22, kStride = 0.08, kLift = 0.03, kHalf = 0.4, kFoot = 0.015, kStep = 2e-3;
constexpr int kHalves = 6, kPoints = 20;

// Hip and knee that bring the foot of a leg to (x, −z) below its hip: two links of one length, the knee bent forward.
std::array<double, 2> leg(double x, double z) {
  const double bend = std::acos(std::hypot(x, z) / (2 * kLink));
  return {std::atan2(-x, z) - bend, 2 * bend};
}

// Where the foot is at the share s of half a cycle: on the ground it goes back, in the air in an arc forward.
std::array<double, 2> foot(bool stands, double s) {
  const double x = kStride * (stands ? 0.5 - s : s - 0.5);
  return leg(x, kHeight - (stands ? 0 : kLift * std::sin(std::numbers::pi * s)));
}

}  // namespace

int main() {
  locdyn::Scene scene;
  scene.stepping.step = kStep;
  locdyn::SceneRobot& robot = scene.robots.emplace_back();
  robot.name = std::string("r");
  robot.mjcf = EXAMPLE_FOLDER "/hexapod.xml";

  // What the servos are told: left front, left rear and right middle together, the others half a cycle later.
  const std::array<const char*, 6> legs = {"left_front",  "left_middle",  "left_rear",
                                           "right_front", "right_middle", "right_rear"};
  for (std::size_t k = 0; k < legs.size(); ++k) {
    const std::string name = legs[k];
    auto &hip = robot.controls[name + "_hip"], &knee = robot.controls[name + "_knee"];
    for (int half = 0; half < kHalves; ++half) {
      for (int i = half == 0 ? 0 : 1; i <= kPoints; ++i) {
        const double s = static_cast<double>(i) / kPoints;
        const auto [q, p] = foot((half + static_cast<int>(k)) % 2 == 0, s);
        hip.times.push_back((half + s) * kHalf);
        knee.times.push_back((half + s) * kHalf);
        hip.values.push_back(q);
        knee.values.push_back(p);
      }
    }
    robot.positions[name + "_hip"] = hip.values[0];
    robot.positions[name + "_knee"] = knee.values[0];
  }

  const auto system = locdyn::build(scene);
  const locdyn::Body& trunk = system->bodies()[system->find("r/trunk")];
  locdyn::TimeStepper stepper(*system, scene.stepping);
  std::array<double, 3> x{};  // at start, after the first cycle and at the end
  long failed = 0;
  while (stepper.time() < kHalves * kHalf - kStep / 2) {
    failed += stepper.step().failed() ? 1 : 0;
    if (std::abs(stepper.time() - 2 * kHalf) < kStep / 2) x[1] = trunk.to_space({0, 0, 0}).x();
  }
  x[2] = trunk.to_space({0, 0, 0}).x();

  const auto shin = [](double share) { return foot(true, share)[0] + foot(true, share)[1]; };
  const double by_hand = (kHalves - 2) * (kStride + kFoot * (shin(1) - shin(0)));
  std::printf("%ld of %ld steps not solved, trunk at %.3f m\n", failed, std::lround(stepper.time() / kStep),
              trunk.to_space({0, 0, 0}).z());
  // Servos give way by what they carry over their stiffness: some per cent of a stride.
  return example::agrees("two cycles walked [m]", x[2] - x[1], by_hand, 0.05 * by_hand) && failed == 0 ? 0 : 1;
}
