// A four-bar with a coupler point, made of points and links that do not close at first: its path over a turn of the
// crank, and what a force at the coupler point is worth at the crank. By hand: p4 where two circles meet.

#include <cstdio>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <locdyn/bodies/particle.hpp>
#include <locdyn/mechanism/drive_transmission.hpp>
#include <locdyn/mechanism/loads.hpp>
#include <locdyn/mechanism/path.hpp>
#include <locdyn/simulation/system.hpp>
#include <locdyn/ldy/assembly/constraints/rigid_link.hpp>

#include "agrees.hpp"
#include "svg.hpp"

using namespace locdyn;
using Eigen::Vector2d;
using Eigen::Vector3d;

namespace {

constexpr double kDegree = std::numbers::pi / 180;

Anchor point(System& system, const Vector3d& x) {
  return {x, system.emplace<Particle>(1.0, x)};
}

}  // namespace

int main() {
  System system;
  const Anchor p0{{0, 0, 0}}, p1{{4, 0, 0}};
  const Anchor p2 = point(system, {1, 1, 0}), p3 = point(system, {-1, -1, 0}), p4 = point(system, {0.5, -0.5, 0});
  const auto link = [&](const char* name, const Anchor& a, const Anchor& b, double length) {
    system.add_constraint(std::make_unique<RigidLink>(a, b, length), name);
  };
  link("rocker", p1, p2, 2);
  link("coupler", p2, p3, 4.4);
  link("crank", p0, p3, 1);
  link("coupler to p4", p2, p4, 5);
  link("crank pin to p4", p3, p4, 3);
  Mechanism mechanism(system);
  const DriveId q = mechanism.add_drive(signed_angle({p0, p1}, {p0, p3}), "q");

  const auto at = [&](const Anchor& p) -> Vector2d {
    const Vector3d x = p.body ? system.bodies()[*p.body].to_space(Vector3d::Zero()) : p.point;
    return x.head<2>();
  };
  example::Line path{{}, "#c33"}, torque{{}, "#36c"}, bars{{}, "black", 3, true};
  const double rate = 500 * 2 * std::numbers::pi / 60;  // 500 turns a minute
  double torque_160 = 0, power_160 = 0;
  std::printf("   q/°        p4 x        p4 y   torque/N·m  at 500 rpm/W\n");
  const PathReport report =
      follow(mechanism, q, {.from = -170 * kDegree, .to = 180 * kDegree, .step = 10 * kDegree, .rate = rate},
             [&](const PathPoint& s) {
               Loads loads(mechanism);
               loads.add_force(*p4.body, Vector3d::Zero(), {9.81, -9.81, 0});
               const double t = drive_loads(drive_transmission(mechanism), loads.f())[0];
               std::printf("%6.0f  %10.6f  %10.6f  %11.6f  %12.4f\n", s.value / kDegree, at(p4).x(), at(p4).y(), t,
                           loads.power());
               path.points.push_back(at(p4));
               torque.points.emplace_back(s.value / kDegree, t);
               if (path.points.size() != 2) return;
               torque_160 = t;
               power_160 = loads.power();
               for (const Anchor& p : {p0, p3, p4, p2, p3, p2, p1}) bars.points.push_back(at(p));
             });
  if (!report.message().empty()) std::puts(report.message().c_str());

  example::Svg picture;
  picture.panel("four-bar at −160°, path of its coupler point [m]", {path, bars}, example::Axes::equal);
  picture.panel("torque at the crank [N m] over q [°]", {torque});
  bool right = picture.save("four_bar.svg") && report.status == PathStatus::reached;
  right &= example::agrees("p4(-170°), x", path.points.front().x(), 0.642643, 1e-6);
  right &= example::agrees("p4(170°), y", path.points.at(34).y(), -2.453691, 1e-6);
  right &= example::agrees("torque per degree at -160°", torque_160 * kDegree, 0.247489, 1e-6);
  right &= example::agrees("power at -160°, torque times speed", power_160, torque_160 * rate, 1e-9);
  return right ? 0 : 1;
}
