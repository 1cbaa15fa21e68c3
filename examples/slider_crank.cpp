// A slider-crank at 3000 turns a minute: place, speed and acceleration of the piston over a turn, against
// x = r cos θ + √(l² − r² sin² θ); then driven by the piston, which is dead at both ends of its stroke.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>

#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/mechanism/path.hpp>
#include <locdyn/mechanism/rates.hpp>
#include <locdyn/simulation/system.hpp>
#include <locdyn/ldy/assembly/constraints/planar/planar_joints.hpp>

#include "agrees.hpp"
#include "svg.hpp"

using namespace locdyn;
using Eigen::Vector2d;
using Eigen::Vector3d;

namespace {

constexpr double kCrank = 0.04, kRod = 0.14, kSpeed = 100 * std::numbers::pi, kTurn = 2 * std::numbers::pi;  // m, rad/s

}  // namespace

int main() {
  // Built at θ = 90°.
  const double start = std::sqrt(kRod * kRod - kCrank * kCrank);
  const Vector3d main{0, 0, 0}, pin{0, kCrank, 0}, gudgeon{start, 0, 0}, x = Vector3d::UnitX();
  System system;
  const BodyId crank = system.emplace<PlanarBody>(1.0, 1e-3, Vector2d(0, 0), kTurn / 4);
  const BodyId rod = system.emplace<PlanarBody>(0.4, 1e-3, Vector2d(start / 2, kCrank / 2));
  const BodyId piston = system.emplace<PlanarBody>(0.3, 1e-4, Vector2d(start, 0));
  const auto revolute = [&](const char* name, const Anchor& a, const Anchor& b) {
    system.add_constraint(std::make_unique<PlanarRevolute>(a, b), name);
  };
  revolute("main bearing", {main}, {main, crank});
  revolute("crank pin", {pin, crank}, {pin, rod});
  revolute("gudgeon pin", {gudgeon, rod}, {gudgeon, piston});
  system.add_constraint(std::make_unique<PlanarPrismatic>(Axis{gudgeon, x}, Axis{gudgeon, x, piston}), "cylinder");
  Mechanism mechanism(system);

  const DriveId angle =
      mechanism.add_drive(signed_angle(carried(std::nullopt, x), {{main, crank}, {pin, crank}}), "crank angle");
  example::Line place{{}, "black"}, speed{{}, "#36c"}, acceleration{{}, "#c33"}, bars{{}, "black", 3, true};
  double error = 0;
  const Eigen::Index at = mechanism.first(piston);
  PathReport turn = follow(
      mechanism, angle, {.from = kTurn / 4, .to = 1.25 * kTurn, .step = kTurn / 72, .rate = kSpeed},
      [&](const PathPoint& s) {
        const double degrees = 360 / kTurn * s.value, found = system.bodies()[piston].to_space(main).x();
        place.points.emplace_back(degrees, found);
        speed.points.emplace_back(degrees, mechanism.velocity()[at]);
        acceleration.points.emplace_back(degrees, solve_accelerations(mechanism).value[at]);
        const double sine = kCrank * std::sin(s.value);
        error = std::max(error, std::abs(found - kCrank * std::cos(s.value) - std::sqrt(kRod * kRod - sine * sine)));
        if (place.points.size() != 10) return;
        bars.points = {{0, 0}, kCrank * Vector2d(std::cos(s.value), std::sin(s.value)), {found, 0}};
      });

  // The piston drives: out to l + r.
  mechanism.release(angle);
  const DriveId stroke =
      mechanism.add_drive(axis_displacement({main, x}, {system.bodies()[piston].to_space(main), piston}));
  const PathReport out = follow(mechanism, stroke, {.from = mechanism.drive_value(stroke), .to = 0.2, .step = 0.01});
  std::puts(out.message().c_str());

  example::Svg picture;
  picture.panel("slider-crank at 135° [m]", {bars}, example::Axes::equal);
  picture.panel("piston [m] over θ [°]", {place});
  picture.panel("its speed [m/s]", {speed});
  picture.panel("its acceleration [m/s²]", {acceleration});
  bool right = picture.save("slider_crank.svg") && turn.status == PathStatus::reached;
  right &= example::agrees("largest error of place", error, 0, 1e-14);
  // At θ = 360°, 54 steps on: −r ω² (1 + r/l).
  right &= example::agrees("acceleration at the top", acceleration.points.at(54).y(),
                           -kCrank * kSpeed * kSpeed * (1 + kCrank / kRod), 1e-8);
  right &= example::agrees("dead point of the piston", out.reached, kCrank + kRod, 1e-12);
  return right ? 0 : 1;
}
