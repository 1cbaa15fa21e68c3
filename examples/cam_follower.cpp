// A smooth lobe under a flat-faced follower at 3000 turns a minute, closed by a spring. A convex cam whose tangent at
// normal angle φ lies at distance p(φ) from the shaft touches a flat face where its normal is the guide: the follower
// stands at p exactly, whatever p. Here p = R + H cos⁸(φ/2), the nose down at the start; half a turn later it is up:
//
//   y = R + H sin⁸(θ/2),   torque at the shaft = (F₀ + k (y − R)) dy/dθ

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <numbers>

#include <locdyn/bodies/massless_coordinate.hpp>
#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/mechanism/loads.hpp>
#include <locdyn/mechanism/path.hpp>
#include <locdyn/mechanism/rates.hpp>
#include <locdyn/simulation/system.hpp>
#include <locdyn/ldy/assembly/constraints/planar/cam.hpp>
#include <locdyn/ldy/assembly/constraints/planar/planar_joints.hpp>

#include "agrees.hpp"
#include "svg.hpp"

using namespace locdyn;
using Eigen::Vector2d;
using Eigen::Vector3d;

namespace {

constexpr double kBase = 0.02, kLift = 0.01, kSpeed = 100 * std::numbers::pi, kTurn = 2 * std::numbers::pi;  // m, rad/s
constexpr double kPreload = 200, kStiffness = 30e3;                                                          // N, N/m

// H cos⁸(φ/2) and its derivatives 1 … 3, by c = cos², s = sin·cos of half the angle: c′ = −s, s′ = c − ½.
double lift(double phi, int derivative) {
  const double c = std::pow(std::cos(phi / 2), 2), s = std::sin(phi) / 2, d = c - 0.5;
  switch (derivative) {
    case 0: return kLift * std::pow(c, 4);
    case 1: return -4 * kLift * c * c * c * s;
    case 2: return 4 * kLift * (3 * c * c * s * s - c * c * c * d);
    default: return 4 * kLift * (-6 * c * s * s * s + 9 * c * c * s * d + c * c * c * s);
  }
}

Vector2d direction(double angle) {
  return {std::cos(angle), std::sin(angle)};
}

}  // namespace

int main() {
  System system;
  const BodyId cam = system.emplace<PlanarBody>(1.0, 1e-3, Vector2d(0, 0));
  const BodyId follower = system.emplace<PlanarBody>(0.3, 1e-4, Vector2d(0, kBase));
  // x = p n + p′ t, t = dn/dφ; dx/dφ = (p + p″) t. In the body the nose is at −90°, so that φ = ψ + 90°.
  const auto phi = [](double psi) { return psi + kTurn / 4; };
  const PlaneCurve lobe{.position = [=](double a) -> Vector2d {
                          return (kBase + lift(phi(a), 0)) * direction(a) + lift(phi(a), 1) * direction(a + kTurn / 4);
                        },
                        .tangent = [=](double a) -> Vector2d {
                          return (kBase + lift(phi(a), 0) + lift(phi(a), 2)) * direction(a + kTurn / 4);
                        },
                        .second = [=](double a) -> Vector2d {
                          return (lift(phi(a), 1) + lift(phi(a), 3)) * direction(a + kTurn / 4) -
                                 (kBase + lift(phi(a), 0) + lift(phi(a), 2)) * direction(a);
                        }};
  const PlaneCurve face{[](double a) { return Vector2d(-a, 0); }, [](double) { return Vector2d(-1, 0); },
                        [](double) { return Vector2d(0, 0); }};
  const BodyId on_cam = system.emplace<MasslessCoordinate>(kTurn / 4), on_face = system.emplace<MasslessCoordinate>(0);
  const Vector3d top(0, kBase, 0), up = Vector3d::UnitY();
  system.add_constraint(std::make_unique<PlanarRevolute>(Anchor{}, Anchor{Vector3d::Zero(), cam}), "shaft");
  system.add_constraint(std::make_unique<PlanarPrismatic>(Axis{top, up}, Axis{top, up, follower}), "guide");
  system.add_constraint(std::make_unique<Cam>(CamSide{cam, lobe, on_cam}, CamSide{follower, face, on_face}), "cam");
  Mechanism mechanism(system);
  const DriveId shaft = mechanism.add_drive(planar_angle(cam), "shaft");

  example::Line place{{}, "black"}, speed{{}, "#36c"}, acceleration{{}, "#c33"}, torque{{}, "#292"};
  example::Line outline{{}, "black", 2}, stem{{}, "#36c", 3}, base{{}, "#bbb", 1}, touch{{}, "#c33", 1.5, true};
  double errors[4] = {0, 0, 0, 0}, work = 0;
  const Eigen::Index y = mechanism.first(follower) + 1;
  const auto draw = [&](double found) {
    for (int i = 0; i <= 180; ++i) {
      const Vector2d p = lobe.position(kTurn * i / 180);
      outline.points.push_back(system.bodies()[cam].to_space({p.x(), p.y(), 0}).head<2>());
      base.points.push_back(kBase * direction(kTurn * i / 180));
    }
    const double half = 0.022, bore = 0.004, plate = found + 0.004, end = found + 0.03;
    stem.points = {{0, found}, {half, found}, {half, plate}, {bore, plate}, {bore, end}};
    for (std::size_t i = stem.points.size(); i > 0; --i) {
      const Vector2d p = stem.points[i - 1];
      stem.points.emplace_back(-p.x(), p.y());
    }
    const double x = -dynamic_cast<const MasslessCoordinate&>(system.bodies()[on_face]).value();
    touch.points = {{x, found}, {0, 0}};
  };
  const PathOptions once{.from = 0, .to = kTurn, .step = kTurn / 180, .rate = kSpeed};
  const PathReport turn = follow(mechanism, shaft, once, [&](const PathPoint& s) {
    const double degrees = 360 / kTurn * s.value, found = system.bodies()[follower].to_space({0, 0, 0}).y();
    const double a = solve_accelerations(mechanism).value[y], v = mechanism.velocity()[y];
    Loads loads(mechanism);
    loads.add_force(follower, {0, 0, 0}, {0, -kPreload - kStiffness * (found - kBase), 0});
    const double t = static_reactions(mechanism, loads.f()).drives[0];
    place.points.emplace_back(degrees, 1e3 * (found - kBase));
    speed.points.emplace_back(degrees, v);
    acceleration.points.emplace_back(degrees, a);
    torque.points.emplace_back(degrees, t);
    // By hand, of φ = θ − 180°.
    const double at = s.value - kTurn / 2, values[4] = {found, v, a, t};
    const double by_hand[4] = {kBase + lift(at, 0), kSpeed * lift(at, 1), kSpeed * kSpeed * lift(at, 2),
                               (kPreload + kStiffness * lift(at, 0)) * lift(at, 1)};
    for (int i = 0; i < 4; ++i) errors[i] = std::max(errors[i], std::abs(values[i] - by_hand[i]));
    if (s.value < kTurn * (1 - 1e-9)) work += t * kTurn / 180;
    if (outline.points.empty() && degrees > 149) draw(found);
  });
  if (!turn.message().empty()) std::puts(turn.message().c_str());

  example::Svg picture;
  picture.panel("cam and flat-faced follower at 150° [m]", {base, outline, stem, touch}, example::Axes::equal);
  picture.panel("lift [mm] over θ [°]", {place});
  picture.panel("speed [m/s]", {speed});
  picture.panel("acceleration [m/s²]", {acceleration});
  picture.panel("torque of the shaft against the spring [N m]", {torque});
  bool right = picture.save("cam_follower.svg") && turn.status == PathStatus::reached;
  right &= example::agrees("highest lift [mm]", place.points.at(90).y(), 1e3 * kLift, 1e-9);
  right &= example::agrees("largest error of lift [m]", errors[0], 0, 1e-12);
  right &= example::agrees("of speed over ω", errors[1] / kSpeed, 0, 1e-12);
  right &= example::agrees("of acceleration over ω²", errors[2] / (kSpeed * kSpeed), 0, 1e-12);
  right &= example::agrees("of torque [N m]", errors[3], 0, 1e-10);
  right &= example::agrees("work of a turn against the spring [J]", work, 0, 1e-10);
  return right ? 0 : 1;
}
