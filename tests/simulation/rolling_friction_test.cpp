// Rolling, torsional and elliptic friction of bodies, against closed forms. The scheme is exact for constant
// accelerations: what is left is the residual of the solves and rounding.

#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <simulation/contact_loop.hpp>
#include <stdexcept>

using namespace locdyn;
using Eigen::Vector3d;
using locdyn::test::ContactLoop;

namespace {

constexpr double kGravity = 9.81;
constexpr double kRadius = 0.1;
constexpr double kStep = 1e-2;
constexpr int kSteps = 100;

// A ball on the plane through the origin with normal n, under its centre.
void touch_under(ContactLoop& loop, BodyId ball, const Eigen::Matrix3d& frame, const SurfaceMaterial& material,
                 ContactRows rows = ContactRows::space) {
  loop.touch(
      [=](const BodySet& now) {
        const Vector3d n = frame.col(2);
        const Vector3d centre = now[ball].to_space(Vector3d::Zero());
        const double gap = n.dot(centre) - kRadius;
        return ContactPoint{.slave = ball,
                            .point = centre - kRadius * n,
                            .frame = frame,
                            .gap = std::min(gap, 0.0),
                            .material = material};
      },
      rows);
}

// The speed downhill after a second of a ball that starts at rest on a plane of the given slope, in space or in 2D.
double speed_after_a_second(double slope, const SurfaceMaterial& material, bool planar) {
  const double angle = std::atan(slope);
  ContactLoop loop(kStep, planar ? Vector3d(0, -kGravity, 0) : Vector3d(0, 0, -kGravity));
  loop.bodies.emplace<Obstacle>();
  const Vector3d n =
      planar ? Vector3d(std::sin(angle), std::cos(angle), 0) : Vector3d(std::sin(angle), 0, std::cos(angle));
  const Vector3d down =
      planar ? Vector3d(std::cos(angle), -std::sin(angle), 0) : Vector3d(std::cos(angle), 0, -std::sin(angle));
  if (planar) {
    loop.bodies.emplace<PlanarBody>(2.0, 0.5 * 2.0 * kRadius * kRadius, (kRadius * n).head<2>());
    touch_under(loop, BodyId{1}, planar_frame(n), material, ContactRows::plane);
  } else {
    loop.bodies.emplace<RigidBody>(sphere_mass(1000, kRadius), kRadius * n);
    touch_under(loop, BodyId{1}, local_frame(n), material);
  }
  for (int step = 0; step < kSteps; ++step) CHECK(loop.step().status == SolveStatus::converged);
  const Eigen::VectorXd& u = loop.bodies[BodyId{1}].velocity();
  const Vector3d v = planar ? Vector3d(u[0], u[1], 0) : Vector3d(u.tail<3>());
  // It rolls without slipping.
  const double spin = planar ? std::abs(u[2]) : u.head<3>().norm();
  CHECK(std::abs(spin * kRadius - v.norm()) < 1e-9);
  return v.dot(down);
}

}  // namespace

TEST_CASE("a ball on an incline rests below tan θ = μ_r/r and rolls down above as theory says") {
  const SurfaceMaterial material{.friction = 0.8, .rolling = 0.3 * kRadius};
  for (const bool planar : {false, true}) {
    CAPTURE(planar);
    CHECK(std::abs(speed_after_a_second(0.29, material, planar)) < 1e-9);
    for (const double slope : {0.31, 0.5}) {
      // (1 + J/(m r²)) a = g sin θ − (μ_r/r) g cos θ, J = 2/5 m r² of the sphere, 1/2 m r² of the disc.
      const double angle = std::atan(slope);
      const double a = kGravity * (std::sin(angle) - 0.3 * std::cos(angle)) / (planar ? 1.5 : 1.4);
      CHECK(speed_after_a_second(slope, material, planar) == doctest::Approx(a).epsilon(1e-8));
    }
    // Without rolling friction, the textbook's 5/7 g sin θ.
    const double free = kGravity * std::sin(std::atan(0.5)) / (planar ? 1.5 : 1.4);
    CHECK(speed_after_a_second(0.5, {.friction = 0.8}, planar) == doctest::Approx(free).epsilon(1e-8));
  }
}

TEST_CASE("a ball that spins on a plane loses μ_τ m g / J of its spin a second, stops, and stays") {
  ContactLoop loop(kStep, {0, 0, -kGravity});
  loop.bodies.emplace<Obstacle>();
  const MassProperties mass = sphere_mass(1000, kRadius);
  loop.bodies.emplace<RigidBody>(mass, Vector3d(0, 0, kRadius));
  const double torsional = 1e-3;
  touch_under(loop, BodyId{1}, local_frame(Vector3d::UnitZ()), {.friction = 0.5, .torsional = torsional});
  const double rate = torsional * kGravity / (0.4 * kRadius * kRadius);
  Eigen::VectorXd u = Eigen::VectorXd::Zero(6);
  u[2] = 50.5 * kStep * rate;  // half a step beyond fifty
  loop.bodies[BodyId{1}].set_velocity(u);
  for (int step = 1; step <= kSteps; ++step) {
    CHECK(loop.step().status == SolveStatus::converged);
    const double expected = std::max(u[2] - rate * kStep * step, 0.0);
    CHECK(std::abs(loop.bodies[BodyId{1}].velocity()[2] - expected) < 1e-9 * u[2]);
  }
  CHECK(loop.bodies[BodyId{1}].velocity().norm() < 1e-9);
}

TEST_CASE("a ball that rolls on a plane loses 5/7 g μ_r/r of its speed a second, stops, and stays") {
  ContactLoop loop(kStep, {0, 0, -kGravity});
  loop.bodies.emplace<Obstacle>();
  loop.bodies.emplace<RigidBody>(sphere_mass(1000, kRadius), Vector3d(0, 0, kRadius));
  touch_under(loop, BodyId{1}, local_frame(Vector3d::UnitZ()), {.friction = 0.5, .rolling = 0.02 * kRadius});
  const double rate = 0.02 * kGravity / 1.4;
  Eigen::VectorXd u = Eigen::VectorXd::Zero(6);
  u[3] = 50.5 * kStep * rate;  // half a step beyond fifty
  u[1] = u[3] / kRadius;
  loop.bodies[BodyId{1}].set_velocity(u);
  for (int step = 1; step <= kSteps; ++step) {
    CHECK(loop.step().status == SolveStatus::converged);
    const double expected = std::max(u[3] - rate * kStep * step, 0.0);
    CHECK(std::abs(loop.bodies[BodyId{1}].velocity()[3] - expected) < 1e-9);
    CHECK(std::abs(loop.bodies[BodyId{1}].velocity()[1] * kRadius - expected) < 1e-9);
  }
  CHECK(loop.bodies[BodyId{1}].velocity().norm() < 1e-9);
}

TEST_CASE("a turning obstacle takes a ball along by torsional friction until they turn together") {
  ContactLoop loop(kStep, {0, 0, -kGravity});
  const double turn = 2;
  loop.bodies.emplace<Obstacle>(Vector3d::Zero(), Vector3d(0, 0, turn), Vector3d::Zero());
  loop.bodies.emplace<RigidBody>(sphere_mass(1000, kRadius), Vector3d(0, 0, kRadius));
  const double torsional = 1e-3;
  touch_under(loop, BodyId{1}, local_frame(Vector3d::UnitZ()), {.friction = 0.5, .torsional = torsional});
  const double rate = torsional * kGravity / (0.4 * kRadius * kRadius);
  for (int step = 1; step <= 150; ++step) {
    CHECK(loop.step().status == SolveStatus::converged);
    CHECK(std::abs(loop.bodies[BodyId{1}].velocity()[2] - std::min(rate * kStep * step, turn)) < 1e-9);
  }
  CHECK(loop.bodies[BodyId{1}].velocity()[2] == doctest::Approx(turn));
}

TEST_CASE("elliptic friction: deceleration along each axis, and the direction of maximal dissipation between them") {
  const SurfaceMaterial material{.friction = 0.2, .cross_friction = 0.5};
  const Eigen::Matrix3d frame = local_frame(Vector3d::UnitZ());
  const auto slide = [&](const Eigen::Vector2d& tangent, auto&& look) {
    ContactLoop loop(kStep, {0, 0, -kGravity});
    loop.bodies.emplace<Obstacle>();
    loop.bodies.emplace<Particle>(3.0, Vector3d::Zero());
    loop.touch([=](const BodySet& now) {
      return ContactPoint{
          .slave = BodyId{1}, .point = now[BodyId{1}].to_space(Vector3d::Zero()), .frame = frame, .material = material};
    });
    loop.bodies[BodyId{1}].set_velocity(frame.leftCols<2>() * tangent);
    for (int step = 0; step < kSteps; ++step) {
      const Eigen::Vector2d before = frame.leftCols<2>().transpose() * loop.bodies[BodyId{1}].velocity();
      CHECK(loop.step().status == SolveStatus::converged);
      const Eigen::Vector2d after = frame.leftCols<2>().transpose() * loop.bodies[BodyId{1}].velocity();
      look(step + 1, before, after);
    }
  };
  const Eigen::Vector2d mu(0.2, 0.5);
  for (int axis = 0; axis < 2; ++axis) {
    slide(10 * Eigen::Vector2d::Unit(axis), [&](int step, const Eigen::Vector2d&, const Eigen::Vector2d& u) {
      CHECK(std::abs(u[axis] - (10 - mu[axis] * kGravity * kStep * step)) < 1e-9);
      CHECK(std::abs(u[1 - axis]) < 1e-9);
    });
  }
  // u̇_i = −g μ_i² u_i / √(μ_1² u_1² + μ_2² u_2²), implicit in the step; u_2 dies out first, until the contact sticks.
  bool stuck = false;
  slide({1, 2}, [&](int, const Eigen::Vector2d& before, const Eigen::Vector2d& u) {
    const double slip = mu.cwiseProduct(u).norm();
    if (slip < 1e-9) {
      stuck = true;
      return;
    }
    const Eigen::Vector2d expected = -kGravity * kStep * mu.cwiseProduct(mu).cwiseProduct(u) / slip;
    CHECK((u - before - expected).norm() < 1e-9);
  });
  CHECK(stuck);
}

TEST_CASE("contacts refuse materials without a meaning, in one line") {
  BodySet bodies;
  bodies.emplace<Obstacle>();
  bodies.emplace<RigidBody>(sphere_mass(1000, kRadius), Vector3d(0, 0, kRadius));
  LocalDynamics ldy;
  Assembly assembly(bodies, ldy);
  const auto point = [](const SurfaceMaterial& material) {
    return ContactPoint{.slave = BodyId{1}, .material = material};
  };
  CHECK_THROWS_WITH_AS((void)assembly.emplace<Contact>(point({.friction = 1, .rolling = -1})),
                       doctest::Contains("rolling friction: expected"), std::invalid_argument);
  CHECK_THROWS_WITH_AS((void)assembly.emplace<Contact>(point({.friction = 1, .torsional = HUGE_VAL})),
                       doctest::Contains("torsional friction: expected"), std::invalid_argument);
  CHECK_THROWS_WITH_AS((void)assembly.emplace<Contact>(point({.friction = 1, .rolling = 0.1, .cross_friction = 0.5})),
                       doctest::Contains("none beside rolling"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      (void)assembly.emplace<Contact>(point({.friction = 1, .cross_friction = 0.5}), ContactRows::plane),
      doctest::Contains("in the plane"), std::invalid_argument);
  const ConstraintId id = assembly.emplace<Contact>(point({.friction = 1}));
  CHECK_THROWS_WITH_AS(
      dynamic_cast<Contact&>(assembly.constraint(id)).set_point(point({.friction = 1, .rolling = 0.1}), bodies),
      doctest::Contains("as the contact was made with"), std::invalid_argument);
}
