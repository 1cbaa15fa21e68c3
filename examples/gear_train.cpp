// A pinion, an idler and a wheel, on whose shaft sits the sun of a planetary stage: three planets on a carrier, in a
// ring. Willis: seen from the carrier sun and ring turn as z_ring to −z_sun. With the ring held the carrier goes once
// in 10.5 turns of the pinion; with the ring driven too their speeds add. Two of the three planets repeat what the
// first one says; the mechanism takes them all.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/mechanism/loads.hpp>
#include <locdyn/mechanism/mobility.hpp>
#include <locdyn/mechanism/path.hpp>
#include <locdyn/mechanism/rates.hpp>
#include <locdyn/simulation/system.hpp>
#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>
#include <locdyn/ldy/assembly/constraints/planar/planar_joints.hpp>

#include "agrees.hpp"
#include "svg.hpp"

using namespace locdyn;
using Eigen::Vector2d;
using Eigen::Vector3d;

namespace {

constexpr double kTurn = 2 * std::numbers::pi;

Vector2d direction(double angle) {
  return {std::cos(angle), std::sin(angle)};
}

// A gear as it is drawn: z teeth, one of them at angle `tooth` [rad] of its body when that is not turned.
struct Gearwheel {
  BodyId body;
  Vector2d centre;
  int z;
  double tooth;
  double module;  // of the pitch circle, over z [m]
  [[nodiscard]] double radius() const { return 0.5 * module * z; }
};

// Where a gear of z teeth has one so that it meshes with `other`, which lies in direction `towards` from it; from
// inside (a ring) it is a gap.
double meshing(const Gearwheel& other, double towards, int z, bool inside) {
  const double away = inside ? towards : towards + kTurn / 2;
  const double share = (other.tooth - away) * other.z / kTurn;
  return towards + kTurn / z * (inside ? share : 0.5 - share);
}

example::Line teeth(const System& system, const Gearwheel& gear, const char* colour) {
  example::Line line{{}, colour, 1.5};
  for (int i = 0; i <= 4 * gear.z; ++i) {
    const double at[] = {-0.3, -0.14, 0.14, 0.3},
                 r = gear.radius() + (i % 4 == 1 || i % 4 == 2 ? 0.9 : -1) * gear.module;
    const Vector2d p = r * direction(gear.tooth + kTurn / gear.z * (i / 4 + at[i % 4]));
    line.points.push_back(system.bodies()[gear.body].to_space({p.x(), p.y(), 0}).head<2>());
  }
  return line;
}

example::Line circle(const Vector2d& centre, double radius, const char* colour) {
  example::Line line{{}, colour, 1};
  for (int i = 0; i <= 90; ++i) line.points.push_back(centre + radius * direction(kTurn / 90 * i));
  return line;
}

}  // namespace

int main() {
  constexpr int kPinion = 20, kIdler = 30, kWheel = 60, kSun = 24, kPlanet = 18, kRing = kSun + 2 * kPlanet;
  System system;
  const auto add = [&](const Vector2d& at) { return system.emplace<PlanarBody>(1.0, 1e-3, at); };
  const auto space = [](const Vector2d& x) { return Vector3d(x.x(), x.y(), 0); };
  const auto bearing = [&](const std::string& name, const Vector2d& at, BodyId body, std::optional<BodyId> on) {
    system.add_constraint(std::make_unique<PlanarRevolute>(Anchor{space(at), on}, Anchor{space(at), body}), name);
  };
  // First the train, of module 5 mm, then the stage, of 4 mm.
  constexpr double kTrain = 0.005, kStage = 0.004, kFirst = 2.36, kSecond = -2.07;
  const Vector2d middle(0, 0), at_idler = 0.5 * kTrain * (kWheel + kIdler) * direction(kFirst),
                               at_pinion = at_idler + 0.5 * kTrain * (kIdler + kPinion) * direction(kSecond);
  const BodyId wheel = add(middle), carrier = add(middle), ring = add(middle);
  const Gearwheel w{wheel, middle, kWheel, 0, kTrain}, sun{wheel, middle, kSun, 0, kStage};
  const Gearwheel idler{add(at_idler), at_idler, kIdler, meshing(w, kFirst + kTurn / 2, kIdler, false), kTrain};
  const Gearwheel pinion{add(at_pinion), at_pinion, kPinion, meshing(idler, kSecond + kTurn / 2, kPinion, false),
                         kTrain};
  bearing("wheel and sun", middle, wheel, {});
  bearing("carrier", middle, carrier, {});
  bearing("ring", middle, ring, {});
  bearing("idler", at_idler, idler.body, {});
  bearing("pinion", at_pinion, pinion.body, {});

  // Gears turn by the inverse of their teeth, against each other but for a ring, as seen from what carries both.
  const auto gear = [&](const std::string& name, const Coordinate& a, const Coordinate& b, double ratio) {
    system.add_constraint(std::make_unique<Gear>(a, b, ratio), name);
  };
  gear("pinion and idler", planar_angle(pinion.body), planar_angle(idler.body), -double(kIdler) / kPinion);
  gear("idler and wheel", planar_angle(idler.body), planar_angle(wheel), -double(kWheel) / kIdler);
  std::vector<Gearwheel> planets;
  for (int i = 0; i < 3; ++i) {
    const double angle = kTurn / 4 + kTurn / 3 * i;
    const Vector2d at = 0.5 * kStage * (kSun + kPlanet) * direction(angle);
    const Gearwheel& planet =
        planets.emplace_back(Gearwheel{add(at), at, kPlanet, meshing(sun, angle + kTurn / 2, kPlanet, false), kStage});
    const std::string name = "planet " + std::to_string(i + 1);
    bearing(name, at, planet.body, carrier);
    const auto seen = [&](BodyId body, const Vector2d& centre) {
      return axis_angle({space(centre), Vector3d::UnitZ(), carrier}, {space(centre), Vector3d::UnitZ(), body});
    };
    gear("sun and " + name, seen(wheel, middle), seen(planet.body, at), -double(kPlanet) / kSun);
    gear("ring and " + name, seen(ring, middle), seen(planet.body, at), double(kPlanet) / kRing);
  }
  const Gearwheel r{ring, middle, kRing, meshing(planets[0], kTurn / 4, kRing, true), kStage};

  Mechanism mechanism(system);
  const DriveId input = mechanism.add_drive(planar_angle(pinion.body), "pinion");
  const DriveId hold = mechanism.add_drive(planar_angle(ring), "ring");
  const Mobility now = mobility(mechanism);
  std::printf("rows that repeat others: %zu, freedoms besides the drives: %td\n", now.redundant.size(), now.freedoms);

  // The ring held: one turn of the carrier.
  const double stage = 1 + double(kRing) / kSun, ratio = double(kWheel) / kPinion * stage;
  example::Line turns[3] = {{{}, "#36c"}, {{}, "#c33"}, {{}, "#292"}};
  const auto angle = [&](BodyId body) { return dynamic_cast<const PlanarBody&>(system.bodies()[body]).angle(); };
  std::vector<example::Line> drawn;
  const auto draw = [&] {
    drawn = {circle(middle, r.radius() + 2.5 * kStage, "#777"),
             teeth(system, r, "#777"),
             teeth(system, w, "#36c"),
             teeth(system, sun, "#36c"),
             teeth(system, idler, "#777"),
             teeth(system, pinion, "black")};
    example::Line arms{{}, "#c33", 3, true};
    for (const Gearwheel& planet : planets) {
      drawn.push_back(teeth(system, planet, "#292"));
      arms.points.push_back(system.bodies()[planet.body].to_space({0, 0, 0}).head<2>());
    }
    arms.points.push_back(arms.points[0]);
    drawn.push_back(arms);
  };
  double away = 0;
  const PathOptions once{.from = 0, .to = ratio * kTurn, .step = kTurn / 12, .rate = 1};
  const PathReport path = follow(mechanism, input, once, [&](const PathPoint& s) {
    const BodyId shown[3] = {wheel, carrier, planets[0].body};
    for (int i = 0; i < 3; ++i) turns[i].points.emplace_back(s.value / kTurn, angle(shown[i]) / kTurn);
    away = std::max(away, std::abs(angle(carrier) - s.value / ratio));
    if (drawn.empty() && s.value > 3) draw();
  });
  if (!path.message().empty()) std::puts(path.message().c_str());

  // A load on the carrier; pinion and ring hold it, the ring driven at speeds of its own.
  const double load = -100, speed = 30;  // N m, rad/s
  Loads loads(mechanism);
  loads.add_torque(carrier, {0, 0, load});
  const StaticReport held = static_reactions(mechanism, loads.f());
  example::Line willis{{}, "#c33", 1.5, true};
  double power = 0, apart = 0;
  for (double at_ring = -2; at_ring <= 2; at_ring += 0.5) {
    mechanism.set_drive(input, {.value = mechanism.drive(input).motion().value, .rate = speed});
    mechanism.set_drive(hold, {.value = 0, .rate = at_ring});
    const Eigen::VectorXd u = solve_velocities(mechanism).value;
    const double at_carrier = u[mechanism.first(carrier) + 2], at_sun = speed * kPinion / kWheel;
    willis.points.emplace_back(at_ring, at_carrier);
    apart = std::max(apart, std::abs((at_sun - at_carrier) * kSun + (at_ring - at_carrier) * kRing) / kRing);
    power = std::max(power, std::abs(held.drives[0] * speed + held.drives[1] * at_ring + loads.power()));
  }

  example::Svg picture(480);
  picture.panel("pinion, idler, wheel; sun, planets, ring", drawn, example::Axes::equal);
  picture.panel("turns of wheel (blue), carrier (red), planet (green) over the pinion's",
                {turns[0], turns[1], turns[2]});
  picture.panel("speed of the carrier over the ring's, pinion at 30 [rad/s]", {willis});
  bool right = picture.save("gear_train.svg") && path.status == PathStatus::reached && held.balanced;
  right &= example::agrees("rows that repeat others", double(now.redundant.size()), 2, 0);
  right &= example::agrees("turns of the pinion for one of the carrier", path.reached / angle(carrier), 10.5, 1e-12);
  right &= example::agrees("largest error of the carrier on the way [rad]", away, 0, 1e-12);
  right &= example::agrees("Willis' formula, ring driven [rad/s]", apart, 0, 1e-12);
  right &= example::agrees("torque of the pinion [N m]", held.drives[0], -load / ratio, 1e-12);
  right &= example::agrees("torque that holds the ring [N m]", held.drives[1], -load * (1 - 1 / stage), 1e-12);
  right &= example::agrees("sum of powers over that of the pinion", power / (held.drives[0] * speed), 0, 1e-12);
  return right ? 0 : 1;
}
