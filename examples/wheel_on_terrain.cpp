// A wheel driven by a torque on a terrain z(x): a slope of 5 %, then waves. How much does it slip?
// By hand, on the slope with N = m g cos θ: a torque T that μ can hold rolls the wheel up with
// a = (T/r − m g sin θ)/(m + J/r²), slip 0; a larger one spins it, a = μ g cos θ − g sin θ, r ω̇ = (T − μ N r) r/J, and
// the slip s = (ω r − v)/(ω r) = 1 − a/(r ω̇) stays what it is from the start.

#include <numbers>

#include "run.hpp"

using namespace example;

constexpr double kRadius = 0.3, kMass = 20, kFriction = 0.6, kSlope = 0.05;

// z(x): 10 m of slope, then waves of 4 m length and 0.1 m height on it.
double terrain(double x) {
  return kSlope * x + (x > 10 ? 0.05 * (1 - std::cos(0.5 * std::numbers::pi * (x - 10))) : 0.0);
}

struct Drive {
  double speed = 0, slip = 0;              // at the end of the slope's first metres
  double slip_on_waves = 0, distance = 0;  // at the end
};

Drive drive(double torque, double slope_time, double time) {
  locdyn::System system(locdyn::make_bullet_detector());
  const auto rubber = system.materials.add_surface("rubber", friction(kFriction));

  locdyn::HeightField field{.heights = Eigen::MatrixXd(301, 3), .spacing = {0.1, 2}};
  for (int i = 0; i < 301; ++i) field.heights.row(i).setConstant(terrain(0.1 * i - 5));
  add_obstacle(system, field, rubber, {.position = {10, 0, 0}});

  // The wheel is a cylinder across the terrain, touching the slope at the origin.
  const double theta = std::atan(kSlope);
  const locdyn::Orientation across(
      Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitY()));
  const double width = 0.2;
  const auto wheel =
      add_solid(system, locdyn::Cylinder{kRadius, width},
                {.density = kMass / locdyn::cylinder_mass(1, kRadius, width).mass, .surface = rubber},
                {.position = kRadius * Eigen::Vector3d(-std::sin(theta), 0, std::cos(theta)), .orientation = across});
  system.add_load([=](double, double, locdyn::BodySet& bodies) { bodies[wheel].add_torque({0, torque, 0}); });

  const auto slip_of = [&](double& speed) {
    const auto velocity = velocity_of(system, wheel);
    speed = velocity.linear.norm();
    return 1 - speed / (velocity.angular.y() * kRadius);
  };
  Drive result;
  locdyn::TimeStepper stepper(system, {.step = 1e-3, .stop = {.tolerance = 1e-12}});
  run(stepper, time, [&](const locdyn::StepReport& report) {
    double speed = 0;
    const double slip = slip_of(speed);
    if (std::abs(report.time - slope_time) < 1e-6) result.speed = speed, result.slip = slip;
    result.slip_on_waves = slip;
  });
  result.distance = position_of(system, wheel).x();
  return result;
}

int main() {
  const double theta = std::atan(kSlope), inertia = kMass * kRadius * kRadius / 2;
  const double weight = kMass * kGravity, holds = kFriction * weight * std::cos(theta) * kRadius;
  bool right = true;

  const double gentle = 15, t = 1.0;
  const Drive rolls = drive(gentle, t, 4.2);
  const double a = (gentle / kRadius - weight * std::sin(theta)) / (kMass + inertia / (kRadius * kRadius));
  right &= agrees("15 N m: speed after 1 s [m/s]", rolls.speed, a * t, 1e-3);
  right &= agrees("15 N m: slip", rolls.slip, 0, 1e-6);
  std::printf("at %.1f m, on the waves: slip %.3f\n", rolls.distance, rolls.slip_on_waves);

  const double strong = 60;
  const Drive spins = drive(strong, t, 2.2);
  const double forward = kGravity * (kFriction * std::cos(theta) - std::sin(theta));
  right &= agrees("60 N m: speed after 1 s [m/s]", spins.speed, forward * t, 1e-3);
  right &= agrees("60 N m: slip", spins.slip, 1 - forward / (kRadius * (strong - holds) / inertia), 1e-4);
  std::printf("at %.1f m, on the waves: slip %.3f\n", spins.distance, spins.slip_on_waves);
  return right ? 0 : 1;
}
