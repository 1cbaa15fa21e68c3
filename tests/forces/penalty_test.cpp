// Penalty contact: Hertz's impact, energy, friction, and the closest points it acts at.

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include <bodies/random_bodies.hpp>
#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/forces/penalty/curve_pair.hpp>
#include <locdyn/forces/penalty/least_place.hpp>
#include <locdyn/forces/penalty/penalty_contact.hpp>
#include <locdyn/forces/penalty/wheel_on_terrain.hpp>
#include <locdyn/simulation/energies.hpp>
#include <locdyn/simulation/time_stepper.hpp>

#include "step_of.hpp"

#include "states.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::testing;
using Eigen::Vector2d;
using Eigen::Vector3d;
using std::numbers::pi;

namespace {

Terrain flat() {
  return {[](double) { return 0.0; }, [](double) { return 0.0; }, nullptr};
}
Terrain waves() {
  return {[](double x) { return 0.2 * std::sin(2 * x) + 0.1 * x; },
          [](double x) { return 0.4 * std::cos(2 * x) + 0.1; }, [](double x) { return -0.8 * std::sin(2 * x); }};
}

std::unique_ptr<WheelOnTerrain> wheel_on(const BodySet& bodies, BodyId wheel, double radius, Terrain terrain,
                                         std::optional<BodyId> ground = std::nullopt) {
  return std::make_unique<WheelOnTerrain>(Anchor{bodies[wheel].to_space(Vector3d::Zero()), wheel}, radius,
                                          std::move(terrain), ground);
}

struct Impact {
  double depth = 0, duration = 0, speed = 0;
};
// A sphere of mass m meets a plane at speed v; radius 0.1 m.
Impact impact(double m, double v, const PenaltyLaw& law, double h) {
  System system;
  system.gravity.setZero();
  const BodyId ball = system.emplace<Particle>(m, Vector3d(3, 0.1 + 0.25 * h * v, 0));
  system.bodies()[ball].set_velocity(Vector3d(0, -v, 0));
  system.add_force(std::make_unique<PenaltyContact>(wheel_on(system.bodies(), ball, 0.1, flat()), law));
  TimeStepper stepper(system, step_of(h));
  Impact found;
  do {
    (void)stepper.step();
    const double gap = system.bodies()[ball].to_space(Vector3d::Zero()).y() - 0.1;
    found.depth = std::max(found.depth, -gap);
    if (gap < 0) found.duration = stepper.time();
    found.speed = system.bodies()[ball].velocity()[1];
  } while (found.speed < 0 || system.bodies()[ball].to_space(Vector3d::Zero()).y() < 0.1);
  return found;
}

}  // namespace

TEST_CASE("Hertz's impact: depth (5 m v²/(4 k))^(2/5), 2.943 depth/v long, and no energy lost") {
  const double m = 0.3, v = 2;
  const double k = hertz_stiffness({2e8, 0.3, 0.1}, {2e8, 0.3, std::numeric_limits<double>::infinity()});
  CHECK(k == doctest::Approx(4.0 / 3 * 2e8 / (2 * 0.91) * std::sqrt(0.1)).epsilon(1e-14));
  const double depth = std::pow(5 * m * v * v / (4 * k), 0.4);
  const double duration = 2.9432750 * depth / v;  // 4√π Γ(2/5)/(5 Γ(9/10))
  CHECK(duration ==
        doctest::Approx(4 * std::sqrt(pi) * std::tgamma(0.4) / (5 * std::tgamma(0.9)) * depth / v).epsilon(1e-7));
  const double h = duration / 400;
  const Impact found = impact(m, v, {.stiffness = k}, h);
  CHECK(found.depth == doctest::Approx(depth).epsilon(1e-4));  // the step nearest to the turn: (h ω)²/8
  CHECK(std::abs(found.duration - duration) < 1.5 * h);
  CHECK(found.speed == doctest::Approx(v).epsilon(1e-4));
}

TEST_CASE("a linear Kelvin–Voigt impact rebounds as its closed form and never pulls") {
  // m ẍ + c ẋ + k x = 0 from the first touch to F = 0, where ẋ/v = exp(−ζ φ/√(1 − ζ²)), φ = π − asin(2 ζ √(1 − ζ²)).
  const double m = 0.3, v = 2, k = 1e4, zeta = 0.2, root = std::sqrt(1 - zeta * zeta);
  const double c = 2 * zeta * std::sqrt(k * m);
  const double phase = pi - std::asin(2 * zeta * root), omega = std::sqrt(k / m);
  const PenaltyLaw law{.stiffness = k, .exponent = 1, .damping = c};
  const Impact found = impact(m, v, law, 1e-3 * pi / omega);
  CHECK(found.speed == doctest::Approx(v * std::exp(-zeta * phase / root)).epsilon(2e-3));  // the first step's share

  BodySet bodies;
  const BodyId ball = bodies.emplace<Particle>(m, Vector3d(0, 0.099, 0));
  ForceSet forces;
  forces.add(std::make_unique<PenaltyContact>(wheel_on(bodies, ball, 0.1, flat()), law), bodies);
  const auto& contact = dynamic_cast<const PenaltyContact&>(forces[ForceId{0}]);
  bodies[ball].set_velocity(Vector3d(0, 100, 0));
  CHECK(contact.state(bodies).touches);
  CHECK(contact.state(bodies).normal_force == 0);
  CHECK(contact.state(bodies).force == Vector3d::Zero());
  CHECK(contact.dissipated_power(bodies) == doctest::Approx(k * 0.001 * 100).epsilon(1e-12));  // what V gives up
  bodies[ball].set_velocity(Vector3d(0, -1, 0));
  CHECK(contact.state(bodies).normal_force == doctest::Approx(k * 0.001 + c).epsilon(1e-12));
}

TEST_CASE("penalty contact of wheels and curves is the gradient of its potential, and loses what it says") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    BodySet bodies;
    const auto planar = [&](double x, double y) {
      return bodies.emplace<PlanarBody>(1.0, 0.3, Vector2d(x, y), random.normal());
    };
    ForceSet elastic, lossy;
    const auto contact = [&](auto make) {
      elastic.add(std::make_unique<PenaltyContact>(make(), PenaltyLaw{.stiffness = 300}), bodies);
      lossy.add(
          std::make_unique<PenaltyContact>(
              make(),
              PenaltyLaw{.stiffness = 300, .damping = 2, .damping_exponent = 0.5, .friction = 0.4, .slip_speed = 0.1}),
          bodies);
    };
    // On waves in space, its centre beside the mass centre; on waves that another body carries; curves on curves.
    const double x = random.between(-1, 1), up = waves().height(x);
    const BodyId wheel = planar(x + 0.1, up + 0.4),
                 sphere = bodies.emplace<RigidBody>(MassProperties{1, Vector3d::Zero(), random.inertia()},
                                                    Vector3d(x, up + 0.42, 2), random.orientation());
    const BodyId ground = planar(0.3, -1), rider = planar(x, up + 0.43);
    contact([&] { return std::make_unique<WheelOnTerrain>(Anchor{{x, up + 0.4, 0}, wheel}, 0.5, waves()); });
    contact([&] { return wheel_on(bodies, sphere, 0.5, waves()); });
    contact([&] { return wheel_on(bodies, rider, 0.5, waves(), ground); });
    const BodyId left = planar(5, 0), right = planar(6.7, 0.3);
    contact([&] {
      return std::make_unique<CurvePair>(ellipse_curve({5, 0}, {1.0, 0.7}), left, ellipse_curve({6.7, 0.3}, {0.8, 1.1}),
                                         right);
    });
    contact([&] {
      return std::make_unique<CurvePair>(ellipse_curve({6, 1.9}, {1.5, 0.9}), std::nullopt,
                                         ellipse_curve({6.7, 0.3}, {0.8, 1.1}), right);
    });
    for (const ForceId id : elastic.ids()) {
      CAPTURE(id);
      REQUIRE(dynamic_cast<const PenaltyContact&>(elastic[id]).state(bodies).touches);
    }
    for (const BodyId id : {wheel, sphere, ground, rider, left, right}) {
      bodies[id].set_velocity(0.3 * random.velocity(bodies[id].freedoms()));
    }
    const PowerBalance balance = power_balance(lossy, bodies, 2e-3);
    CHECK(balance.dissipated > 0);
    CHECK(std::abs(balance.rate + balance.dissipated) < 1e-7 * balance.dissipated);
    CHECK(gradient_error(elastic, bodies) < 1e-7);
  }
}

TEST_CASE("the closest point of a terrain: a circle's own, whatever is known of it") {
  // A basin of radius 2 about (0, 2): the closest point lies on the ray from there through the wheel's centre.
  const auto basin = [](double x) { return 2 - std::sqrt(std::max(0.0, 4 - x * x)); };
  const auto slope = [](double x) { return x / std::sqrt(std::max(1e-12, 4 - x * x)); };
  const auto curvature = [](double x) { return 4 / std::pow(std::max(1e-12, 4 - x * x), 1.5); };
  for (const bool known : {false, true}) {
    for (const double angle : {-0.6, -0.1, 0.0, 0.2, 0.5}) {
      BodySet bodies;
      const Vector3d ray(std::sin(angle), -std::cos(angle), 0);
      const BodyId wheel = bodies.emplace<PlanarBody>(1.0, 1.0, Vector2d((Vector3d(0, 2, 0) + 1.51 * ray).head<2>()));
      auto finder =
          wheel_on(bodies, wheel, 0.5, {basin, slope, known ? std::function<double(double)>(curvature) : nullptr});
      finder->attach(bodies);
      const auto found = finder->find(bodies);
      REQUIRE(found);
      CHECK(found->gap == doctest::Approx(-0.01).epsilon(1e-11));
      CHECK((found->normal + ray).norm() < 1e-12);
      CHECK((found->on_master - Vector3d(0, 2, 0) - 2 * ray).norm() < 1e-12);
    }
  }
}

TEST_CASE("a wheel is felt under the terrain, and not above it") {
  BodySet bodies;
  const BodyId wheel = bodies.emplace<PlanarBody>(1.0, 1.0, Vector2d(0.3, 0.6));
  auto finder = wheel_on(bodies, wheel, 0.5, flat());
  finder->attach(bodies);
  CHECK(!finder->find(bodies));
  for (const double y : {0.49, 1e-9, 0.0, -1e-9, -2.0}) {
    CAPTURE(y);
    bodies[wheel].set_configuration(Vector3d(0.3, y, 0));
    const auto found = finder->find(bodies);
    REQUIRE(found);
    CHECK(found->gap == doctest::Approx(y - 0.5).epsilon(1e-14));
    CHECK(found->normal == Vector3d::UnitY());
    CHECK((found->on_master - Vector3d(0.3, 0, 0)).norm() < 1e-14);
  }
}

TEST_CASE("closest points of circles, of an ellipse and a line, of open curves") {
  BodySet bodies;
  const BodyId a = bodies.emplace<PlanarBody>(1.0, 1.0, Vector2d(0, 0));
  const BodyId b = bodies.emplace<PlanarBody>(1.0, 1.0, Vector2d(3, 4));
  CurvePair circles(ellipse_curve({0, 0}, {3, 3}), a, ellipse_curve({3, 4}, {2.1, 2.1}), b);
  circles.attach(bodies);
  for (const double turn : {0.0, 1.0, 2.5, 4.0}) {
    bodies[a].set_configuration(Vector3d(0, 0, turn));
    bodies[b].set_configuration(Vector3d(5 * std::cos(turn), 5 * std::sin(turn), -2 * turn));
    const auto found = circles.find(bodies);
    REQUIRE(found);
    const Vector3d n(std::cos(turn), std::sin(turn), 0);
    CHECK(found->gap == doctest::Approx(-0.1).epsilon(1e-12));
    CHECK((found->normal - n).norm() < 1e-7);  // a place is found to the root of rounding where it is flat
    CHECK((found->on_master - 3 * n).norm() < 1e-7);
    CHECK((found->on_slave - 2.9 * n).norm() < 1e-7);
  }
  bodies[b].set_configuration(Vector3d(50, 0, 0));
  CHECK(!circles.find(bodies));

  // A floor, solid below, from x = 10 to x = −10; the lowest point of an ellipse turned by φ lies √(a² sin² + b² cos²)
  // below its centre.
  PlanarCurve floor;
  floor.point = [](double s) { return Vector2d(10 - s, 0); };
  floor.tangent = [](double) { return Vector2d(-1, 0); };
  floor.high = 20;
  floor.closed = false;
  bodies[a].set_configuration(Vector3d(0, 0, 0));
  CurvePair on_floor(floor, std::nullopt, ellipse_curve({0, 0}, {1, 0.5}), a);
  on_floor.attach(bodies);
  for (const double turn : {0.0, 0.3, 1.2, 2.0}) {
    CAPTURE(turn);
    const double below = std::hypot(std::sin(turn), 0.5 * std::cos(turn));
    bodies[a].set_configuration(Vector3d(2, below - 0.02, turn));
    const auto found = on_floor.find(bodies);
    REQUIRE(found);
    CHECK(found->gap == doctest::Approx(-0.02).epsilon(1e-11));
    CHECK((found->normal - Vector3d::UnitY()).norm() < 1e-14);
  }
  // Beside the floor's end, and below what it would be if it went on, nothing is touched.
  bodies[a].set_configuration(Vector3d(12, -1, 0));
  const auto beside = on_floor.find(bodies);
  CHECK((!beside || beside->gap > 0));
}

TEST_CASE("a wheel that slides comes to roll at two thirds of its speed, as a disc does") {
  System system;
  system.gravity = {0, -9.81, 0};
  const double r = 0.2, m = 1.5, k = 1e5, depth = m * 9.81 / k;
  const BodyId wheel = system.emplace<PlanarBody>(m, 0.5 * m * r * r, Vector2d(0, r - depth));
  system.bodies()[wheel].set_velocity(Vector3d(3, 0, 0));
  system.add_force(
      std::make_unique<PenaltyContact>(wheel_on(system.bodies(), wheel, r, flat()),
                                       PenaltyLaw{.stiffness = k, .exponent = 1, .friction = 0.5, .slip_speed = 1e-2}));
  TimeStepper stepper(system, step_of(2e-4));
  // It slides for v/(3 μ g) = 0.204 s at −μ g.
  while (stepper.time() < 0.1) (void)stepper.step();
  CHECK(system.bodies()[wheel].velocity()[0] == doctest::Approx(3 - 0.5 * 9.81 * stepper.time()).epsilon(1e-4));
  while (stepper.time() < 0.4) (void)stepper.step();
  const Eigen::VectorXd u = system.bodies()[wheel].velocity();
  // The bottom lies depth above the rim: angular momentum about it is kept, m v r' + I ω, to depth/r.
  CHECK(u[0] == doctest::Approx(2.0).epsilon(1e-3));
  CHECK(-u[2] * r == doctest::Approx(2.0).epsilon(1e-3));
}

TEST_CASE("the least place: ends, flat bottoms, and what is not finite") {
  const auto parabola = [](double x) { return Slope{(x - 0.3) * (x - 0.3), 2 * (x - 0.3)}; };
  CHECK(least_place(parabola, {0, 1, 4}, "f") == doctest::Approx(0.3).epsilon(1e-15));
  CHECK(least_place(parabola, {0.5, 1, 4}, "f") == 0.5);
  CHECK(least_place(parabola, {-1, 0, 4}, "f") == 0);
  const auto flat_bottom = [](double x) { return Slope{std::pow(x - 0.3, 4), 4 * std::pow(x - 0.3, 3)}; };
  CHECK(std::abs(least_place(flat_bottom, {0, 1, 7}, "f") - 0.3) < 1e-5);
  // Across the joint of a closed curve.
  const auto wave = [](double x) { return Slope{-std::cos(x - 0.01), std::sin(x - 0.01)}; };
  CHECK(least_place(wave, {0, 2 * pi, 8, true}, "f") == doctest::Approx(0.01).epsilon(1e-13));
  const auto minus = [](double x) { return Slope{-std::cos(x + 0.01), std::sin(x + 0.01)}; };
  CHECK(least_place(minus, {0, 2 * pi, 8, true}, "f") == doctest::Approx(-0.01).epsilon(1e-13));
  CHECK_THROWS_WITH_AS((void)least_place(
                           [](double) {
                             return Slope{NAN, 0};
                           },
                           {0, 1, 4}, "hill"),
                       "hill: expected finite numbers, found nan at 0", std::invalid_argument);
}

TEST_CASE("penalty contact refuses what has no meaning") {
  BodySet bodies;
  const BodyId wheel = bodies.emplace<PlanarBody>(1.0, 1.0, Vector2d(0, 0.4));
  const auto refused = [&](const PenaltyLaw& law, const char* message) {
    CHECK_THROWS_WITH_AS(PenaltyContact(wheel_on(bodies, wheel, 0.5, flat()), law), message, std::invalid_argument);
  };
  refused({.stiffness = -1}, "stiffness: expected a finite number > 0, found -1");
  refused({.stiffness = NAN}, "stiffness: expected a finite number > 0, found nan");
  refused({.stiffness = 1, .exponent = 0.5}, "exponent: expected a finite number >= 1, found 0.5");
  refused({.stiffness = 1, .damping = -1}, "damping: expected a finite number >= 0, found -1");
  refused({.stiffness = 1, .damping_exponent = -1}, "damping exponent: expected a finite number >= 0, found -1");
  refused({.stiffness = 1, .friction = -0.1}, "friction: expected a finite number >= 0, found -0.1");
  refused({.stiffness = 1, .slip_speed = 0}, "slip speed: expected a finite number > 0, found 0");
  CHECK_THROWS_AS(PenaltyContact(nullptr, {.stiffness = 1}), std::invalid_argument);
  CHECK_THROWS_WITH_AS((void)hertz_stiffness({1, 0.5, 1}, {1, 0.3, 1}), "Poisson's ratio: expected -1 … 0.5, found 0.5",
                       std::invalid_argument);

  CHECK_THROWS_WITH_AS(wheel_on(bodies, wheel, 0, flat()), "radius: expected a finite number > 0, found 0",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(wheel_on(bodies, wheel, 1, {flat().height, nullptr, nullptr}),
                       "terrain: expected functions of height and slope, found no slope", std::invalid_argument);
  CHECK_THROWS_WITH_AS(wheel_on(bodies, wheel, 1, flat(), wheel),
                       "wheel: expected another body than the terrain's, found body 0 for both", std::invalid_argument);
  CHECK_THROWS_WITH_AS(CurvePair(ellipse_curve({0, 0}, {1, 1}), wheel, ellipse_curve({0, 0}, {1, 1}), wheel),
                       "curves: expected those of two bodies, found both on body 0", std::invalid_argument);
  CHECK_THROWS_WITH_AS((void)ellipse_curve({0, 0}, {1, -1}),
                       "half-axis along y: expected a finite number > 0, found -1", std::invalid_argument);
  PlanarCurve backwards = ellipse_curve({0, 0}, {1, 1});
  backwards.high = -1;
  CHECK_THROWS_WITH_AS(CurvePair(backwards, std::nullopt, ellipse_curve({0, 0}, {1, 1}), wheel),
                       "master curve: expected a range from low to high, found 0 to -1", std::invalid_argument);

  ForceSet forces;
  Terrain broken = flat();
  broken.slope = [](double) { return NAN; };
  forces.add(std::make_unique<PenaltyContact>(wheel_on(bodies, wheel, 0.5, broken), PenaltyLaw{.stiffness = 1}), bodies,
             "tyre");
  CHECK_THROWS_WITH_AS(forces.add_to(bodies),
                       "force \"tyre\" (penalty contact): terrain: expected finite numbers, found nan at -0.4",
                       std::invalid_argument);
  Random random(1);
  const BodyId soft = bodies.add(std::move(one_of_each(random)[3]));
  CHECK_THROWS_WITH_AS(
      forces.add(
          std::make_unique<PenaltyContact>(wheel_on(bodies, wheel, 0.5, flat(), soft), PenaltyLaw{.stiffness = 1}),
          bodies),
      "force 1 (penalty contact): terrain: expected a body that stays rigid, found body 1, which deforms",
      std::invalid_argument);
}
