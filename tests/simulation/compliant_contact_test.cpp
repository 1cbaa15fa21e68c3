// A ball on a spring that only pushes: Kelvin and Voigt's contact against closed forms.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <numbers>
#include <simulation/contact_loop.hpp>
#include <stdexcept>
#include <vector>

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
    MESSAGE("ω = 30/s, ζ = " << share << ", over a second: |z − z(t)| at most " << coarse << " and " << fine
                             << " of the amplitude at steps of 2 and 1 ms");
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

namespace {

// Where a box of 2 kg that is thrown along the plane lies after 0.3 s, on four corners of 1/C each.
Vector3d thrown_box(double C) {
  ContactLoop loop(1e-3, {0, 0, -kWeight});
  loop.bodies.emplace<Obstacle>();
  const BodyId box = loop.bodies.emplace<RigidBody>(box_mass(kMass, {0.4, 0.4, 0.2}), Vector3d(0, 0, 0.1));
  loop.bodies[box].set_velocity((Eigen::VectorXd(6) << 0, 0, 0, 3, 0, 0).finished());
  SurfaceMaterial material{.friction = 0.3};
  if (C > 0) {
    material.stiffness = 1 / C;
    material.damping = std::sqrt(kMass / 4 / C);  // half of what is critical for a quarter of the mass
  }
  for (const double x : {-0.2, 0.2}) {
    for (const double y : {-0.2, 0.2}) loop.touch_plane(box, {x, y, -0.1}, Eigen::Matrix3d::Identity(), material);
  }
  for (int i = 0; i < 300; ++i) REQUIRE(loop.step().status == SolveStatus::converged);
  return loop.bodies[box].to_space(Vector3d::Zero());
}

}  // namespace

TEST_CASE("compliant contact: the hard contact is reached linearly in C, from 1e-4 to 1e-9 m/N") {
  const Vector3d hard = thrown_box(0);
  CHECK(hard[0] == doctest::Approx(3 * 0.3 - 0.3 * kWeight * 0.3 * 0.3 / 2).epsilon(1e-4));  // v t − μ g t²/2
  std::vector<double> error;
  for (int k = 4; k <= 9; ++k) error.push_back((thrown_box(std::pow(10, -k)) - hard).norm());
  const double slope = std::log10(error.front() / error.back()) / 5;
  MESSAGE("C from 1e-4 to 1e-9 m/N: errors " << error.front() << " … " << error.back() << " m, slope " << slope);
  CHECK(slope == doctest::Approx(1).epsilon(0.05));
  for (std::size_t k = 1; k < error.size(); ++k) {
    CHECK(std::log10(error[k - 1] / error[k]) == doctest::Approx(1).epsilon(0.2));
  }
}

TEST_CASE("compliant contact: soft and hard contacts in one stack, each gives way as it must under the weight above") {
  // Balls of 2 kg, one above the other at a distance of 1: on a soft floor, hard, softer, hard.
  ContactLoop loop(2e-3, {0, 0, -kWeight});
  loop.options.stop.tolerance = 1e-11;
  loop.bodies.emplace<Obstacle>();
  constexpr double kHard = std::numeric_limits<double>::infinity();
  const std::vector<double> stiffness{4e4, kHard, 1e3, kHard};
  std::vector<BodyId> balls;
  for (std::size_t i = 0; i < stiffness.size(); ++i) {
    const double k = stiffness[i];
    const SurfaceMaterial material =
        k < kHard ? SurfaceMaterial{.friction = 0.5, .stiffness = k, .damping = 100} : SurfaceMaterial{.friction = 0.5};
    const BodyId below = i == 0 ? BodyId{0} : balls.back();
    balls.push_back(loop.bodies.emplace<Particle>(kMass, Vector3d(0, 0, static_cast<double>(i))));
    const BodyId above = balls.back();
    loop.touch([=](const BodySet& now) {
      const Vector3d x = now[above].to_space(Vector3d::Zero());
      const double under = i == 0 ? 0 : now[below].to_space(Vector3d::Zero())[2] + 1;
      return ContactPoint{.master = below, .slave = above, .point = x, .gap = x[2] - under, .material = material};
    });
  }
  for (int i = 0; i < 4000; ++i) REQUIRE(loop.step().status == SolveStatus::converged);
  double under = -1;
  for (std::size_t i = 0; i < balls.size(); ++i) {
    CAPTURE(i);
    const double weight = kMass * kWeight * static_cast<double>(balls.size() - i);
    const double height = loop.bodies[balls[i]].to_space(Vector3d::Zero())[2];
    CHECK(loop.reaction(i)[2] == doctest::Approx(weight).epsilon(1e-7));
    CHECK(height - under - 1 == doctest::Approx(-weight / stiffness[i]).epsilon(1e-7).scale(1e-6));
    under = height;
  }
}

namespace {

constexpr double kHertz = 1e6;  // K [N/m^1.5]

// A particle above the plane z = 0 with F = K d^{3/2}, d the depth.
struct HertzBall {
  HertzBall(double h, double height, double speed, double gravity, double share) : loop(h, {0, 0, -gravity}) {
    loop.options.stop.tolerance = 1e-9;
    loop.bodies.emplace<Obstacle>();
    const BodyId ball = loop.bodies.emplace<Particle>(kMass, Vector3d(0, 0, height));
    loop.bodies[ball].set_velocity(Vector3d(0, 0, speed));
    loop.touch([ball, share](const BodySet& now) {
      const Vector3d x = now[ball].to_space(Vector3d::Zero());
      const double k = kHertz * std::sqrt(std::max(-x[2], 1e-12));
      return ContactPoint{.slave = ball,
                          .point = x,
                          .gap = x[2],
                          .material = {.stiffness = k, .damping = 2 * share * std::sqrt(k * kMass)}};
    });
    id = ball;
  }
  [[nodiscard]] double depth() const { return -loop.bodies[id].to_space(Vector3d::Zero())[2]; }
  ContactLoop loop;
  BodyId id;
};

}  // namespace

TEST_CASE("compliant contact: Hertz's law by a stiffness taken at the gap, its depth at rest, deepest and duration") {
  // F = K d^{3/2} = k d with k = K √d: each step has the secant k of the gap in its middle, which it knows. The force
  // at rest is exact; in motion the secant is of the mean gap, so that the error is of second order in h.
  SUBCASE("at rest: F = K d^{3/2} is the weight") {
    HertzBall ball(1e-3, 0, 0, kWeight, 1);
    for (int i = 0; i < 2000; ++i) REQUIRE(ball.loop.step().status == SolveStatus::converged);
    CHECK(ball.depth() == doctest::Approx(std::pow(kMass * kWeight / kHertz, 2.0 / 3)).epsilon(1e-8));
  }
  SUBCASE("thrown at the plane: d = (5 m v²/(4 K))^{2/5}, T = 2.9432 d/v") {
    const double speed = 0.5, deepest = std::pow(1.25 * kMass * speed * speed / kHertz, 0.4);
    const double duration = 2.9432 * deepest / speed;
    double wrong[2] = {0, 0};
    for (int fine = 0; fine < 2; ++fine) {
      const double h = duration / (fine == 0 ? 200 : 800);
      HertzBall ball(h, 0.3 * h * speed, -speed, 0, 0);
      double most = 0;
      int pressed = 0;
      for (int i = 0; i * h < 2 * duration; ++i) {
        REQUIRE(ball.loop.step().status == SolveStatus::converged);
        most = std::max(most, ball.depth());
        pressed += ball.loop.reaction(0)[2] > 0;
      }
      CHECK(most == doctest::Approx(deepest).epsilon(fine == 0 ? 1e-2 : 2e-3));
      CHECK(pressed * h == doctest::Approx(duration).epsilon(fine == 0 ? 2e-2 : 5e-3));
      wrong[fine] = std::abs(ball.loop.bodies[ball.id].velocity()[2] - speed);
    }
    CHECK(wrong[0] < 1e-2);
    CHECK(wrong[1] < wrong[0]);
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
