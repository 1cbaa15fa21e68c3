// A disc on an incline of angle θ. By hand, rolling without slip: friction S = (1/3) m g sin θ does no work, and
// a = (2/3) g sin θ; Coulomb's law lets it roll while S ≤ μ N, tan θ ≤ 3 μ. Beyond it slips: a = g (sin θ − μ cos θ),
// α = 2 μ g cos θ/r. Once the slip is ruled out by a constraint on velocities, integrated with error control, and once
// friction decides, in steps with contact.

#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <vector>

#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/ldy/assembly/constraints/driven/rolling_wheel.hpp>
#include <locdyn/mechanism/smooth/integrate/integrate.hpp>

#include "motion.hpp"
#include "run.hpp"
#include "svg.hpp"

using namespace locdyn;
using Eigen::Vector2d;
using Eigen::Vector3d;
using example::kGravity;

namespace {

constexpr double kMass = 3, kRadius = 0.2, kFriction = 0.3, kTime = 0.7, kDegree = std::numbers::pi / 180;

struct Roll {
  double acceleration = 0, spin = 0;             // down the incline [m/s²], about the axle [rad/s²]
  double friction = 0, normal = 0;               // [N]
  example::Line rim = {}, disc{{}, "black", 2};  // the path of a point on the rim; the disc with its spoke at the end
};

// The incline is the plane y = 0 through the origin, x down it; weight leans by θ.
Vector3d weight(double theta) {
  return kGravity * Vector3d(std::sin(theta), -std::cos(theta), 0);
}

// In the picture the incline leans.
Vector2d drawn(const Vector2d& x, double theta) {
  const double c = std::cos(theta), s = std::sin(theta);
  return {c * x.x() + s * x.y(), -s * x.x() + c * x.y()};
}
// A point on the rim.
Vector2d mark(const System& system, BodyId disc, double theta) {
  return drawn(example::place(system.bodies(), disc, {kRadius, 0, 0}), theta);
}
void draw_disc(Roll& roll, const System& system, BodyId disc, double theta) {
  const Vector2d centre = drawn(example::place(system.bodies(), disc), theta);
  const Vector2d spoke = mark(system, disc, theta) - centre, across(-spoke.y(), spoke.x());
  for (int k = 0; k <= 60; ++k) {
    roll.disc.points.push_back(centre + std::cos(k * 6 * kDegree) * spoke + std::sin(k * 6 * kDegree) * across);
  }
  roll.disc.points.push_back(centre);
}

Roll constrained(double theta) {
  System system;
  system.gravity = weight(theta);
  const BodyId disc = system.emplace<PlanarBody>(kMass, kMass * kRadius * kRadius / 2, Vector2d(0, kRadius));
  system.add_constraint(
      std::make_unique<RollingWheel>(Axis{{0, 0, 0}, Vector3d::UnitY()}, Axis{{0, kRadius, 0}, Vector3d::UnitZ(), disc},
                                     kRadius, WheelRows::plane),
      "no slip");
  Mechanism mechanism(system);
  const Eigen::Index along = mechanism.rows_of("no slip")[0], across = mechanism.rows_of("no slip")[1];
  Roll roll{.rim = {{}, "#36c"}};
  integrate(mechanism, loads_of(system), {.until = kTime, .output_times = example::times(0, kTime, 0.01)},
            [&](const MotionPoint& point) {
              roll.rim.points.push_back(mark(system, disc, theta));
              roll.friction = std::abs(point.rates.multipliers[along]);
              roll.normal = point.rates.multipliers[across];
            });
  const Eigen::VectorXd u = system.bodies()[disc].velocity();
  roll.acceleration = u[0] / kTime;
  roll.spin = -u[2] / kTime;
  draw_disc(roll, system, disc, theta);
  return roll;
}

// A cylinder about z on a slab: a contact law decides.
Roll with_friction(double theta) {
  System system(make_bullet_detector());
  system.gravity = weight(theta);
  const auto surface = system.materials.add_surface("steel", example::friction(kFriction));
  add_obstacle(system, Box{{20, 1, 1}}, surface, {.position = {5, -0.5, 0}});
  const double width = 0.1;
  const BodyId disc = add_solid(system, Cylinder{kRadius, width},
                                {.density = kMass / cylinder_mass(1, kRadius, width).mass, .surface = surface},
                                {.position = {0, kRadius, 0}});
  Roll roll{.rim = {{}, "#c33"}};
  TimeStepper stepper(system, {.step = 2e-3, .stop = {.tolerance = 1e-10}});
  while (stepper.time() < kTime - 1e-6) {
    static_cast<void>(stepper.step());
    roll.rim.points.push_back(mark(system, disc, theta));
  }
  const RigidVelocity velocity = velocity_of(system, disc);
  roll.acceleration = velocity.linear.x() / kTime;
  roll.spin = -velocity.angular.z() / kTime;
  draw_disc(roll, system, disc, theta);
  return roll;
}

}  // namespace

int main() {
  bool right = true;
  const double m = kMass, g = kGravity, mu = kFriction, r = kRadius;
  const Roll rolls = constrained(30 * kDegree);
  right &= example::agrees("30 degrees, no slip: a [m/s2]", rolls.acceleration, g / 3, 1e-9);
  right &= example::agrees("friction, (1/3) m g sin [N]", rolls.friction, m * g / 6, 1e-9);
  right &= example::agrees("normal force, m g cos [N]", rolls.normal, m * g * std::cos(30 * kDegree), 1e-9);

  example::Line a_hand{{}, "#bbb"}, spin_hand{{}, "#bbb"}, a{{}, "black", 0, true}, spin{{}, "#c33", 0, true};
  const auto sticks = [&](double theta) { return std::tan(theta) <= 3 * mu; };
  const auto a_of = [&](double theta) {
    return sticks(theta) ? 2 * g / 3 * std::sin(theta) : g * (std::sin(theta) - mu * std::cos(theta));
  };
  const auto spin_of = [&](double theta) { return sticks(theta) ? a_of(theta) / r : 2 * mu * g * std::cos(theta) / r; };
  for (double d = 0; d <= 80; d += 0.5) {
    a_hand.points.emplace_back(d, a_of(d * kDegree));
    spin_hand.points.emplace_back(d, r * spin_of(d * kDegree));
  }
  Roll slips;
  for (const double d : {10.0, 20.0, 30.0, 40.0, 45.0, 50.0, 60.0, 70.0}) {
    const Roll roll = with_friction(d * kDegree);
    if (d == 60) slips = roll;
    a.points.emplace_back(d, roll.acceleration);
    spin.points.emplace_back(d, r * roll.spin);
    std::printf("%.0f degrees, %s: ", d, sticks(d * kDegree) ? "sticks" : "slips");
    right &= example::agrees("a [m/s2]", roll.acceleration, a_of(d * kDegree), 1e-6);
    right &= example::agrees("  angular acceleration [rad/s2]", roll.spin, spin_of(d * kDegree), 1e-5);
  }

  const auto incline = [](double theta, double length) {
    return example::Line{{drawn({-0.3, 0}, theta), drawn({length, 0}, theta)}, "#bbb", 2};
  };
  example::Svg picture;
  picture.panel("30°, no slip: path of a point on the rim [m]", {incline(30 * kDegree, 1.1), rolls.rim, rolls.disc},
                example::Axes::equal);
  picture.panel("60°, μ = 0.3: slips [m]", {incline(60 * kDegree, 2.1), slips.rim, slips.disc}, example::Axes::equal);
  picture.panel("a and (red) r α [m/s²] over θ [°], μ = 0.3", {a_hand, spin_hand, a, spin});
  right &= picture.save("rolling_disc.svg");
  return right ? 0 : 1;
}
