// A bridge of two rings of 15 voussoirs, one on the other without mortar, over a span of 10 m that rises 2.5 m, with an
// axle of 20 kN on the outer ring at a quarter of the span.
// By hand: the abutments carry the weight and the axle, and the thrust to the left is the thrust to the right. Two
// rings from r to r + 2 t over the angle 2 α hold the volume 4 α t (r + t) per metre of width, less a little for flat
// faces.

#include <numbers>
#include <vector>

#include "run.hpp"

using namespace example;

constexpr double kDensity = 2400, kWidth = 1, kRing = 0.35, kAxle = 20e3;          // [kg/m³], [m]
const double kHalfAngle = 2 * std::atan(0.5), kRadius = 5 / std::sin(kHalfAngle);  // of the intrados

// One wedge of a ring from radius `inner`, between two angles from the vertical; the centre of the circle is the
// origin.
locdyn::ConvexHull voussoir(double inner, double a, double b) {
  locdyn::ConvexHull hull;
  for (const double angle : {a, b}) {
    for (const double r : {inner, inner + kRing}) {
      for (const double y : {-kWidth / 2, kWidth / 2}) {
        hull.points.push_back({r * std::sin(angle), y, r * std::cos(angle)});
      }
    }
  }
  return hull;
}

int main() {
  locdyn::System system(locdyn::make_bullet_detector());
  const auto stone = system.materials.add_surface("stone", friction(0.6));

  // Abutments: a wedge each at the ends of both rings.
  std::array<locdyn::BodyId, 2> abutments{};
  for (const int side : {0, 1}) {
    const double a = side == 0 ? -kHalfAngle - 0.1 : kHalfAngle, b = a + 0.1;
    abutments[side] = add_obstacle(system, voussoir(kRadius, a, b), stone);
    add_to_obstacle(system, abutments[side], voussoir(kRadius + kRing, a, b), stone);
  }

  constexpr int kCount = 15;
  const double step = 2 * kHalfAngle / kCount;
  double mass = 0;
  locdyn::BodyId crown, loaded;
  for (const int ring : {0, 1}) {
    for (int k = 0; k < kCount; ++k) {
      const double a = -kHalfAngle + step * k;
      const auto block =
          add_solid(system, voussoir(kRadius + ring * kRing, a, a + step), {.density = kDensity, .surface = stone});
      mass += system.bodies()[block].mass();
      if (k == kCount / 2) crown = block;
      if (ring == 1 && k == kCount / 4) loaded = block;
    }
  }
  system.add_load([=](double, double, locdyn::BodySet& bodies) {
    bodies[loaded].add_force({0, 0, -kAxle}, bodies[loaded].to_space(Eigen::Vector3d::Zero()));
  });
  const double start = position_of(system, crown).z();

  locdyn::TimeStepper stepper(system, {.step = 2e-3});
  const auto report = run(stepper, 0.5);
  const Eigen::Vector3d left = carried_by(stepper, abutments[0]), right_side = carried_by(stepper, abutments[1]);
  const double volume = kHalfAngle * 2 * kRing * (2 * kRadius + 2 * kRing) * kWidth;
  std::printf("thrust %.0f N\n", left.x());
  bool right = agrees("weight of the rings [N]", mass * kGravity, volume * kDensity * kGravity, 1e-2 * mass * kGravity);
  right &= agrees("abutments carry [N]", left.z() + right_side.z(), mass * kGravity + kAxle, 1e-2);
  right &= agrees("thrusts add up to [N]", left.x() + right_side.x(), 0, 1e-2);
  right &= agrees("crown has sunk by [m]", start - position_of(system, crown).z(), 0, 1e-6);
  right &= agrees("largest speed [m/s]", report.largest_speed, 0, 1e-6);
  return right ? 0 : 1;
}
