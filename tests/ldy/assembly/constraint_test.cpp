// Each constraint in a small motion with a closed form. Reactions are found by a dense solve, so that only the
// assembly, the laws and the scheme are on trial.

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/local_frame.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_direction.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_point.hpp>
#include <locdyn/ldy/assembly/constraints/prescribed_velocity.hpp>
#include <locdyn/ldy/assembly/constraints/rigid_link.hpp>
#include <locdyn/ldy/assembly/constraints/spring_damper.hpp>

#include "world.hpp"

using namespace locdyn;
using Eigen::Vector3d;
using test::World;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const Vector3d kGravity(0, 0, -9.81);

Eigen::VectorXd velocity(const Vector3d& v) {
  return v;
}

RigidBody block_at(const Vector3d& x) {
  return {box_mass(500, {0.2, 0.3, 0.4}), x};
}

template <class Work>
bool fault_names(const char* word, const Work& work) {
  try {
    work();
  } catch (const std::invalid_argument& fault) {
    return std::string(fault.what()).find(word) != std::string::npos;
  }
  return false;
}

}  // namespace

TEST_CASE("spring-damper: the implicit step in closed form, and what it is made for") {
  // u⁺ = (u − (h/m)(k g* + 0)) / (1 + (h/m)(h k/2 + c)) along the spring, q⁺ = q + h/2 (u + u⁺).
  for (const auto& [stiffness, damping] : {std::pair{100.0, 0.0}, {100.0, 3.0}, {0.0, 3.0}, {1e9, 0.0}}) {
    const double k = stiffness, c = damping;  // Clang 14 lets no lambda, and so no CAPTURE, hold a structured binding
    CAPTURE(k);
    CAPTURE(c);
    World world;
    const double m = 2, h = 0.01, rest = 1;
    double q = 1.2, u = -0.3;
    const BodyId mass = world.bodies.emplace<Particle>(m, Vector3d(q, 0, 0));
    world.bodies[mass].set_velocity(velocity({u, 0, 0}));
    world.assembly.emplace<SpringDamper>(Anchor{Vector3d::Zero()}, Anchor{{q, 0, 0}, mass}, SpringProperties{k, c},
                                         rest);
    for (int i = 0; i < 50; ++i) {
      const double middle = q + 0.5 * h * u;
      const double u_end = (u - h / m * k * (middle - rest)) / (1 + h / m * (0.5 * h * k + c));
      q = middle + 0.5 * h * u_end;
      u = u_end;
      world.step(h);
      REQUIRE(world.bodies[mass].to_space(Vector3d::Zero()).x() == doctest::Approx(q).epsilon(1e-12));
      REQUIRE(std::abs(world.bodies[mass].velocity()[0] - u) <= 1e-11 * (1 + std::abs(u)));
    }
  }

  SUBCASE("a mass hung on two springs in line settles at m g / k") {
    World world;
    world.gravity = kGravity;
    const BodyId ceiling = world.bodies.emplace<Obstacle>();
    const BodyId upper = world.bodies.emplace<Particle>(1.0, Vector3d(0, 0, -1));
    const BodyId lower = world.bodies.emplace<Particle>(2.0, Vector3d(0, 0, -2));
    const SpringProperties properties{300, 40};
    world.assembly.emplace<SpringDamper>(Anchor{Vector3d::Zero(), ceiling}, Anchor{{0, 0, -1}, upper}, properties);
    world.assembly.emplace<SpringDamper>(Anchor{{0, 0, -1}, upper}, Anchor{{0, 0, -2}, lower}, properties);
    for (int i = 0; i < 2000; ++i) world.step(0.01);
    const double z1 = world.bodies[upper].to_space(Vector3d::Zero()).z();
    const double z2 = world.bodies[lower].to_space(Vector3d::Zero()).z();
    CHECK(z1 == doctest::Approx(-1 - 3 * 9.81 / 300).epsilon(1e-10));
    CHECK(z2 - z1 == doctest::Approx(-1 - 2 * 9.81 / 300).epsilon(1e-10));
  }

  SUBCASE("a free oscillation loses 1 − 1/√(1 + h² k/(2m)) a step") {
    World world;
    const double m = 1, h = 0.1, k = 4;
    const BodyId mass = world.bodies.emplace<Particle>(m, Vector3d(1, 0, 0));
    world.assembly.emplace<SpringDamper>(Anchor{{-9, 0, 0}}, Anchor{{1, 0, 0}, mass}, SpringProperties{k, 0}, 9);
    // The linear map (q, u) → (q⁺, u⁺) has determinant 1/(1 + h² k/(2m)): areas of two motions shrink by it.
    const auto run = [&](double q, double u) {
      World one;
      const BodyId id = one.bodies.emplace<Particle>(m, Vector3d(q, 0, 0));
      one.bodies[id].set_velocity(velocity({u, 0, 0}));
      one.assembly.emplace<SpringDamper>(Anchor{{-9, 0, 0}}, Anchor{{q, 0, 0}, id}, SpringProperties{k, 0}, 9);
      one.step(h);
      return Eigen::Vector2d(one.bodies[id].to_space(Vector3d::Zero()).x(), one.bodies[id].velocity()[0]);
    };
    Eigen::Matrix2d map;
    map << run(1, 0), run(0, 1);
    CHECK(map.determinant() == doctest::Approx(1 / (1 + h * h * k / (2 * m))).epsilon(1e-12));
  }
}

TEST_CASE("rigid link: the rate of length at q* is zero, the drift is what the header says") {
  World world;
  const double h = 0.01, speed = 2, length = 1.5;
  const BodyId mass = world.bodies.emplace<Particle>(0.7, Vector3d(length, 0, 0));
  const ConstraintId id = world.assembly.emplace<RigidLink>(Anchor{Vector3d::Zero()}, Anchor{{length, 0, 0}, mass});
  world.bodies[mass].set_velocity(velocity({0, speed, 0}));
  const auto& link = dynamic_cast<const RigidLink&>(world.assembly.constraint(id));
  CHECK(link.length() == length);
  double at_middle = 0;
  Vector3d middle;
  for (int i = 0; i < 100; ++i) {
    world.step(h, [&] {
      middle = world.bodies[mass].to_space(Vector3d::Zero());
      const double now = link.length(world.bodies);
      const double v = world.bodies[mass].velocity().norm();
      // u was along the tangent at the last q*, so q* moved by h u at a right angle.
      if (i > 0) REQUIRE(now * now == doctest::Approx(at_middle * at_middle + h * h * v * v).epsilon(1e-12));
      at_middle = now;
    });
    REQUIRE(std::abs(middle.normalized().dot(Vector3d(world.bodies[mass].velocity()))) <= 1e-14);
  }
}

TEST_CASE("fixed point: a pinned rod swings with the rate of a compound pendulum, two pinned bodies share a point") {
  World world;
  world.gravity = kGravity;
  const double length = 2;
  const MassProperties rod = box_mass(1000, {length, 0.02, 0.02});
  const BodyId id = world.bodies.emplace<RigidBody>(rod, Vector3d(length / 2, 0, 0));
  world.assembly.emplace<FixedPoint>(Anchor{Vector3d::Zero(), id});
  const double h = 1e-6;
  world.bodies.predict(h, world.gravity);
  world.assembly.update(h);
  world.solve_bilateral();
  world.assembly.apply_reactions();
  // α = m g l/2 / (J_y + m (l/2)²), released from the horizontal.
  const double J = rod.inertia(1, 1) + rod.mass * length * length / 4;
  CHECK(world.bodies[id].velocity()[1] == doctest::Approx(h * rod.mass * 9.81 * length / 2 / J).epsilon(1e-12));

  World pair;
  pair.gravity = kGravity;
  const BodyId a = pair.bodies.add(std::make_unique<RigidBody>(block_at({0, 0, 0})));
  const BodyId b = pair.bodies.add(std::make_unique<RigidBody>(block_at({0, 0, -0.5})));
  pair.bodies[b].set_velocity((Eigen::VectorXd(6) << 1, 2, 3, 0.1, 0.2, 0.3).finished());
  const ConstraintId top = pair.assembly.emplace<FixedPoint>(Anchor{{0.1, 0, 0.2}, a});
  const ConstraintId pin = pair.assembly.emplace<FixedPoint>(Anchor{{0, 0, -0.25}, a}, Anchor{{0, 0, -0.25}, b});
  for (int i = 0; i < 100; ++i) pair.step(1e-3);
  for (const ConstraintId joint : {top, pin}) {
    CHECK(dynamic_cast<const FixedPoint&>(pair.assembly.constraint(joint)).separation(pair.bodies).norm() < 1e-3);
  }
}

TEST_CASE("fixed direction and prescribed velocity act along their direction alone") {
  World world;
  world.gravity = kGravity;
  const BodyId id = world.bodies.emplace<Particle>(3.0, Vector3d(0, 0, 5));
  world.assembly.emplace<FixedDirection>(Anchor{{0, 0, 5}, id}, Vector3d(0, 0, 7));
  const ConstraintId motor = world.assembly.emplace<PrescribedVelocity>(Anchor{{0, 0, 5}, id}, Vector3d(2, 0, 0), 0.25);
  world.bodies[id].set_velocity(velocity({0, 1, 0}));
  const double h = 0.01;
  for (int i = 0; i < 100; ++i) world.step(h);
  const Vector3d x = world.bodies[id].to_space(Vector3d::Zero());
  // The velocity jumps in the first step, whose first half it is still 0.
  CHECK((x - Vector3d(0.25 * (1 - 0.5 * h), 1, 5)).norm() <= 1e-13);
  CHECK(world.ldy.row(ConstraintId{0}).R[2] == doctest::Approx(3 * 9.81));
  dynamic_cast<PrescribedVelocity&>(world.assembly.constraint(motor)).set_velocity(-1);
  world.step(h);
  CHECK((Vector3d(world.bodies[id].velocity()) - Vector3d(-1, 1, 0)).norm() <= 1e-13);

  // Against a moving obstacle the direction holds the relative velocity.
  World moving;
  const BodyId belt = moving.bodies.emplace<Obstacle>(Vector3d(0.5, 0, 0), Vector3d::Zero(), Vector3d::Zero());
  const BodyId rider = moving.bodies.emplace<Particle>(1.0, Vector3d(0, 0, 0));
  moving.assembly.emplace<FixedDirection>(Anchor{Vector3d::Zero(), belt}, Anchor{Vector3d::Zero(), rider},
                                          Vector3d::UnitX());
  moving.step(h);
  CHECK(moving.bodies[rider].velocity()[0] == doctest::Approx(0.5).epsilon(1e-14));
}

TEST_CASE("a weld of two blocks makes one body of two") {
  World world;
  const BodyId a = world.bodies.add(std::make_unique<RigidBody>(block_at({0, 0, 0})));
  const BodyId b = world.bodies.add(std::make_unique<RigidBody>(block_at({0.2, 0, 0})));
  world.assembly.emplace<test::Bond>(a, b, Vector3d(0.1, 0, 0));
  world.bodies[a].add_force({0, 0, 30}, {0, 0, 0});
  const double h = 1e-3;
  world.bodies.predict(h, Vector3d::Zero());
  world.assembly.update(h);
  world.solve_bilateral();
  world.assembly.apply_reactions();

  const MassProperties one = box_mass(500, {0.2, 0.3, 0.4});
  const std::array<MassProperties, 2> parts = {one, moved(one, Eigen::Matrix3d::Identity(), {0.2, 0, 0})};
  const MassProperties both = combined(parts);
  const double omega = h * 30 * 0.1 / both.inertia(1, 1);  // 30 N up at 0.1 m left of the common centre
  for (const BodyId id : {a, b}) CHECK(world.bodies[id].velocity()[1] == doctest::Approx(omega).epsilon(1e-12));
  const double v = h * 30 / both.mass;
  CHECK(world.bodies[a].velocity()[5] == doctest::Approx(v + 0.1 * omega).epsilon(1e-12));
  CHECK(world.bodies[b].velocity()[5] == doctest::Approx(v - 0.1 * omega).epsilon(1e-12));
}

TEST_CASE("contact: signs, restitution, open gaps and moving obstacles in the law and B") {
  World world;
  const BodyId floor = world.bodies.emplace<Obstacle>(Vector3d(0, 0, 0.5), Vector3d::Zero(), Vector3d::Zero());
  const BodyId ball = world.bodies.emplace<Particle>(2.0, Vector3d(0, 0, 0));
  world.bodies[ball].set_velocity(velocity({0, 0, -1}));
  ContactPoint point{.master = floor, .slave = ball, .material = {.friction = 0.3, .restitution = 0.5}};
  const ConstraintId id = world.assembly.emplace<Contact>(point);
  const double h = 0.01;
  const auto shift = [&]() -> Vector3d {
    world.bodies.predict(h, kGravity);
    world.assembly.update(h);
    return std::get<ContactLaw>(world.ldy.law(id)).shift;
  };
  // Closing at 1.5: V_n = −1.5, B_n = −1.5 − g h; with R_n = −(B_n + σ)/W the ball leaves the floor at 0.75.
  CHECK(shift()[2] == doctest::Approx(-0.75).epsilon(1e-15));
  CHECK(world.assembly.velocity_before(id)[2] == doctest::Approx(-1.5));
  CHECK(world.ldy.row(id).B[2] == doctest::Approx(-1.5 - 9.81 * h));
  CHECK(world.ldy.row(id).W(2, 2) == doctest::Approx(h / 2.0));
  world.ldy.row(id).R = {0, 0, (1.5 + 9.81 * h + 0.75) / (h / 2.0)};
  world.assembly.apply_reactions();
  CHECK(world.bodies[ball].velocity()[2] - 0.5 == doctest::Approx(0.75).epsilon(1e-13));
  // Separating: no restitution. Then an open gap without restitution.
  CHECK(shift().isZero(0));
  auto& contact = dynamic_cast<Contact&>(world.assembly.constraint(id));
  point.gap = 0.002;
  CHECK_THROWS_AS(contact.set_point(point, world.bodies), std::invalid_argument);
  point.material.restitution = 0;
  contact.set_point(point, world.bodies);
  CHECK(shift()[2] == doctest::Approx(0.2).epsilon(1e-15));
  // What it did in the step before: σ_t = (V − U⁻)_t / 2 where it pressed.
  world.bodies[ball].set_velocity(velocity({0.7, -0.2, -1}));
  contact.set_past({.pressed = false, .velocity = {0.5, 0, 3}});
  CHECK(shift().head<2>().isZero(0));
  contact.set_past({.pressed = true, .velocity = {0.5, 0, 3}});
  CHECK((shift() - Vector3d(0.1, -0.1, 0.2)).norm() < 1e-15);
  point.past.velocity[1] = kNaN;
  CHECK_THROWS_AS(contact.set_point(point, world.bodies), std::invalid_argument);
  point.past = {};
  std::swap(point.master, point.slave);
  CHECK_THROWS_AS(contact.set_point(point, world.bodies), std::invalid_argument);

  SUBCASE("whose point another keeps: it reads what is written there, and is not written through") {
    std::swap(point.master, point.slave);
    const ConstraintId kept = world.assembly.emplace<Contact>(std::cref(point));
    auto& follower = dynamic_cast<Contact&>(world.assembly.constraint(kept));
    CHECK(&follower.point() == &point);
    for (const double gap : {0.003, 0.001}) {
      point.gap = gap;
      world.assembly.update(h);
      CHECK(std::get<ContactLaw>(world.ldy.law(kept)).shift[2] == doctest::Approx(gap / h).epsilon(1e-15));
    }
    CHECK_THROWS_AS(follower.set_point(point, world.bodies), std::logic_error);
    CHECK_THROWS_AS(follower.set_past({}), std::logic_error);
    point.gap = kNaN;
    CHECK_THROWS_AS(world.assembly.emplace<Contact>(std::cref(point)), std::invalid_argument);
  }

  SUBCASE("between bodies that move in a plane t2 is unused") {
    World flat;
    const BodyId left = flat.bodies.emplace<PlanarBody>(1.0, 0.1, Eigen::Vector2d(0, 0));
    const BodyId right = flat.bodies.emplace<PlanarBody>(2.0, 0.2, Eigen::Vector2d(1, 0));
    const ConstraintId touch = flat.assembly.emplace<Contact>(
        ContactPoint{.master = left, .slave = right, .point = {0.5, 0.2, 0}, .frame = planar_frame(Vector3d::UnitX())},
        ContactRows::plane);
    flat.bodies.predict(h, Vector3d(0, -9.81, 0));
    flat.assembly.update(h);
    const DiagonalBlock& row = flat.ldy.row(touch);
    CHECK(std::get<ContactLaw>(flat.ldy.law(touch)).planar);
    CHECK(row.W.row(1).norm() + row.W.col(1).norm() + std::abs(row.B[1]) == 0);
    CHECK(row.W(2, 2) == doctest::Approx(h * (1.0 + 0.2 * 0.2 / 0.1 + 0.5 + 0.2 * 0.2 / 0.2)));
  }
}

TEST_CASE("constraints refuse values without meaning") {
  World world;
  world.bodies.emplace<Obstacle>();
  const BodyId id = world.bodies.emplace<Particle>(1.0, Vector3d::Zero());
  const Anchor here{Vector3d::Zero(), id};
  const Anchor origin{};
  CHECK(fault_names("slave: expected a body", [&] { FixedPoint(here, origin); }));
  CHECK(fault_names("point on the slave", [&] { world.assembly.emplace<FixedPoint>(Anchor{{kNaN, 0, 0}, id}); }));
  CHECK(fault_names("rigid link of bodies 1: length", [&] { world.assembly.emplace<RigidLink>(origin, here); }));
  CHECK(fault_names("found 9", [&] { world.assembly.emplace<FixedPoint>(Anchor{Vector3d::Zero(), BodyId{9}}); }));
  CHECK(fault_names("obstacle 0", [&] { world.assembly.emplace<FixedPoint>(Anchor{Vector3d::Zero(), BodyId{0}}); }));
  CHECK(fault_names("normal", [&] { FixedDirection(here, Vector3d::Zero()); }));
  CHECK(fault_names("prescribed velocity", [&] { PrescribedVelocity(here, Vector3d::UnitX(), kNaN); }));
  CHECK(fault_names("stiffness", [&] { SpringDamper(origin, here, {-1, 1}); }));
  CHECK(fault_names("damping", [&] { SpringDamper(origin, here, {1, kNaN}); }));
  CHECK(fault_names("both 0", [&] { SpringDamper(origin, here, {0, 0}); }));
  CHECK(fault_names("rest length", [&] { SpringDamper(origin, here, {1, 1}, -1); }));
  CHECK(world.ldy.constraint_count() == 0);

  // A spring that has no direction at q*, found out while several threads assemble.
  world.assembly.emplace<FixedPoint>(here);
  world.assembly.emplace<SpringDamper>(origin, here, SpringProperties{1, 1}, 0.5);
  CHECK(fault_names("constraint 1 (spring-damper)", [&] { world.assembly.update(0.1, {.threads = 2}); }));
}
