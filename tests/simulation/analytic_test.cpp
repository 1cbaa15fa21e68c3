// Cases with a solution in closed form, from bodies to motion: each step is solved to a scaled residual of 1e-13, and
// the scheme is exact for them, so that what is left is that residual and rounding. Each case prints what it found.

#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <simulation/contact_loop.hpp>
#include <string>

using namespace locdyn;
using Eigen::Vector3d;
using locdyn::test::ContactLoop;

namespace {

constexpr double kG = 9.81;
const Vector3d kDown(0, 0, -kG);

// Every step reached its tolerance, not the rounding floor of the residual alone.
struct Honesty {
  double worst = 0;
  void see(const SolveReport& report) {
    CAPTURE(report.solver);
    CAPTURE(report.reason);
    CAPTURE(report.iterations);
    CHECK(report.status == SolveStatus::converged);
    CHECK(report.residual.scaled <= 1e-13);
    worst = std::max(worst, report.residual.scaled);
  }
};

// A slab of 1 × 1 × 0.5 m on its four corners, or a planar one of 1 × 0.5 m on two, on a plane that falls along t1.
struct Incline {
  double theta;
  ContactLoop loop;
  Vector3d downhill;
  Honesty honesty;

  Incline(double tangent, double friction, bool planar)
      : theta(std::atan(tangent)), loop(1e-2, planar ? Vector3d(0, -kG, 0) : kDown) {
    loop.bodies.emplace<Obstacle>();
    if (planar) {
      downhill = {std::cos(theta), -std::sin(theta), 0};
      const Vector3d n(std::sin(theta), std::cos(theta), 0);
      const Vector3d center = 0.25 * n;
      loop.bodies.emplace<PlanarBody>(3.0, 0.4, center.head<2>(), -theta);
      for (const double x : {-0.5, 0.5}) {
        loop.touch_plane(BodyId{1}, {x, -0.25, 0}, planar_frame(n), {friction, 0}, ContactRows::plane);
      }
    } else {
      downhill = {std::cos(theta), 0, -std::sin(theta)};
      const Vector3d n(std::sin(theta), 0, std::cos(theta));
      const Orientation turned(Eigen::AngleAxisd(theta, Vector3d::UnitY()));
      loop.bodies.emplace<RigidBody>(box_mass(1000, {1, 1, 0.5}), 0.25 * n, turned);
      for (const double x : {-0.5, 0.5}) {
        for (const double y : {-0.5, 0.5}) {
          loop.touch_plane(BodyId{1}, {x, y, -0.25}, local_frame(n), {friction, 0});
        }
      }
    }
  }

  // The velocity of the mass centre.
  [[nodiscard]] Vector3d velocity() const {
    const Eigen::VectorXd& u = loop.bodies[BodyId{1}].velocity();
    return u.size() == 3 ? Vector3d(u[0], u[1], 0) : Vector3d(u.tail<3>());
  }
  // The largest of all velocities, spin included.
  [[nodiscard]] double speed() const { return loop.bodies[BodyId{1}].velocity().cwiseAbs().maxCoeff(); }
};

}  // namespace

TEST_CASE("analytic: a block on an incline sticks at tan θ = 0.49 and slides at 0.51, μ = 0.5") {
  for (const bool planar : {false, true}) {
    const std::string kind = planar ? "planar" : "rigid";
    CAPTURE(kind);
    const int steps = 200;

    Incline sticks(0.49, 0.5, planar);
    double fastest = 0;
    for (int i = 0; i < steps; ++i) {
      sticks.honesty.see(sticks.loop.step());
      fastest = std::max(fastest, sticks.speed());
    }
    MESSAGE(kind, " block, tan θ = 0.49: largest speed in ", steps, " steps ", fastest, " m/s, largest residual ",
            sticks.honesty.worst);
    CHECK(fastest < 1e-12);

    Incline slides(0.51, 0.5, planar);
    const double expected = kG * (std::sin(slides.theta) - 0.5 * std::cos(slides.theta));
    double worst = 0, across = 0, before = 0;
    for (int i = 0; i < steps; ++i) {
      slides.honesty.see(slides.loop.step());
      const double speed = slides.velocity().dot(slides.downhill);
      worst = std::max(worst, std::abs((speed - before) / slides.loop.h - expected));
      across = std::max(across, (slides.velocity() - speed * slides.downhill).norm());
      before = speed;
    }
    MESSAGE(kind, " block, tan θ = 0.51: acceleration ", expected, " m/s², largest error of a step ", worst,
            " m/s², largest speed across ", across, " m/s, largest residual ", slides.honesty.worst);
    CHECK(worst < 1e-10);
    CHECK(across < 1e-12);
  }
}

TEST_CASE("analytic: a block slides v²/(2 μ g) on the level and stays there") {
  Incline block(0, 0.3, false);
  const double deceleration = 0.3 * kG;
  const int steps = 50;
  // Stops exactly at the end of a step: the scheme is exact for a constant deceleration.
  const double speed = steps * deceleration * block.loop.h;
  Eigen::VectorXd u = Eigen::VectorXd::Zero(6);
  u[3] = speed;
  block.loop.bodies[BodyId{1}].set_velocity(u);
  const double start = block.loop.bodies[BodyId{1}].to_space(Vector3d::Zero()).x();
  for (int i = 0; i < 2 * steps; ++i) block.honesty.see(block.loop.step());
  const double distance = block.loop.bodies[BodyId{1}].to_space(Vector3d::Zero()).x() - start;
  const double expected = speed * speed / (2 * deceleration);
  MESSAGE("sliding distance ", expected, " m, error ", distance - expected, " m, speed left ", block.speed(), " m/s");
  CHECK(std::abs(distance - expected) < 1e-12);
  CHECK(block.speed() < 1e-12);
}

TEST_CASE("analytic: one normal bounce returns e times the velocity") {
  double worst = 0;
  for (const double e : {0.0, 0.3, 0.7, 1.0}) {
    for (const bool rigid : {false, true}) {
      CAPTURE(e);
      CAPTURE(rigid);
      ContactLoop loop(1e-3, kDown);
      loop.bodies.emplace<Obstacle>();
      const double radius = rigid ? 0.1 : 0.0;
      const Vector3d start(0, 0, radius + 0.05);
      if (rigid) {
        loop.bodies.emplace<RigidBody>(sphere_mass(1000, radius), start);
      } else {
        loop.bodies.emplace<Particle>(2.0, start);
      }
      loop.touch([=](const BodySet& bodies) {
        const Vector3d x = bodies[BodyId{1}].to_space(Vector3d::Zero()) - radius * Vector3d::UnitZ();
        return ContactPoint{.slave = BodyId{1}, .point = x, .gap = x.z(), .material = {0, e}};
      });
      // It falls freely, g h a step, until its gap at q* is closed; e = 0 acts one step before, by its gap.
      double before = 0;
      int step = 0;
      do {
        before = loop.bodies[BodyId{1}].velocity().tail<1>()[0];
        CHECK(loop.step().status == SolveStatus::converged);
        REQUIRE(++step < 1000);
      } while (!(loop.acts(0) && loop.reaction(0)[2] > 0));
      if (e == 0) CHECK(loop.step().status == SolveStatus::converged);
      const double after = loop.bodies[BodyId{1}].velocity().tail<1>()[0];
      CHECK(before == doctest::Approx(-std::sqrt(2 * kG * 0.05)).epsilon(0.02));
      const double error = std::abs(after + e * before);
      worst = std::max(worst, error);
      CHECK(error < 1e-13);
    }
  }
  MESSAGE("bounce with e = 0, 0.3, 0.7, 1: largest error of e v ", worst, " m/s");
}

TEST_CASE("analytic: a sphere goes from sliding to rolling at 5/7 of its speed") {
  const double radius = 0.1, friction = 0.2, speed = 3.0;
  ContactLoop loop(1e-3, kDown);
  loop.bodies.emplace<Obstacle>();
  loop.bodies.emplace<RigidBody>(sphere_mass(7800, radius), Vector3d(0, 0, radius));
  const Vector3d along = Vector3d(2, 1, 0).normalized();
  Eigen::VectorXd u = Eigen::VectorXd::Zero(6);
  u.tail<3>() = speed * along;
  loop.bodies[BodyId{1}].set_velocity(u);
  loop.touch([=](const BodySet& bodies) {
    const Vector3d center = bodies[BodyId{1}].to_space(Vector3d::Zero());
    return ContactPoint{.slave = BodyId{1},
                        .point = center - radius * Vector3d::UnitZ(),
                        .gap = center.z() - radius,
                        .material = {friction, 0}};
  });
  Honesty honesty;
  const auto& body = dynamic_cast<const RigidBody&>(loop.bodies[BodyId{1}]);
  const auto slip = [&] {
    const Vector3d spin = body.rotation() * body.velocity().head<3>();
    return (Vector3d(body.velocity().tail<3>()) - spin.cross(radius * Vector3d::UnitZ())).norm();
  };
  int sliding = 0;
  while (slip() > 1e-9) {
    honesty.see(loop.step());
    REQUIRE(++sliding < 1000);
  }
  const double time = 2 * speed / (7 * friction * kG);
  double worst = 0;
  for (int i = 0; i < 500; ++i) {
    honesty.see(loop.step());
    worst = std::max(worst, (Vector3d(body.velocity().tail<3>()) - 5.0 / 7.0 * speed * along).norm());
    CHECK(slip() < 1e-12);
  }
  MESSAGE("sphere: slides ", sliding * loop.h, " s (", time, " s expected), then rolls at 5/7 of its speed to ", worst,
          " m/s, largest residual ", honesty.worst);
  CHECK(sliding * loop.h >= time);
  CHECK(sliding * loop.h < time + 1.001 * loop.h);
  CHECK(worst < 1e-12);
}

TEST_CASE("analytic: in a resting stack the contact forces sum to the weights above") {
  const std::size_t boxes = 3;
  ContactLoop loop(1e-2, kDown);
  loop.bodies.emplace<Obstacle>();
  double weight[boxes];
  for (std::size_t i = 0; i < boxes; ++i) {
    const MassProperties cube = box_mass(1000 * (1 + 0.5 * static_cast<double>(i)), {1, 1, 1});
    const auto below = static_cast<BodyId>(i);
    loop.bodies.emplace<RigidBody>(cube, Vector3d(0, 0, 0.5 + static_cast<double>(i)));
    weight[i] = kG * cube.mass;
    for (const double x : {-0.5, 0.5}) {
      for (const double y : {-0.5, 0.5}) {
        // Closed as given: the rounding of a gap between two bodies, over h, would be a shift as large as the
        // tolerance.
        loop.touch([=](const BodySet& now) {
          return ContactPoint{.master = below,
                              .slave = BodyId{below + 1},
                              .point = now[BodyId{below + 1}].to_space({x, y, -0.5}),
                              .gap = 0,
                              .material = {0.5, 0}};
        });
      }
    }
  }
  Honesty honesty;
  double worst = 0, fastest = 0;
  for (int step = 0; step < 20; ++step) {
    honesty.see(loop.step());
    for (std::size_t i = 0; i < boxes; ++i) {
      Vector3d sum = Vector3d::Zero();
      for (std::size_t k = 0; k < 4; ++k) sum += loop.reaction(4 * i + k);
      double above = 0;
      for (std::size_t j = i; j < boxes; ++j) above += weight[j];
      worst = std::max(worst, (sum - Vector3d(0, 0, above)).norm() / above);
      fastest = std::max(fastest, loop.bodies[static_cast<BodyId>(i + 1)].velocity().cwiseAbs().maxCoeff());
    }
  }
  MESSAGE("stack of ", boxes, ": contact forces over the weight above, less one ", worst, ", largest speed ", fastest,
          " m/s, largest residual ", honesty.worst);
  CHECK(worst < 1e-11);  // forces are velocities times m/h: 1e-13 of ‖b‖, summed over the stack
  CHECK(fastest < 1e-12);
}
