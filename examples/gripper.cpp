// A gripper holds a block by friction alone, at 98 % of what friction bears, while it is shaken up and down for 60 s.
// One jaw is part of the frame, the other slides on it and is pressed by a motor of limited force.
// By hand: it holds while m (g + a) ≤ 2 μ F, and does not creep. At 104 % it slips. Argument: seconds (60), whole
// shakes of 0.5 s.

#include <cstdlib>
#include <numbers>

#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>

#include "run.hpp"

using namespace example;
using Eigen::Vector3d;

namespace {

constexpr double kFriction = 0.5, kForce = 50, kShake = 5;               // μ, F [N], a [m/s²]
constexpr double kPeriod = 0.5, kRate = 2 * std::numbers::pi / kPeriod;  // of the shaking [s], [rad/s]

// How far the block slides in the jaws, at a share of what friction bears [m].
double slide(double share, double seconds) {
  locdyn::System system(locdyn::make_bullet_detector());
  const auto rubber = system.materials.add_surface("rubber", friction(kFriction));
  const double mass = share * 2 * kFriction * kForce / (kGravity + kShake);
  const auto block = add_solid(system, locdyn::Box{{0.1, 0.1, 0.1}}, {.density = mass / 1e-3, .surface = rubber});
  const auto frame = add_obstacle(system, locdyn::Box{{0.02, 0.1, 0.1}}, rubber, {.position = {-0.06, 0, 0}});
  const auto jaw = add_solid(system, locdyn::Box{{0.02, 0.1, 0.1}}, {.density = 2000, .surface = rubber},
                             {.position = {0.06, 0, 0}});
  const Vector3d x = Vector3d::UnitX(), at = position_of(system, jaw);
  system.add_constraint(std::make_unique<locdyn::Prismatic>(locdyn::Axis{at, x, frame}, locdyn::Axis{at, x, jaw}));
  system.add_constraint(std::make_unique<locdyn::VelocityMotor>(locdyn::axis_displacement({at, x, frame}, {at, jaw}),
                                                                -0.1,
                                                                locdyn::ForceRange{.lower = -kForce, .upper = kForce}));

  const auto height = [](double t) { return kShake / (kRate * kRate) * (1 - std::cos(kRate * t)); };
  system.add_drive(frame, [&](double t, double h) {
    return locdyn::ObstacleMotion{.velocity = {0, 0, (height(t + h) - height(t)) / h}};
  });

  locdyn::TimeStepper stepper(system, {.step = 5e-3});
  const auto beside = [&] { return position_of(system, block).z() - position_of(system, frame).z(); };
  run(stepper, kPeriod);
  const double start = beside();  // and at the same moment of the last period
  run(stepper, seconds);
  return start - beside();
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 60;
  bool right = agrees("at 98 % it slides by [m]", slide(0.98, seconds), 0, 1e-8);
  const double lost = slide(1.04, 4 * kPeriod);
  std::printf("at 104 %% it slides by %.3g m in four shakes\n", lost);
  right = right && lost > 1e-4;
  return right ? 0 : 1;
}
