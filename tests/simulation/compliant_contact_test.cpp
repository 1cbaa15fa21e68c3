// A ball on a spring that only pushes: Kelvin and Voigt's contact against closed forms.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/particle.hpp>
#include <numbers>
#include <simulation/contact_loop.hpp>
#include <stdexcept>

using namespace locdyn;
using Eigen::Vector3d;
using locdyn::test::ContactLoop;

namespace {

constexpr double kMass = 2;
constexpr double kWeight = 9.81;

// A particle above the plane z = 0.
struct Ball {
  Ball(double h, const SurfaceMaterial& material, double height, double speed, double gravity = kWeight)
      : loop(h, {0, 0, -gravity}) {
    loop.bodies.emplace<Obstacle>();
    id = loop.bodies.emplace<Particle>(kMass, Vector3d(0, 0, height));
    loop.bodies[id].set_velocity(Vector3d(0, 0, speed));
    loop.options.stop.tolerance = 1e-9;  // where the gap just closes, b = B + σ has lost half of its digits
    loop.touch_plane(id, Vector3d::Zero(), Eigen::Matrix3d::Identity(), material);
  }
  [[nodiscard]] double height() const { return loop.bodies[id].to_space(Vector3d::Zero())[2]; }
  [[nodiscard]] double speed() const { return loop.bodies[id].velocity()[2]; }
  // ½ m u² + m g z + ½ k min(z, 0)².
  [[nodiscard]] double energy(double stiffness) const {
    const double depth = std::min(height(), 0.0);
    return kMass / 2 * speed() * speed() + kMass * loop.g.norm() * height() + stiffness / 2 * depth * depth;
  }
  void run(int steps) {
    for (int i = 0; i < steps; ++i) REQUIRE(loop.step().status == SolveStatus::converged);
  }
  ContactLoop loop;
  BodyId id;
};

double stiffness_of(double omega) {
  return kMass * omega * omega;
}
double damping_of(double omega, double share) {
  return 2 * share * kMass * omega;
}

// The largest |z − z(t)| over a second of a ball that swings about its rest in contact, over the amplitude.
double swing_error(double h, double omega, double share) {
  const double rest = -kWeight / (omega * omega), amplitude = 0.5 * -rest;
  Ball ball(h, {.stiffness = stiffness_of(omega), .damping = damping_of(omega, share)}, rest + amplitude, 0);
  const double decay = share * omega, damped = omega * std::sqrt(1 - share * share);
  double worst = 0;
  for (int i = 1; i * h < 1; ++i) {
    ball.run(1);
    const double t = i * h;
    const double z =
        rest + amplitude * std::exp(-decay * t) * (std::cos(damped * t) + decay / damped * std::sin(damped * t));
    worst = std::max(worst, std::abs(ball.height() - z) / amplitude);
  }
  return worst;
}

// Speed after over speed before of a ball that meets the plane without gravity.
double rebound(double h, double omega, double share) {
  Ball ball(h, {.stiffness = stiffness_of(omega), .damping = damping_of(omega, share)}, 0.137, -1, 0);
  ball.run(static_cast<int>((0.137 + 8 / omega) / h));
  CHECK(ball.height() > 0);
  return ball.speed();
}

}  // namespace

TEST_CASE("compliant contact: the ball rests where the spring bears its weight, at any stiffness") {
  for (const double omega : {10.0, 100.0, 1e3, 1e4, 1e6}) {
    CAPTURE(omega);
    const double k = stiffness_of(omega);
    Ball ball(1e-2, {.stiffness = k, .damping = damping_of(omega, 1)}, -0.5 * kMass * kWeight / k, 0);
    ball.run(2000);
    CHECK(ball.height() == doctest::Approx(-kMass * kWeight / k).epsilon(1e-9));
    CHECK(ball.loop.reaction(0)[2] == doctest::Approx(kMass * kWeight).epsilon(1e-8));
    CHECK(std::abs(ball.speed()) < 1e-9);
  }
}

TEST_CASE("compliant contact: frequency and decay of a swing to second order in the step") {
  for (const double share : {0.0, 0.05, 0.3}) {
    CAPTURE(share);
    const double coarse = swing_error(2e-3, 30, share), fine = swing_error(1e-3, 30, share);
    CHECK(coarse < 0.03);
    CHECK(coarse / fine > 3.5);
    CHECK(coarse / fine < 4.5);
  }
}

TEST_CASE("compliant contact: a ball that meets it leaves with Kelvin and Voigt's restitution, pulled by nothing") {
  // A contact that only pushes is left where k g + c ġ = 0: e = exp(−ζ φ/√(1 − ζ²)), tan φ = 2ζ√(1 − ζ²)/(2ζ² − 1).
  for (const double share : {0.0, 0.1, 0.4}) {
    CAPTURE(share);
    const double root = std::sqrt(1 - share * share);
    const double phase = share == 0 ? std::numbers::pi : std::atan2(2 * share * root, 2 * share * share - 1);
    const double expected = std::exp(-share * phase / root);
    const double fine = rebound(1e-5, 300, share);
    CHECK(fine == doctest::Approx(expected).epsilon(1e-3));
    CHECK(std::abs(rebound(1e-4, 300, share) - expected) < 0.01);
  }
}

TEST_CASE("compliant contact: no energy comes in") {
  for (const double omega : {20.0, 200.0, 600.0}) {
    for (const double share : {0.0, 0.2}) {
      CAPTURE(omega);
      CAPTURE(share);
      const double h = 1e-3, k = stiffness_of(omega);
      Ball ball(h, {.stiffness = k, .damping = damping_of(omega, share)}, 0.05, 0);
      double before = ball.energy(k);
      for (int i = 0; i < 3000; ++i) {
        ball.run(1);
        const double now = ball.energy(k);
        CHECK(now <= before + 1e-10);
        CHECK(ball.loop.reaction(0)[2] >= 0);
        before = now;
      }
    }
  }
}

TEST_CASE("compliant contact: one too stiff for the step comes to rest and tends to the hard contact") {
  for (const double k : {1e7, 1e9, 1e12, 1e15}) {
    CAPTURE(k);
    Ball ball(1e-2, {.stiffness = k}, 0.1, 0);
    ball.run(400);
    CHECK(std::abs(ball.speed()) < 1e-6);
    CHECK(ball.height() == doctest::Approx(-kMass * kWeight / k).epsilon(1e-3).scale(1e-6));
    CHECK(ball.loop.reaction(0)[2] == doctest::Approx(kMass * kWeight).epsilon(1e-6));
  }
}

TEST_CASE("compliant contact: friction holds to μ R_n and then slides under it") {
  for (const double pull : {0.49, 0.51}) {
    const SurfaceMaterial material{.friction = 0.5, .stiffness = stiffness_of(50), .damping = damping_of(50, 1)};
    Ball ball(1e-3, material, -kWeight / 2500, 0);
    ball.loop.g = {pull * kWeight, 0, -kWeight};
    ball.run(1000);
    const double expected = pull < 0.5 ? 0 : (pull - 0.5) * kWeight * 1.0;
    CHECK(ball.loop.bodies[ball.id].velocity()[0] == doctest::Approx(expected).epsilon(1e-6).scale(1e-6));
  }
}

TEST_CASE("compliant contact: a material whose numbers contradict each other is refused by name") {
  const auto refuses = [](const SurfaceMaterial& material, const char* what) {
    CHECK_THROWS_WITH_AS(validate(material), doctest::Contains(what), std::invalid_argument);
  };
  refuses({.stiffness = 0}, "stiffness: expected a number > 0, found 0");
  refuses({.stiffness = std::nan("")}, "stiffness");
  refuses({.damping = 1}, "damping: expected a stiffness beside it, found none");
  refuses({.stiffness = 1, .damping = -1}, "damping");
  refuses({.restitution = 0.5, .stiffness = 1}, "restitution: expected 0 beside a stiffness");
  refuses({.rolling = 0.5, .stiffness = 1}, "stiffness: expected none beside rolling");
}
