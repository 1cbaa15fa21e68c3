// A leg of two bars takes a step. In the swing the hip goes on at 1.2 m/s, 0.86 m high, and the joints turn as told:
// the thigh α = 0.45 sin φ from the vertical, φ = ωt − φ₀, the knee bent by β = 1.1 cos⁴(π φ/3) while |φ| < 1.5. The
// foot comes down as it left, with the leg of 0.9 m straight, cos α = 0.86/0.9, and on the way back: sin φ₀ = α/0.45,
// φ₀ > π/2, and t = 2 φ₀/ω. Then it stays where it is, and the body vaults over it. By hand: foot = hip + l₁ (sin α,
// −cos α) + l₂ (sin(α − β), −cos(α − β)). A force f at the foot turns the hip by Jᵀ f = (foot − hip) × f. The angular
// momentum L about the foot stays in the impact, after it α̇ = L/I, and energy stays in the vault, at whose top the
// ground carries Σ m (g − r α̇²).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <vector>

#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>
#include <locdyn/ldy/assembly/constraints/planar/planar_joints.hpp>
#include <locdyn/mechanism/drive_transmission.hpp>
#include <locdyn/mechanism/rates.hpp>
#include <locdyn/mechanism/smooth/integrate/integrate.hpp>
#include <locdyn/simulation/energies.hpp>
#include <locdyn/simulation/system.hpp>

#include "agrees.hpp"
#include "motion.hpp"
#include "svg.hpp"

using namespace locdyn;
using Eigen::Vector2d;
using Eigen::Vector3d;
using std::numbers::pi;

namespace {

constexpr double kGravity = 9.81, kHeight = 0.86, kSpeed = 1.2, kThigh = 0.46, kShank = 0.44, kLeg = kThigh + kShank;
constexpr double kSwing = 0.6, kBend = 1.5, kOmega = 7;  // rad, rad, rad/s
constexpr std::array<double, 3> kMass = {50, 7, 4};      // body, thigh, shank [kg]
constexpr std::array<double, 3> kInertia = {3, kMass[1] * kThigh* kThigh / 12, kMass[2] * kShank* kShank / 12};
const double kTouch = std::acos(kHeight / kLeg), kPhase = pi - std::asin(kTouch / kSwing);

// α and −β, with two derivatives.
TimeFunction thigh_program() {
  const auto phi = [](double t) { return kOmega * t - kPhase; };
  return {[=](double t) { return kSwing * std::sin(phi(t)); },
          [=](double t) { return kSwing * kOmega * std::cos(phi(t)); },
          [=](double t) { return -kSwing * kOmega * kOmega * std::sin(phi(t)); }};
}
TimeFunction knee_program() {
  // c and s of π φ/4: c is 0 outside, where the bump is over.
  const auto c = [](double t) { return std::cos(std::clamp(kOmega * t - kPhase, -2.0, 2.0) * pi / 4); };
  const auto s = [](double t) { return std::sin(std::clamp(kOmega * t - kPhase, -2.0, 2.0) * pi / 4); };
  constexpr double w = pi * kOmega / 4;
  return {[=](double t) { return -kBend * std::pow(c(t), 4); },
          [=](double t) { return 4 * kBend * w * std::pow(c(t), 3) * s(t); },
          [=](double t) { return 4 * kBend * w * w * (std::pow(c(t), 4) - 3 * std::pow(c(t) * s(t), 2)); }};
}

enum class Phase { swing, stance };

// Built with the leg straight, at α.
struct Leg {
  System system;
  BodyId body{0}, thigh = BodyId{1}, shank = BodyId{2};
  Coordinate hip_angle, knee_angle;

  Leg(const Vector3d& hip, double alpha, Phase phase)
      : hip_angle(signed_angle(carried(body, -Vector3d::UnitY()), {{hip, thigh}, {at(hip, alpha, kThigh), thigh}})),
        knee_angle(signed_angle({{hip, thigh}, {at(hip, alpha, kThigh), thigh}},
                                {{at(hip, alpha, kThigh), shank}, {at(hip, alpha, kLeg), shank}})) {
    system.gravity = {0, -kGravity, 0};
    const Vector3d knee = at(hip, alpha, kThigh), foot = at(hip, alpha, kLeg), x = Vector3d::UnitX(),
                   y = Vector3d::UnitY();
    const auto add = [&](int k, const Vector3d& centre, double angle) {
      system.emplace<PlanarBody>(kMass.at(k), kInertia.at(k), Vector2d(centre.head<2>()), angle);
    };
    add(0, hip, 0);
    add(1, (hip + knee) / 2, alpha);
    add(2, (knee + foot) / 2, alpha);
    const auto prescribe = [&](const Coordinate& coordinate, TimeFunction f) {
      system.add_constraint(std::make_unique<Prescribed>(coordinate, std::move(f)));
    };
    const auto revolute = [&](const Anchor& a, const Anchor& b) {
      system.add_constraint(std::make_unique<PlanarRevolute>(a, b));
    };
    if (phase == Phase::stance) revolute({foot}, {foot, shank});
    revolute({hip, body}, {hip, thigh});
    revolute({knee, thigh}, {knee, shank});
    prescribe(planar_angle(body), constant_function(0));
    if (phase == Phase::swing) {
      prescribe(axis_displacement({hip, x}, {hip, body}), linear_function(0, kSpeed));
      prescribe(axis_displacement({hip, y}, {hip, body}), constant_function(0));
      prescribe(hip_angle, thigh_program());
    }
    prescribe(knee_angle, phase == Phase::swing ? knee_program() : constant_function(0));
  }

  static Vector3d at(const Vector3d& hip, double alpha, double along) {
    return hip + along * Vector3d(std::sin(alpha), -std::cos(alpha), 0);
  }
  [[nodiscard]] Vector2d hip() const { return example::place(system.bodies(), body); }
  [[nodiscard]] Vector2d knee() const { return example::place(system.bodies(), thigh, {0, -kThigh / 2, 0}); }
  [[nodiscard]] Vector2d foot() const { return example::place(system.bodies(), shank, {0, -kShank / 2, 0}); }
  [[nodiscard]] example::Line bars(const char* colour) const { return {{hip(), knee(), foot()}, colour, 1.5, true}; }
};

double cross(const Vector2d& a, const Vector2d& b) {
  return a.x() * b.y() - a.y() * b.x();
}

struct Curves {
  example::Line path{{}, "#c33"}, hips{{}, "#bbb"}, alpha{{}, "black"}, beta{{}, "#36c"}, up{{}, "black"},
      along{{}, "#c33"};
  std::vector<example::Line> sticks{{{{-0.4, 0}, {1.4, 0}}, "#888", 2}};
};

// To the touch-down.
bool swings(Leg& leg, Mechanism& mechanism, Curves& curves) {
  solve_velocities(mechanism);
  const TimeFunction thigh = thigh_program(), knee = knee_program();
  double error = 0;
  const MotionEvent touch{.g = [&](const Mechanism&) { return leg.foot().y(); },
                          .direction = MotionEvent::Direction::falling,
                          .stops = true};
  const MotionReport down = integrate(
      mechanism, loads_of(leg.system), {.until = 2, .output_times = example::times(0, 2, 0.01), .events = {touch}},
      [&](const MotionPoint& point) {
        const double a = thigh.value(point.time), b = -knee.value(point.time);
        const Vector2d by_hand = Vector2d(kSpeed * point.time, kHeight) + kThigh * Vector2d(std::sin(a), -std::cos(a)) +
                                 kShank * Vector2d(std::sin(a - b), -std::cos(a - b));
        error = std::max(error, (leg.foot() - by_hand).norm());
        curves.path.points.push_back(leg.foot());
        curves.hips.points.push_back(leg.hip());
        curves.alpha.points.emplace_back(point.time, a);
        curves.beta.points.emplace_back(point.time, b);
        if (curves.path.points.size() % 6 == 1) curves.sticks.push_back(leg.bars("#36c"));
      });
  bool right = example::agrees("foot, largest error [m]", error, 0, 1e-12);
  right &= example::agrees("touch-down [s]", down.reached, 2 * kPhase / kOmega, 1e-9);
  return right;
}

// What 80 N backward and 600 N upward at the foot are worth at hip and knee there.
bool carries(Leg& leg, Mechanism& mechanism) {
  std::vector<MechanismMember> held;
  for (std::size_t i = 0; i < 5; ++i) held.push_back({&mechanism.member(i), {}});
  Mechanism posed(leg.system.bodies(), held);
  posed.add_drive(leg.hip_angle, "hip");
  posed.add_drive(leg.knee_angle, "knee");
  const Vector3d f(-80, 600, 0);
  const Eigen::VectorXd torques =
      effector_jacobian(posed, drive_transmission(posed), leg.shank, {0, -kShank / 2, 0}).topRows(3).transpose() * f;
  bool right = example::agrees("J'f at the hip [N m]", torques[0], cross(leg.foot() - leg.hip(), f.head<2>()), 1e-9);
  right &= example::agrees("J'f at the knee [N m]", torques[1], cross(leg.foot() - leg.knee(), f.head<2>()), 1e-9);
  return right;
}

// The angular momentum about the foot, the moment of inertia of the straight leg with the body, and Σ m r.
struct AboutFoot {
  double L = 0, I = 0, moment = 0;
  explicit AboutFoot(const Leg& leg) {
    for (BodyId id{0}; id < 3; ++id) {
      const Vector2d r = example::place(leg.system.bodies(), id) - leg.foot();
      const Eigen::VectorXd u = leg.system.bodies()[id].velocity();
      L += kMass.at(id) * cross(r, u.head<2>()) + kInertia.at(id) * u[2];
      I += kMass.at(id) * r.squaredNorm() + (id == 0 ? 0 : kInertia.at(id));
      moment += kMass.at(id) * r.norm();
    }
  }
};

// The impact, to the nearest velocities in kinetic energy with the foot at rest, and the vault to where it leaves.
bool vaults(Leg& leg, const Eigen::VectorXd& velocity, const AboutFoot& before, Curves& curves) {
  Mechanism mechanism(leg.system, Metric::kinetic);
  solve_velocities(mechanism, velocity);
  const double foot = leg.foot().x();
  const auto rate = [&] { return leg.system.bodies()[leg.thigh].velocity()[2]; };
  bool right = example::agrees("after the impact [rad/s]", rate(), before.L / before.I, 1e-9);
  const double start = energies(leg.system).total, total = kMass[0] + kMass[1] + kMass[2];
  const auto ahead = [&] { return leg.hip().x() - foot; };
  const MotionEvent top{.g = [&](const Mechanism&) { return ahead(); }};
  const MotionEvent leaves{.g = [&](const Mechanism&) { return ahead() - kLeg * std::sin(kTouch); }, .stops = true};
  const MotionReport off = integrate(
      mechanism, loads_of(leg.system),
      {.until = 2, .output_times = example::times(0, 2, 0.01), .events = {top, leaves}}, [&](const MotionPoint& point) {
        const Eigen::VectorXd& force = point.rates.multipliers;  // on the foot: its pin came first
        if (point.event == 0) {
          right &= example::agrees("ground force at the top [N]", force[1],
                                   total * kGravity - before.moment * rate() * rate(), 1e-6);
        }
        curves.along.points.emplace_back(point.time, force[0]);
        curves.up.points.emplace_back(point.time, force[1]);
        curves.hips.points.push_back(leg.hip());
        if (curves.along.points.size() % 12 == 1) curves.sticks.push_back(leg.bars("#bbb"));
      });
  right &= example::agrees("energy after the vault [J]", energies(leg.system).total, start, 1e-6);
  right &= off.stopped_by == 1 && off.events.size() == 2;
  return right;
}

}  // namespace

int main() {
  Curves curves;
  Leg swing({0, kHeight, 0}, -kTouch, Phase::swing);
  Mechanism driven(swing.system);
  bool right = swings(swing, driven, curves);
  right &= carries(swing, driven);
  Leg stance({swing.hip().x(), swing.hip().y(), 0}, kTouch, Phase::stance);
  right &= vaults(stance, driven.velocity(), AboutFoot(swing), curves);

  curves.sticks.insert(curves.sticks.end(), {curves.hips, curves.path});
  example::Svg picture(400);
  picture.panel("a step: swing (blue), foot (red), vault (grey) [m]", curves.sticks, example::Axes::equal);
  picture.panel("thigh α, knee β (blue) [rad] over t [s]", {curves.alpha, curves.beta});
  picture.panel("ground force in the vault: up, forward (red) [N]", {curves.up, curves.along});
  right &= picture.save("walking_leg.svg");
  return right ? 0 : 1;
}
