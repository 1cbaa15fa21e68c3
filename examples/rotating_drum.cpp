// A rotating drum, half full of balls: the heap leans against the sense of rotation. Argument: angular velocity
// [rad/s]. By hand: the moment of the weight about the axis is the moment of the drum's reactions, up to the change of
// angular momentum: L_y(T) − L_y(0) = ∫ M g x_c − (moment of the reactions on the drum) dt, exactly; and the heap's
// slope, that of the line from the axis to the mass centre, is near the angle of friction.

#include <cstdlib>
#include <numbers>
#include <random>
#include <vector>

#include "run.hpp"

using namespace example;

int main(int argc, char** argv) {
  const double omega = argc > 1 ? std::atof(argv[1]) : 2;
  constexpr double kDrum = 0.1, kBall = 0.01, kFriction = 0.5, kStep = 2e-3;
  constexpr int kSides = 24;
  locdyn::System system(locdyn::make_bullet_detector());
  const auto rough = system.materials.add_surface("rough", friction(kFriction));
  const auto glass = system.materials.add_surface("glass", friction(0));
  system.materials.set_pair(rough, glass, friction(0));

  // The drum: staves around the y axis, driven; smooth walls that stand still in front and behind.
  const auto drum = system.emplace<locdyn::Obstacle>();
  for (int k = 0; k < kSides; ++k) {
    const double a = 2 * std::numbers::pi * k / kSides, width = 2 * kDrum * std::tan(std::numbers::pi / kSides);
    const locdyn::Orientation turned(Eigen::AngleAxisd(a, Eigen::Vector3d::UnitY()));
    add_to_obstacle(system, drum, locdyn::Box{{width, 0.2, 0.02}}, rough,
                    {.position = turned * Eigen::Vector3d(0, 0, -kDrum - 0.01), .orientation = turned});
  }
  system.add_drive(drum, [=](double, double) { return locdyn::ObstacleMotion{.angular_velocity = {0, omega, 0}}; });
  for (const int side : {-1, 1}) {
    add_obstacle(system, locdyn::Box{{0.3, 0.02, 0.3}}, glass, {.position = {0, side * (kBall + 0.0101), 0}});
  }

  // Balls on a grid in the lower half, radii spread by 10 %.
  std::mt19937 random(1);
  std::vector<locdyn::BodyId> balls;
  for (double z = -0.075; z < 0.03; z += 0.0225) {
    for (double x = -0.0675; x < 0.07; x += 0.0225) {
      if (std::hypot(x, z) > kDrum - 1.3 * kBall) continue;
      const double radius = kBall * (0.9 + 0.1 * static_cast<double>(random() % 1000) / 1000);
      balls.push_back(
          add_solid(system, locdyn::Sphere{radius}, {.density = 2500, .surface = rough}, {.position = {x, 0, z}}));
    }
  }
  double mass = 0;
  for (const auto ball : balls) mass += system.bodies()[ball].mass();

  locdyn::TimeStepper stepper(system, {.step = kStep, .stop = {.max_iterations = 500}});
  double moments = 0, slope = 0;  // ∫ of all moments about y [N m s]; mean of tan over the second half
  constexpr double kTime = 0.7;
  const auto report = run(stepper, kTime, [&](const locdyn::StepReport& now) {
    Eigen::Vector3d moment = Eigen::Vector3d::Zero(), centre = Eigen::Vector3d::Zero();
    for (const auto& contact : stepper.contacts()) {
      if (!system.bodies()[contact.point.master].freedoms()) {
        moment += contact.point.point.cross(contact.point.frame * contact.reaction);
      }
    }
    for (const auto ball : balls) {
      // At mid-step, where the weight acts.
      centre += system.bodies()[ball].mass() / mass *
                (position_of(system, ball) - kStep / 2 * velocity_of(system, ball).linear);
    }
    moments += kStep * (moment.y() + mass * kGravity * centre.x());
    if (now.time > kTime / 2) slope += 2 * kStep / kTime * std::atan2(-centre.x(), -centre.z());
  });
  std::printf("%zu balls; the heap leans by %.1f degrees, angle of friction %.1f\n", balls.size(),
              slope * 180 / std::numbers::pi, std::atan(kFriction) * 180 / std::numbers::pi);
  return agrees("angular momentum [N m s]", report.angular_momentum.y(), moments, 1e-3 * mass * kGravity * kDrum) ? 0
                                                                                                                  : 1;
}
