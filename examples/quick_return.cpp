// The quick return of a shaping machine: a crank pin slides in a slotted arm that swings about a point below. The arm
// takes longer to go than to come back: the crank turns by 2π − 2 acos(r/h) one way and by 2 acos(r/h) the other.

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

constexpr double kCrank = 0.1, kBelow = 0.25, kArm = 0.5, kTurn = 2 * std::numbers::pi;  // r, h, the arm's length [m]

}  // namespace

int main() {
  // Built with the crank along x.
  const Vector3d bearing{0, 0, 0}, pin{kCrank, 0, 0}, pivot{0, -kBelow, 0}, along = pin - pivot;
  System system;
  const BodyId crank = system.emplace<PlanarBody>(1.0, 1e-3, Vector2d(0, 0));
  const BodyId block = system.emplace<PlanarBody>(0.1, 1e-5, Vector2d(kCrank, 0));
  const BodyId arm = system.emplace<PlanarBody>(2.0, 0.05, Vector2d(0, -kBelow), std::atan2(along.y(), along.x()));
  const auto revolute = [&](const char* name, const Anchor& a, const Anchor& b) {
    system.add_constraint(std::make_unique<PlanarRevolute>(a, b), name);
  };
  revolute("crank bearing", {bearing}, {bearing, crank});
  revolute("crank pin", {pin, crank}, {pin, block});
  revolute("arm pivot", {pivot}, {pivot, arm});
  system.add_constraint(std::make_unique<PlanarPrismatic>(Axis{pin, along, arm}, Axis{pin, along, block}), "slot");
  Mechanism mechanism(system);
  const DriveId drive = mechanism.add_drive(planar_angle(crank), "crank");

  example::Line swing{{}, "black"}, speed{{}, "#36c"}, tip{{}, "#c33"}, bars{{}, "black", 3, true};
  const auto point = [&](BodyId body, const Vector3d& X) -> Vector2d {
    return system.bodies()[body].to_space(X).head<2>();
  };
  const auto rate = [&] { return system.bodies()[arm].velocity()[2]; };
  double before = 0, turns[2] = {0, 0};  // crank angles at which the arm turns back
  int found = 0;
  const PathReport report =
      follow(mechanism, drive, {.from = 0, .to = kTurn, .step = kTurn / 720}, [&](const PathPoint& s) {
        const Vector2d end = point(arm, {kArm, 0, 0});
        swing.points.emplace_back(360 / kTurn * s.value, 360 / kTurn * std::atan2(end.y() + kBelow, end.x()));
        speed.points.emplace_back(360 / kTurn * s.value, rate());
        tip.points.push_back(end);
        if (tip.points.size() == 60) bars.points = {{0, 0}, point(block, bearing), {0, -kBelow}, end};
        // The zero of the arm's speed between two points, with its slope from the acceleration.
        if (before * rate() < 0 && found < 2) {
          const double slope = solve_accelerations(mechanism).value[mechanism.first(arm) + 2];
          turns[found++] = s.value - rate() / slope;
        }
        before = rate();
      });

  example::Svg picture;
  picture.panel("quick return at 30°, path of the arm's end [m]", {tip, bars}, example::Axes::equal);
  picture.panel("angle of the arm over that of the crank [°]", {swing});
  picture.panel("its speed over that of the crank", {speed});
  bool right = picture.save("quick_return.svg") && report.status == PathStatus::reached;
  const double back = 2 * std::acos(kCrank / kBelow), there = kTurn - back, span = turns[1] - turns[0];
  // Each zero to second order in half a degree.
  right &= example::agrees("crank angle while the arm comes back", std::min(span, kTurn - span), back, 1e-4);
  right &=
      example::agrees("time ratio", std::max(span, kTurn - span) / std::min(span, kTurn - span), there / back, 1e-4);
  right &=
      example::agrees("arm at a crank of 0°", swing.points.at(0).y(), 360 / kTurn * std::atan(kBelow / kCrank), 1e-9);
  return right ? 0 : 1;
}
