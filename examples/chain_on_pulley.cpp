// A chain over a fixed pulley with friction: how much more may hang on one side? The chain is of light point masses in
// rigid links, one tonne-to-gram apart from the loads, so that the pulley alone makes the difference.
// By hand (Euler, Eytelwein): the ratio of the loads at which it slides is e^{μ π} = 3.5136 for μ = 0.4 and half a
// turn; a chain whose links turn by φ each at n pins has ((1 + μ tan φ/2)/(1 − μ tan φ/2))^n.

#include <numbers>

#include <locdyn/bodies/particle.hpp>
#include <locdyn/ldy/assembly/constraints/rigid_link.hpp>

#include "run.hpp"

using namespace example;

constexpr double kFriction = 0.4, kRadius = 0.5, kLink = 0.02;  // of the pulley; of the spheres
constexpr int kPins = 18, kHanging = 6;                         // on the pulley; on each side

// Speed of the heavier load after `time` [m/s].
double speed_after(double time, double ratio) {
  locdyn::System system(locdyn::make_bullet_detector());
  const auto steel = system.materials.add_surface("steel", friction(kFriction));
  const locdyn::Orientation across(Eigen::AngleAxisd(std::numbers::pi / 2, Eigen::Vector3d::UnitX()));
  add_obstacle(system, locdyn::Cylinder{kRadius, 0.2}, steel, {.orientation = across});

  // Pins at φ/2, 3 φ/2, … on the pulley, hanging straight down from the first and the last.
  const double phi = std::numbers::pi / kPins, reach = kRadius + kLink;
  const double spacing = 2 * reach * std::sin(phi / 2);
  std::vector<Eigen::Vector3d> pins;
  for (int k = 0; k < kPins; ++k) {
    const double a = (k + 0.5) * phi;
    pins.push_back(reach * Eigen::Vector3d(-std::cos(a), 0, std::sin(a)));
  }
  for (int k = 0; k < kHanging; ++k) {
    pins.insert(pins.begin(), pins.front() - Eigen::Vector3d(0, 0, spacing));
    pins.push_back(pins.back() - Eigen::Vector3d(0, 0, spacing));
  }
  std::vector<locdyn::BodyId> chain;
  for (std::size_t k = 0; k < pins.size(); ++k) {
    const double mass = k == 0 ? 1.0 : k + 1 == pins.size() ? ratio : 1e-3;
    chain.push_back(system.emplace<locdyn::Particle>(mass, pins[k]));
    system.add_collider({.body = chain[k], .shape = locdyn::Sphere{kLink}, .surface = steel});
    if (k == 0) continue;
    system.exclude_pair(chain[k - 1], chain[k]);
    system.add_constraint(std::make_unique<locdyn::RigidLink>(locdyn::Anchor{pins[k - 1], chain[k - 1]},
                                                              locdyn::Anchor{pins[k], chain[k]}));
  }
  locdyn::TimeStepper stepper(system, {.step = 1e-3});
  run(stepper, time);
  return -system.bodies()[chain.back()].velocity().z();
}

int main() {
  const double phi = std::numbers::pi / kPins, t = kFriction * std::tan(phi / 2);
  const double limit = std::pow((1 + t) / (1 - t), kPins);
  std::printf("holds up to a ratio of %.4f, a belt up to %.4f\n", limit, std::exp(kFriction * std::numbers::pi));
  const double holds = speed_after(0.2, 0.97 * limit), slides = speed_after(0.2, 1.03 * limit);
  bool right = agrees("3 % below: speed after 0.2 s [m/s]", holds, 0, 1e-6);
  std::printf("3 %% above: speed after 0.2 s %.4f m/s, by hand it slides%s\n", slides, slides > 1e-3 ? "" : "  WRONG");
  return right && slides > 1e-3 ? 0 : 1;
}
