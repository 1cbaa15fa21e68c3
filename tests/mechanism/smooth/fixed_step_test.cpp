// Steps of one size: order by self-convergence, energy, rotations, and what is refused.

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include <locdyn/ldy/assembly/constraints/driven/rolling_wheel.hpp>
#include <locdyn/mechanism/smooth/fixed_step.hpp>

#include "problems/bricard_loop.hpp"
#include "problems/governor.hpp"
#include "problems/pendulum.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

// A top on a ball joint at the origin, spinning under its weight.
struct HeavyTop : Linkage {
  BodyId top;
  Mechanism mechanism;
  AppliedLoads loads{.gravity = {0, 0, -9.81}};

  HeavyTop()
      : top(system.emplace<RigidBody>(MassProperties{2.0, Vector3d::Zero(), Vector3d(0.2, 0.2, 0.1).asDiagonal()},
                                      Vector3d(0, 0.6, 0.8),
                                      Orientation(Eigen::AngleAxisd(-std::atan2(0.6, 0.8), Vector3d::UnitX())))),
        mechanism((join<FixedPoint>("ball", Anchor{Vector3d::Zero(), top}), system)) {
    auto& body = system.bodies()[top];
    const Vector3d omega(0.5, 0, 30);
    Eigen::VectorXd u(6);
    const Vector3d turned = dynamic_cast<const RigidBody&>(body).rotation() * omega;
    u << omega, turned.cross(Vector3d(0, 0.6, 0.8));
    body.set_velocity(u);
  }
};

struct End {
  Eigen::VectorXd q, u, lambda;
};

template <class Problem>
End run(double step, FixedStepScheme scheme, double until, double rho = 0.8) {
  Problem problem;
  End end;
  step_through(problem.mechanism, problem.loads,
               {.until = until, .step = step, .scheme = scheme, .spectral_radius = rho},
               [&](const FixedStepPoint& point) { end.lambda = point.multipliers; });
  end.q = problem.system.bodies()[BodyId{0}].configuration();
  end.u = problem.mechanism.velocity();
  return end;
}

struct Orders {
  double q, u, lambda;
};
// From three steps, each half of the one before.
template <class Problem>
Orders orders(double step, FixedStepScheme scheme, double until, double rho = 0.8) {
  const End a = run<Problem>(step, scheme, until, rho), b = run<Problem>(step / 2, scheme, until, rho),
            c = run<Problem>(step / 4, scheme, until, rho);
  const auto order = [](const Eigen::VectorXd& x, const Eigen::VectorXd& y, const Eigen::VectorXd& z) {
    return std::log2((x - y).norm() / (y - z).norm());
  };
  return {order(a.q, b.q, c.q), order(a.u, b.u, c.u), order(a.lambda, b.lambda, c.lambda)};
}

struct SwingingPoints : DoublePendulum {
  SwingingPoints() : DoublePendulum(1.2, 0.3) {}
};

}  // namespace

TEST_CASE("generalised-α is of second order in positions, velocities and multipliers") {
  const Orders points = orders<SwingingPoints>(4e-3, FixedStepScheme::generalised_alpha, 1);
  CHECK(points.q == doctest::Approx(2).epsilon(0.08));
  CHECK(points.u == doctest::Approx(2).epsilon(0.08));
  CHECK(points.lambda == doctest::Approx(2).epsilon(0.08));
  const Orders top = orders<HeavyTop>(2e-3, FixedStepScheme::generalised_alpha, 0.5);
  CHECK(top.q == doctest::Approx(2).epsilon(0.1));
  CHECK(top.u == doctest::Approx(2).epsilon(0.1));
  CHECK(top.lambda == doctest::Approx(2).epsilon(0.1));
}

TEST_CASE("the half-step scheme is of second order in positions") {
  CHECK(orders<SwingingPoints>(4e-3, FixedStepScheme::half_step, 1).q == doctest::Approx(2).epsilon(0.1));
}

TEST_CASE("both schemes keep positions to rounding, and energy nearly") {
  for (const FixedStepScheme scheme : {FixedStepScheme::generalised_alpha, FixedStepScheme::half_step}) {
    Pendulum pendulum;
    const FixedStepReport report =
        step_through(pendulum.mechanism, pendulum.loads, {.until = 2, .step = 1e-3, .scheme = scheme});
    CHECK(report.steps == 2000);
    CHECK(report.position_error < 1e-12);
    CHECK(pendulum.mechanism.bodies().time() == doctest::Approx(2).epsilon(1e-14));
    CHECK(std::abs(pendulum.energy()) < 1e-3);
  }
}

TEST_CASE("a loop with a row too many is stepped as well") {
  BricardLoop loop;
  const double start = loop.energy();
  const FixedStepReport report = step_through(loop.mechanism, loop.loads, {.until = 0.2, .step = 1e-3});
  CHECK(report.position_error < 1e-10);
  CHECK(std::abs(loop.energy() - start) < 1e-3);
}

TEST_CASE("steps without meaning, and steps that are not solved, are refused") {
  Pendulum pendulum;
  const auto message = [&](const FixedStepOptions& options) -> std::string {
    try {
      step_through(pendulum.mechanism, pendulum.loads, options);
    } catch (const std::exception& error) {
      return error.what();
    }
    return {};
  };
  CHECK(message({.until = 1, .step = 0}).find("step: expected") == 0);
  CHECK(message({.until = -1, .step = 1}) == "until: expected a time not before that of the bodies, found -1");
  CHECK(message({.until = 1, .step = 1, .spectral_radius = 2}) ==
        "spectral_radius: expected a number in [0, 1], found 2");
  CHECK(message({.until = 1, .step = 0.1, .tolerance = 0}).find("tolerance: expected") == 0);
  CHECK(message({.until = 1, .step = 0.1, .max_iterations = 0}) == "max_iterations: expected a number > 0, found 0");

  CHECK(message({.until = 1, .step = 0.1, .max_iterations = 1})
            .find("motion at t = 0 s: expected a step that is "
                  "solved, found a correction of ") == 0);
  CHECK(pendulum.mechanism.bodies().time() == 0);
}

TEST_CASE("generalised-α follows a stiff governor at second order") {
  const Orders order = orders<Governor>(1e-3, FixedStepScheme::generalised_alpha, 0.25);
  CHECK(order.q == doctest::Approx(2).epsilon(0.1));
  CHECK(order.u == doctest::Approx(2).epsilon(0.1));
}

TEST_CASE("half steps of a loop of rigid bodies are of second order") {
  const Orders order = orders<BricardLoop>(4e-3, FixedStepScheme::half_step, 0.5);
  CHECK(order.q == doctest::Approx(2).epsilon(0.1));
}
