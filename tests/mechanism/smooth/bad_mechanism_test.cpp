// Mechanisms that make no sense, by every way in which motion can be asked for: the constraint is named, the numbers
// are given, nothing goes on, and the bodies stay where the last good state was.

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/forces/function_force.hpp>
#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>
#include <locdyn/ldy/assembly/constraints/prescribed_velocity.hpp>
#include <locdyn/ldy/assembly/constraints/spring_damper.hpp>
#include <locdyn/ldy/assembly/constraints/user_constraint.hpp>
#include <locdyn/mechanism/closing.hpp>
#include <locdyn/mechanism/mobility.hpp>
#include <locdyn/mechanism/path.hpp>
#include <locdyn/mechanism/rates.hpp>
#include <locdyn/mechanism/smooth/fixed_step.hpp>
#include <locdyn/mechanism/smooth/integrate/integrate.hpp>
#include <locdyn/mechanism/smooth/inverse_dynamics.hpp>

#include "mechanism/linkages.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kUntil = 1;

enum class Way { close, follow, follow_time, runge_kutta, bdf, adams, generalised_alpha, half_step, inverse };
constexpr Way kForward[] = {Way::runge_kutta, Way::bdf, Way::adams, Way::generalised_alpha, Way::half_step};
constexpr Way kAll[] = {Way::close,  Way::follow, Way::follow_time,       Way::runge_kutta,
                        Way::bdf,    Way::adams,  Way::generalised_alpha, Way::half_step,
                        Way::inverse};

// A bar from the origin to (1, 0) on a bearing there, and what is added to it.
struct Bar : Linkage {
  BodyId bar;
  AppliedLoads loads{.gravity = {0, -9.81, 0}};
  std::unique_ptr<Mechanism> mechanism;
  DriveId drive = 0;

  Bar() : bar(planar_bar({0, 0}, {1, 0})) { pin("bearing", {0, 0}, bar); }
  [[nodiscard]] Anchor tip() const { return {{1, 0, 0}, bar}; }
  void finish(bool driven = false) {
    mechanism = std::make_unique<Mechanism>(system);
    if (driven) drive = mechanism->add_drive(planar_angle(bar), "crank");
  }
};

// What it says where it refuses; empty where it does not.
std::string said(Bar& bar, Way way) {
  Mechanism& m = *bar.mechanism;
  IntegrateOptions options{.until = kUntil, .max_step = 0.05};
  FixedStepOptions steps{.until = kUntil, .step = 0.01};
  try {
    switch (way) {
      case Way::close: return close(m).message();
      case Way::follow: return follow(m, bar.drive, {.from = 0, .to = 1, .step = 0.1}).message();
      case Way::follow_time: return follow_time(m, {.from = 0, .to = kUntil, .step = 0.1}).message();
      case Way::bdf: options.integrator = Integrator::bdf; break;
      case Way::adams: options.integrator = Integrator::adams; break;
      case Way::half_step: steps.scheme = FixedStepScheme::half_step; [[fallthrough]];
      case Way::generalised_alpha: step_through(m, bar.loads, steps); return {};
      case Way::inverse: {
        std::vector<double> times;
        for (int i = 0; i <= 10; ++i) times.push_back(0.1 * i);
        (void)inverse_dynamics(m, bar.loads, {.times = times});
        return {};
      }
      default: break;
    }
    integrate(m, bar.loads, options);
    return {};
  } catch (const MotionError& error) {
    return error.what();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool one_line_with_number(const std::string& text) {
  return !has(text, "\n") &&
         std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool same(const MechanismState& a, const MechanismState& b) {
  return a.time == b.time && a.q == b.q && a.u == b.u;
}

TimeFunction cubic_from(double start, double bend) {
  return {[=](double t) { return t < start ? 0 : bend * std::pow(t - start, 3); },
          [=](double t) { return t < start ? 0 : 3 * bend * std::pow(t - start, 2); },
          [=](double t) { return t < start ? 0 : 6 * bend * (t - start); }};
}

// The far end of a bar of 1 m on the circle of 1.5 m about the origin.
UserFunctions circle(BodyId bar) {
  const auto x = [bar](const BodySet& b) { return b[bar].to_space(Vector3d(0.5, 0, 0)); };
  const auto H = [bar, x](const BodySet& b) {
    Eigen::MatrixXd J(3, b[bar].freedoms());
    PointJacobian P(3, b[bar].freedoms());
    b[bar].point_jacobian(x(b), Eigen::Matrix3d::Identity(), P);
    J = P;
    return J;
  };
  return {
      .rows = 1,
      .C = [x](const BodySet& b, double) { return Eigen::VectorXd::Constant(1, 0.5 * (x(b).squaredNorm() - 2.25)); },
      .C_q = [x, H](const BodySet& b, double) -> Eigen::MatrixXd { return x(b).transpose() * H(b); },
      .Cdot_q_u = [bar, x, H](const BodySet& b, double) -> Eigen::VectorXd {
        const Vector3d v = H(b) * b[bar].velocity();
        const double along = x(b).dot(kinematic(b, bar).point_motion(Vector3d(0.5, 0, 0)).bias);
        return Eigen::VectorXd::Constant(1, v.squaredNorm() + along);
      },
      .name = "circle"};
}

}  // namespace

TEST_CASE("rows that no position meets: all ways name one of them and what is missing") {
  for (const Way way : kAll) {
    CAPTURE(static_cast<int>(way));
    Bar bar;
    bar.join<RigidLink>("strut", Anchor{{3, 0, 0}}, bar.tip(), 1.5);  // the tip comes to 2 m at most
    bar.finish(way == Way::follow || way == Way::inverse);
    const MechanismState before = bar.mechanism->state();
    const std::string text = said(bar, way);
    CAPTURE(text);
    CHECK(one_line_with_number(text));
    CHECK((has(text, "rigid link \"strut\"") || has(text, "\"bearing\"") || has(text, "drive \"crank\"")));
    CHECK(has(text, " m "));
    if (way != Way::close) CHECK(same(bar.mechanism->state(), before));
  }
}

TEST_CASE("a body that nothing holds is named where drives must hold all, and flies freely elsewhere") {
  for (const Way way : kAll) {
    CAPTURE(static_cast<int>(way));
    Bar bar;
    const BodyId loose = bar.planar_bar({3, 0}, {4, 0});
    bar.finish(way == Way::follow || way == Way::inverse);
    const MechanismState before = bar.mechanism->state();
    const std::string text = said(bar, way);
    REQUIRE(mobility(*bar.mechanism).loose == std::vector<BodyId>{loose});
    if (way == Way::inverse) {
      CHECK(text ==
            "motion at t = 0 s: expected drives that hold every freedom, found 3 left free: no row acts on body 1");
      CHECK(same(bar.mechanism->state(), before));
    } else {
      CHECK(text.empty());
    }
  }
}

TEST_CASE("a link of no length is refused where it is made, and by name where it comes to be so") {
  Bar bar;
  CHECK_THROWS_WITH_AS(bar.join<RigidLink>("nothing", Anchor{{1, 0, 0}}, bar.tip(), 1.0),
                       doctest::Contains("length: expected two points apart"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(bar.join<RigidLink>("none", Anchor{{2, 0, 0}}, bar.tip(), 0.0),
                       doctest::Contains("length: expected"), std::invalid_argument);
  for (const Way way : kAll) {
    CAPTURE(static_cast<int>(way));
    Bar later;
    later.join<RigidLink>("strut", Anchor{{3, 0, 0}}, later.tip(), 2.0);
    later.finish(way == Way::follow || way == Way::inverse);
    later.system.bodies()[later.bar].set_configuration(Vector3d(2.5, 0, 0));  // the tip at (3, 0)
    const MechanismState before = later.mechanism->state();
    const std::string text = said(later, way);
    CAPTURE(text);
    CHECK(has(text, "rigid link \"strut\""));
    CHECK(one_line_with_number(text));
    CHECK(same(later.mechanism->state(), before));
  }
}

TEST_CASE("drives that contradict each other: by name and number, from the start and later") {
  for (const Way way : {Way::follow_time, Way::runge_kutta, Way::bdf, Way::adams, Way::generalised_alpha,
                        Way::half_step, Way::inverse}) {
    CAPTURE(static_cast<int>(way));
    Bar bar;
    bar.join<Prescribed>("one", planar_angle(bar.bar), linear_function(0, 0.5));
    bar.join<Prescribed>("other", planar_angle(bar.bar), linear_function(0, 0.7));
    bar.finish();
    const MechanismState before = bar.mechanism->state();
    const std::string text = said(bar, way);
    CAPTURE(text);
    CHECK(one_line_with_number(text));
    CHECK((has(text, "prescribed coordinate \"one\"") || has(text, "prescribed coordinate \"other\"")));
    CHECK(bar.mechanism->bodies().time() == 0);
    CHECK(bar.mechanism->state().q == before.q);

    Bar apart;
    apart.join<Prescribed>("one", planar_angle(apart.bar), cubic_from(0.5, 1));
    apart.join<Prescribed>("other", planar_angle(apart.bar), cubic_from(0.5, -1));
    apart.finish();
    const std::string then = said(apart, way);
    CAPTURE(then);
    CHECK(one_line_with_number(then));
    CHECK((has(then, "prescribed coordinate \"one\"") || has(then, "prescribed coordinate \"other\"")));
    CHECK(apart.mechanism->bodies().time() <= 0.61);
    CHECK(std::abs(apart.mechanism->state().q[apart.bar][2]) < 1e-3);
  }
  // A drive of the mechanism against one of its constraints.
  for (const Way way : {Way::follow, Way::inverse}) {
    CAPTURE(static_cast<int>(way));
    Bar bar;
    bar.join<Prescribed>("stop", planar_angle(bar.bar), 0.0);
    bar.finish(true);
    bar.mechanism->set_drive(bar.drive, {.value = 0, .rate = 1});
    const std::string text = said(bar, way);
    CAPTURE(text);
    CHECK(one_line_with_number(text));
    CHECK((has(text, "prescribed coordinate \"stop\"") || has(text, "drive \"crank\"")));
  }
}

TEST_CASE("a drive that repeats a row is named with it, and nothing moves") {
  Linkage w;
  const BodyId one = w.planar_bar({0, 0}, {0.6, 0.8}), two = w.planar_bar({0.6, 0.8}, {2, 1});
  w.pin("first", {0, 0}, one);
  w.join<RigidLink>("coupler", Anchor{{0.6, 0.8, 0}, one}, Anchor{{2, 1, 0}, two});
  Mechanism mechanism(w.system);
  const DriveId drive = mechanism.add_drive(distance({{0.6, 0.8, 0}, one}, {{2, 1, 0}, two}), "stretch");
  const double length = mechanism.drive_value(drive);
  const MechanismState before = mechanism.state();
  const PathReport path = follow(mechanism, drive, {.from = length, .to = length + 1, .step = 0.1});
  CHECK(path.status == PathStatus::dead_point);
  CHECK(has(path.message(), "found that drive \"stretch\" repeats rigid link \"coupler\", row 2 there"));
  REQUIRE(path.singular.back().constraints.size() == 2);
  CHECK(path.singular.back().constraints[1] == "rigid link \"coupler\"");
  CHECK(same(mechanism.state(), before));
}

TEST_CASE("functions that give no number, or throw: the constraint or force is named, the last good state kept") {
  enum class Spoilt { C, C_q, bias, throws };
  for (const Spoilt what : {Spoilt::C, Spoilt::C_q, Spoilt::bias, Spoilt::throws}) {
    for (const Way way : {Way::follow_time, Way::runge_kutta, Way::bdf, Way::adams, Way::generalised_alpha,
                          Way::half_step, Way::inverse}) {
      CAPTURE(static_cast<int>(what));
      CAPTURE(static_cast<int>(way));
      Bar bar;
      const BodyId free = bar.planar_bar({0.5, 0}, {1.5, 0});
      UserFunctions f = circle(free);
      f.C = [](const BodySet& b, double) { return Eigen::VectorXd::Constant(1, b[BodyId{1}].configuration()[1]); };
      f.C_q = [](const BodySet&, double) -> Eigen::MatrixXd { return Eigen::RowVector3d(0, 1, 0); };
      f.Cdot_q_u = [](const BodySet&, double) -> Eigen::VectorXd { return Eigen::VectorXd::Zero(1); };
      const auto late = [](double t) { return t > 0.52; };
      if (what == Spoilt::C) {
        f.C = [late, C = f.C](const BodySet& b, double t) {
          return late(t) ? Eigen::VectorXd::Constant(1, kNaN) : C(b, t);
        };
      } else if (what == Spoilt::C_q) {
        f.C_q = [late, C_q = f.C_q](const BodySet& b, double t) -> Eigen::MatrixXd {
          return late(t) ? Eigen::MatrixXd::Constant(1, 3, kNaN) : C_q(b, t);
        };
      } else if (what == Spoilt::bias) {
        f.Cdot_q_u = [late](const BodySet&, double t) -> Eigen::VectorXd {
          return Eigen::VectorXd::Constant(1, late(t) ? kNaN : 0);
        };
      } else {
        f.C_q = [late, C_q = f.C_q](const BodySet& b, double t) -> Eigen::MatrixXd {
          if (late(t)) throw std::runtime_error("table ends");
          return C_q(b, t);
        };
      }
      bar.join<UserConstraint>("rail", std::vector<BodyId>{free}, f);
      if (way == Way::inverse) {
        bar.join<Prescribed>("x", axis_displacement({{0, 0, 0}, {1, 0, 0}}, {{1, 0, 0}, free}),
                             linear_function(1, 0.1));
        bar.join<Prescribed>("turn", planar_angle(free), 0.0);
        bar.join<Prescribed>("crank", planar_angle(bar.bar), linear_function(0, 0.2));
      }
      bar.finish();
      if (way == Way::follow_time && what == Spoilt::bias) continue;  // q″ of rows that no velocity enters
      const std::string text = said(bar, way);
      CAPTURE(text);
      CHECK(has(text, "circle \"rail\": "));
      CHECK((what == Spoilt::throws ? has(text, "table ends") : has(text, "found nan in row 0")));
      CHECK(bar.mechanism->bodies().time() <= 0.52);
      CHECK(std::abs(bar.mechanism->state().q[free][1]) < 1e-8);
      for (const Eigen::VectorXd& q : bar.mechanism->state().q) CHECK(q.allFinite());
    }
  }
  for (const Way way : kForward) {
    CAPTURE(static_cast<int>(way));
    Bar bar;
    const auto gust = [](const PointState& at) { return Wrench{.force = {at.time > 0.52 ? kNaN : 1.0, 0, 0}}; };
    bar.system.add_force(std::make_unique<FunctionForce>(bar.tip(), gust), "wind");
    bar.finish();
    bar.loads = loads_of(bar.system);
    const std::string text = said(bar, way);
    CAPTURE(text);
    CHECK(has(text, "\"wind\""));
    CHECK(has(text, "nan"));
    CHECK(bar.mechanism->bodies().time() <= 0.52);
    for (const Eigen::VectorXd& q : bar.mechanism->state().q) CHECK(q.allFinite());
  }
}

TEST_CASE("a Jacobian that is not the derivative of its C is named with both numbers, and nothing moves") {
  for (const Way way : kAll) {
    CAPTURE(static_cast<int>(way));
    Bar bar;
    const BodyId free = bar.planar_bar({0.5, 0}, {1.5, 0});
    UserFunctions f = circle(free);
    const auto right = f.C_q;
    f.C_q = [right](const BodySet& b, double t) -> Eigen::MatrixXd {
      Eigen::MatrixXd J = right(b, t);
      J(0, 0) = -J(0, 0);
      return J;
    };
    bar.join<UserConstraint>("rail", std::vector<BodyId>{free}, f);
    bar.finish(way == Way::follow || way == Way::inverse);
    // Off the circle, where closing needs the Jacobian.
    if (way == Way::close) bar.system.bodies()[free].set_configuration(Vector3d(1.2, 0.3, 0.4));
    const MechanismState before = bar.mechanism->state();
    const std::string text = said(bar, way);
    CAPTURE(text);
    CHECK(has(text, "circle \"rail\": H: row 0 of block 0, velocity 0 of body 1: expected "));
    CHECK(has(text, ", found -"));
    if (way != Way::close) CHECK(same(bar.mechanism->state(), before));
  }
}

TEST_CASE("what a mechanism leaves out is listed, and no motion under forces goes on without it") {
  const auto refuses = [](Bar& bar, const std::string& line) {
    const MechanismState before = bar.mechanism->state();
    for (const Way way :
         {Way::runge_kutta, Way::bdf, Way::adams, Way::generalised_alpha, Way::half_step, Way::inverse}) {
      CAPTURE(static_cast<int>(way));
      CHECK(said(bar, way) == line);
      CHECK(same(bar.mechanism->state(), before));
    }
    CHECK(said(bar, Way::close).empty());
  };
  Bar spring;
  spring.join<SpringDamper>("s", Anchor{{1, 1, 0}}, spring.tip(), SpringProperties{.stiffness = 100});
  spring.finish();
  REQUIRE(spring.mechanism->left_out().size() == 1);
  CHECK(spring.mechanism->left_out()[0].name == "spring-damper \"s\"");
  refuses(spring,
          "mechanism: expected rigid joints alone, found spring-damper \"s\": a spring goes to the forces "
          "(System::add_force)");

  Bar limited;
  limited.join<Limit>("", planar_angle(limited.bar), Side::upper, 1.0);
  limited.finish();
  refuses(limited,
          "mechanism: expected rigid joints alone, found limit of bodies 0: nothing strikes in a mechanism: a stiff "
          "spring among the forces instead");

  Bar moved;
  const BodyId ground = moved.system.add(std::make_unique<Obstacle>(), "table");
  moved.system.add_drive(ground, [](double, double) { return ObstacleMotion{}; });
  moved.finish();
  refuses(moved,
          "mechanism: expected rigid joints alone, found motion of obstacle \"table\": constant velocities "
          "(Obstacle::set_motion), or a body with a joint and a speed instead");
}

TEST_CASE("a prescribed velocity is asked for in a mechanism too") {
  for (const Way way : {Way::runge_kutta, Way::bdf, Way::adams, Way::generalised_alpha, Way::half_step}) {
    CAPTURE(static_cast<int>(way));
    Linkage w;
    const BodyId dot = w.system.emplace<Particle>(2.0, Vector3d(1, 0, 0));
    w.join<PrescribedVelocity>("pull", Anchor{{1, 0, 0}, dot}, Vector3d(2, 0, 0), 0.25);
    Bar bar;
    bar.mechanism = std::make_unique<Mechanism>(w.system);
    CHECK(has(said(bar, way), "found 0.25 m/s missing in prescribed velocity \"pull\", row 2"));
    REQUIRE(solve_velocities(*bar.mechanism).met);
    CHECK(w.system.bodies()[dot].velocity()[0] == doctest::Approx(0.25).epsilon(1e-14));
    CHECK(said(bar, way).empty());
    CHECK(w.system.bodies()[dot].configuration()[0] == doctest::Approx(1.25).epsilon(1e-8));
  }
}

TEST_CASE("what fails before the first step leaves the bodies where they were") {
  for (const Way way : kForward) {
    CAPTURE(static_cast<int>(way));
    Bar bar;
    bar.finish();
    bar.loads.add = [](BodySet& bodies, double t) {
      bodies[BodyId{0}].add_force({t > 0 ? kNaN : 0.0, 0, 0}, Vector3d::Zero());
    };
    const MechanismState before = bar.mechanism->state();
    const std::string text = said(bar, way);
    CAPTURE(text);
    CHECK(has(text, "found nan"));
    CHECK(same(bar.mechanism->state(), before));
    bar.loads = {.gravity = {0, kNaN, 0}};
    CHECK(has(said(bar, way), "forces on body 0: expected finite numbers, found nan along velocity 1"));
    CHECK(same(bar.mechanism->state(), before));
  }
}

TEST_CASE("numbers that cannot be counted with, and bodies that come too late") {
  Bar bar;
  bar.finish(true);
  Mechanism& m = *bar.mechanism;
  CHECK_THROWS_WITH_AS(m.set_drive(bar.drive, {.value = 1, .rate = kNaN}),
                       "drive \"crank\": rate: expected a finite number, found nan", std::invalid_argument);
  CHECK_THROWS_WITH_AS(follow(m, bar.drive, {.from = 0, .to = 1, .step = 1e-300}),
                       "step: expected at most 1e15 points from `from` to `to`, found 1e+300", std::invalid_argument);
  CHECK_THROWS_WITH_AS(step_through(m, {}, {.until = 1, .step = 1e-300}),
                       "step: expected at most 1e15 steps, found 1e+300", std::invalid_argument);
  bar.system.bodies()[bar.bar].set_configuration(Vector3d(1e160, 0, 0));
  CHECK_THROWS_WITH_AS(close(m),
                       doctest::Contains("\"bearing\", row 0: expected finite numbers of at most 1e150, found 1e+160"),
                       std::invalid_argument);
  bar.planar_bar({3, 0}, {4, 0});
  CHECK_THROWS_WITH_AS(close(m),
                       "mechanism: expected the 1 bodies that it was made of, found 2: make it anew once all are there",
                       std::invalid_argument);
  System other;
  CHECK_THROWS_WITH_AS(Mechanism(other.bodies(), {{&bar.system.assembly().constraint(ConstraintId{0}), "far"}}),
                       "planar revolute joint \"far\": expected one of 0 bodies, found body 0", std::invalid_argument);
}

TEST_CASE("what cannot move at all: a frame near a singular position stays, and nothing is nothing to integrate") {
  for (const Way way : kForward) {
    CAPTURE(static_cast<int>(way));
    // Two struts nearly in line hold the tip of a bar: nothing is free, and a row is nearly lost.
    Bar bar;
    bar.system.bodies()[bar.bar].set_velocity(Vector3d::Zero());
    bar.join<RigidLink>("strut", Anchor{{3, 0.05, 0}}, bar.tip());
    bar.finish();
    REQUIRE(mobility(*bar.mechanism).freedoms == 0);
    REQUIRE(mobility(*bar.mechanism).weakest < 0.2);
    const MechanismState before = bar.mechanism->state();
    CHECK(said(bar, way).empty());
    CHECK((bar.mechanism->state().q[bar.bar] - before.q[bar.bar]).norm() < 1e-9);

    System empty;
    Bar none;
    none.mechanism = std::make_unique<Mechanism>(empty);
    CHECK(said(none, way) == "mechanism: expected bodies that move, found none");
  }
}
