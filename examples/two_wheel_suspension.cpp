// A car with two wheels on arms, seen from the side: what can move, how far it sinks, how it rides over a bump.
// By hand: five bodies in the plane on four pins have 3·5 − 2·4 = 7 degrees of freedom. Each wheel carries half of what
// the arms' pins carry, m, by a spring at the share s/L = 0.6 of its arm: it sinks by m g/(2 k (s/L)²), the tyre by the
// whole weight over 2 k of its own.

#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/forces/penalty/penalty_contact.hpp>
#include <locdyn/forces/penalty/wheel_on_terrain.hpp>
#include <locdyn/forces/point_spring_damper.hpp>
#include <locdyn/ldy/assembly/constraints/planar/planar_joints.hpp>
#include <locdyn/mechanism/drive_transmission.hpp>
#include <locdyn/mechanism/mobility.hpp>
#include <locdyn/mechanism/smooth/integrate/integrate.hpp>
#include <locdyn/simulation/system.hpp>

#include "agrees.hpp"
#include "motion.hpp"
#include "svg.hpp"

using namespace locdyn;
using Eigen::Vector2d;
using Eigen::Vector3d;

namespace {

constexpr double kGravity = 9.81, kChassis = 500, kArm = 8, kWheel = 20, kRadius = 0.3;  // kg, m
constexpr double kStiffness = 45e3, kTyre = 1.8e5, kLength = 0.5, kRatio = 0.6;          // N/m, N/m, m
constexpr double kCarried = kChassis + kArm;                                             // half of each arm
constexpr double kSinks = kCarried * kGravity / (2 * kStiffness * kRatio * kRatio);
const Vector3d kX = Vector3d::UnitX(), kY = Vector3d::UnitY(), kZ = Vector3d::UnitZ();
constexpr std::array kOutlineX = {-1.1, -1.7, -1.6, -0.9, 0.3, 0.8, 1.7, 1.7, 1.1, 0.8, -0.8, -1.1};
constexpr std::array kOutlineY = {0.75, 0.75, 0.95, 1.35, 1.35, 0.95, 0.85, 0.75, 0.75, 0.3, 0.3, 0.75};

// A bump of 8 cm over a metre, 3 m ahead.
double bump(double x, int derivative) {
  const double wave = 2 * std::numbers::pi, phase = wave * (x - 3);
  if (x < 3 || x > 4) return 0;
  return 0.04 * (derivative == 0 ? 1 - std::cos(phase) : wave * std::sin(phase));
}

struct Car {
  System system;
  BodyId chassis = system.emplace<PlanarBody>(kChassis, 600.0, Vector2d(0, 0.6));
  std::array<BodyId, 2> arm{}, wheel{};  // front, rear
  std::array<Vector3d, 2> pin, seat, foot, hub;
  std::array<Vector3d, 5> at_start;  // mass centres

  // With the arms level, as they are to be at rest: springs are longer by what they then give way.
  Car() {
    system.gravity = {0, -kGravity, 0};
    for (std::size_t k = 0; k < 2; ++k) {
      const double side = k == 0 ? 1 : -1;
      const Vector3d along = side * kLength * kX;
      pin[k] = {side * 0.8, kRadius, 0};
      hub[k] = pin[k] + along;
      foot[k] = pin[k] + kRatio * along;
      seat[k] = foot[k] + 0.45 * kY;
      arm[k] = system.emplace<PlanarBody>(kArm, kArm * kLength * kLength / 12, (pin[k] + along / 2).head<2>());
      wheel[k] = system.emplace<PlanarBody>(kWheel, kWheel * kRadius * kRadius / 2, hub[k].head<2>());
      system.add_constraint(std::make_unique<PlanarRevolute>(Anchor{pin[k], chassis}, Anchor{pin[k], arm[k]}));
      system.add_constraint(std::make_unique<PlanarRevolute>(Anchor{hub[k], arm[k]}, Anchor{hub[k], wheel[k]}));
      system.add_force(std::make_unique<PointSpringDamper>(Anchor{foot[k], arm[k]}, Anchor{seat[k], chassis},
                                                           SpringProperties{kStiffness, 3400}, 0.45 + kRatio * kSinks));
      const Terrain road{[](double x) { return bump(x, 0); }, [](double x) { return bump(x, 1); }, nullptr};
      system.add_force(std::make_unique<PenaltyContact>(
          std::make_unique<WheelOnTerrain>(Anchor{hub[k], wheel[k]}, kRadius, road),
          PenaltyLaw{.stiffness = kTyre, .exponent = 1, .damping = 300, .friction = 0.9, .slip_speed = 0.1}));
    }
    for (BodyId id{0}; id < 5; ++id) at_start.at(id) = system.bodies()[id].to_space(Vector3d::Zero());
  }

  // Where a point of a body that was at x when the car was built is now.
  [[nodiscard]] Vector2d now(BodyId body, const Vector3d& x) const {
    return example::place(system.bodies(), body, x - at_start.at(body));
  }
  [[nodiscard]] double height(BodyId body) const { return example::place(system.bodies(), body).y(); }

  void draw(std::vector<example::Line>& lines, const char* colour, double width) const {
    example::Line body{{}, colour, width};
    for (std::size_t i = 0; i < kOutlineX.size(); ++i) {
      body.points.push_back(now(chassis, {kOutlineX.at(i), kOutlineY.at(i), 0}));
    }
    lines.push_back(body);
    for (std::size_t k = 0; k < 2; ++k) {
      lines.push_back({{now(chassis, pin[k]), now(arm[k], hub[k])}, colour, 2 * width});
      lines.push_back({{now(arm[k], foot[k]), now(chassis, seat[k])}, colour, width});
      example::Line tyre{{}, colour, width};
      for (int i = 0; i <= 36; ++i) {
        const double phi = i * std::numbers::pi / 18;
        tyre.points.push_back(now(wheel[k], hub[k] + kRadius * Vector3d(std::cos(phi), std::sin(phi), 0)));
      }
      tyre.points.push_back(now(wheel[k], hub[k]));
      lines.push_back(tyre);
    }
  }
};

// What can move: seven coordinates that tell all motions, and the motion that belongs to each.
bool freedoms(Car& car, Mechanism& mechanism, example::Svg& picture) {
  const Mobility free = mobility(mechanism);
  const Eigen::MatrixXd Z = free_motions(mechanism);
  const char* names[] = {"forward", "up", "pitch", "front arm", "rear arm", "front wheel", "rear wheel"};
  mechanism.add_drive(axis_displacement({{0, 0.6, 0}, kX}, {{0, 0.6, 0}, car.chassis}));
  mechanism.add_drive(axis_displacement({{0, 0.6, 0}, kY}, {{0, 0.6, 0}, car.chassis}));
  mechanism.add_drive(planar_angle(car.chassis));
  for (const std::size_t k : {0UL, 1UL}) {
    mechanism.add_drive(axis_angle({car.pin[k], kZ, car.chassis}, {car.pin[k], kZ, car.arm[k]}));
  }
  for (const std::size_t k : {0UL, 1UL}) {
    mechanism.add_drive(axis_angle({car.hub[k], kZ, car.arm[k]}, {car.hub[k], kZ, car.wheel[k]}));
  }
  const MechanismState built = mechanism.state();
  const Eigen::MatrixXd K = drive_transmission(mechanism).K;
  bool right = example::agrees("degrees of freedom", static_cast<double>(free.freedoms), 3 * 5 - 2 * 4, 0);
  right &= example::agrees("with the seven coordinates held", static_cast<double>(mobility(mechanism).freedoms), 0, 0);
  right &= example::agrees("what of their motions is not free", (K - Z * (Z.transpose() * K)).norm(), 0, 1e-12);
  std::puts("motion         x, y, turn of the chassis, of the front wheel, of the rear wheel");
  const auto rate = [&](BodyId body, int axis, int j) {
    const double value = K(mechanism.first(body) + axis, j);
    return std::abs(value) < 1e-14 ? 0.0 : value;
  };
  for (int j = 0; j < 7; ++j) {
    std::printf("%-12s", names[j]);
    for (const BodyId id : {car.chassis, car.wheel[0], car.wheel[1]}) {
      std::printf(" %6.2f %6.2f %6.2f  ", rate(id, 0, j), rate(id, 1, j), rate(id, 2, j));
    }
    std::puts("");
    std::vector<example::Line> lines;
    car.draw(lines, "#bbb", 1);
    mechanism.displace((j < 2 ? 0.2 : j < 5 ? 0.12 : 0.8) * K.col(j));
    car.draw(lines, "#c33", 1);
    mechanism.restore(built);
    picture.panel(names[j], lines, example::Axes::equal);
    if (j == 3) picture.row();
  }
  right &= example::agrees("front hub up by pitch [m]", rate(car.wheel[0], 1, 2), 0.8 + kLength, 1e-12);
  for (DriveId j = 0; j < 7; ++j) mechanism.release(j);
  return right;
}

// Tyres are stiff beside springs: an implicit integrator.
IntegrateOptions stiff(double from, double until) {
  return {.until = until,
          .rtol = 1e-7,
          .atol = 1e-9,
          .integrator = Integrator::bdf,
          .output_times = example::times(from, until, 0.02)};
}

// It settles.
bool settles(Car& car, Mechanism& mechanism, example::Svg& picture) {
  example::Line settling{{}, "black"};
  integrate(mechanism, loads_of(car.system), stiff(0, 6),
            [&](const MotionPoint& p) { settling.points.emplace_back(p.time, car.height(car.chassis)); });
  picture.panel("settles: height [m] over t [s]", {settling});
  const double spring = (car.now(car.chassis, car.seat[0]) - car.now(car.arm[0], car.foot[0])).norm();
  bool right = example::agrees("sinks on its springs [m]", (0.45 + kRatio * kSinks - spring) / kRatio, kSinks, 1e-6);
  right &= example::agrees("and on its tyres [m]", kRadius - car.height(car.wheel[0]),
                           (kChassis + 2 * kArm + 2 * kWheel) * kGravity / (2 * kTyre), 1e-6);
  return right;
}

// Over the bump at 5 m/s.
bool rides(Car& car, Mechanism& mechanism, example::Svg& picture) {
  example::Line chassis{{}, "black"}, front{{}, "#c33"}, rear{{}, "#36c"};
  const double rest = car.height(car.chassis), hub = car.height(car.wheel[0]);
  for (BodyId id{0}; id < 5; ++id) car.system.bodies()[id].set_velocity(Vector3d(5, 0, 0));
  for (const BodyId id : car.wheel) car.system.bodies()[id].set_velocity(Vector3d(5, 0, -5 / kRadius));
  picture.row();
  long k = 0;
  integrate(mechanism, loads_of(car.system), stiff(6, 10), [&](const MotionPoint& p) {
    chassis.points.emplace_back(p.time - 6, car.height(car.chassis) - rest);
    front.points.emplace_back(p.time - 6, car.height(car.wheel[0]) - hub);
    rear.points.emplace_back(p.time - 6, car.height(car.wheel[1]) - hub);
    if (++k != 23 && k != 31 && k != 50) return;
    example::Line road{{}, "#888", 2};
    for (int i = 0; i <= 100; ++i) {
      const double x = example::place(car.system.bodies(), car.chassis).x() - 2 + 0.04 * i;
      road.points.emplace_back(x, bump(x, 0));
    }
    std::vector<example::Line> lines{road};
    car.draw(lines, "black", 1.5);
    char title[40];
    std::snprintf(title, sizeof title, "over a bump: %.2f s", p.time - 6);
    picture.panel(title, lines, example::Axes::equal);
  });
  picture.panel("body, front, rear wheel: rise over t", {rear, front, chassis});
  // Three seconds of dampers leave a thousandth of the swing.
  return example::agrees("height after the bump [m]", car.height(car.chassis), rest, 1e-4);
}

}  // namespace

int main() {
  Car car;
  Mechanism mechanism(car.system);
  example::Svg picture(250);
  bool right = freedoms(car, mechanism, picture);
  right &= settles(car, mechanism, picture);
  right &= rides(car, mechanism, picture);
  right &= picture.save("two_wheel_suspension.svg");
  return right ? 0 : 1;
}
