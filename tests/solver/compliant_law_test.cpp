// Compliant contacts: the solutions are those of hard contacts with W_αα + C, by every solver and in the judge.

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <locdyn/ldy/laws/hertz_spring.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/newton/friction_map.hpp>
#include <locdyn/solver/registry.hpp>
#include <random>
#include <solver/random_problem.hpp>
#include <solver/sliding_point.hpp>
#include <stdexcept>
#include <string>

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

// The same graph with C in W_αα and hard laws.
LocalDynamics hardened(const LocalDynamics& soft) {
  LocalDynamics hard = soft;
  for (ConstraintId id{0}; id < hard.id_bound(); ++id) {
    const auto* law = std::get_if<CompliantLaw>(&soft.law(id));
    if (law == nullptr) continue;
    hard.set_law(id, ContactLaw{.friction = law->friction, .shift = law->shift, .planar = law->planar});
    hard.row(id).W += law->give.asDiagonal();
  }
  return hard;
}

// Two contacts of three give way.
LocalDynamics soften(LocalDynamics ldy, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform;
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    const auto* law = std::get_if<ContactLaw>(&ldy.law(id));
    if (law == nullptr || id % 3 == 0) continue;
    const double along_t = id % 2 == 0 ? 0.0 : uniform(random), along_n = 3 * uniform(random);
    ldy.set_law(id, CompliantLaw{.friction = law->friction,
                                 .shift = law->shift,
                                 .give = {along_t, law->planar ? 0 : along_t, along_n},
                                 .planar = law->planar});
  }
  return ldy;
}

}  // namespace

TEST_CASE("compliant contacts: every solver finds the solution of the hard contacts with W + C") {
  const Scene scenes[] = {{.contacts = 12}, {.contacts = 8, .bilateral = 3, .hinges = 1}, {.contacts = 0, .planar = 9}};
  for (const Scene& scene : scenes) {
    for (unsigned seed = 0; seed < 5; ++seed) {
      const LocalDynamics problem = soften(random_problem(scene, seed), seed);
      for (const SolverEntry& solver : solvers()) {
        if (solver.pyramid) continue;
        CAPTURE(solver.name);
        CAPTURE(scene.contacts);
        CAPTURE(seed);
        LocalDynamics soft = problem, hard = hardened(problem);
        const SolveReport report = solver.solve(soft, {.tolerance = 1e-11, .max_iterations = 20'000}, {});
        REQUIRE(report.status == SolveStatus::converged);
        CHECK(evaluate_residual(soft).scaled <= 1e-11);
        for (ConstraintId id{0}; id < hard.id_bound(); ++id) {
          for (int k = 0; k < block_count(hard.law(id)); ++k) hard.row(id, k).R = soft.row(id, k).R;
        }
        CHECK(evaluate_residual(hard).scaled <= 1e-10);
      }
    }
  }
}

TEST_CASE("compliant contacts: pyramids refuse them by name") {
  LocalDynamics ldy;
  ldy.insert(CompliantLaw{.friction = 0.5, .give = {0, 0, 1}});
  ldy.row(ConstraintId{0}).W.setIdentity();
  for (const SolverEntry& solver : solvers()) {
    if (!solver.pyramid) continue;
    CHECK_THROWS_WITH_AS(solver.solve(ldy, {}, {}), doctest::Contains("a compliant contact"), std::invalid_argument);
  }
}

TEST_CASE("compliant contacts: Newton's derivative against central differences, away from the kinks") {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  const auto vector = [&] { return Eigen::Vector3d(normal(random), normal(random), normal(random)); };
  int compared = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const CompliantLaw law{.friction = 0.6, .shift = vector(), .give = vector().cwiseAbs()};
    const NewtonRow row = newton_row(law, 0, 2 * Eigen::Matrix3d::Identity());
    const Eigen::Vector3d random_U = vector(), random_R = vector();
    for (const FrictionMap map : {FrictionMap::alart_curnier, FrictionMap::jean_moreau}) {
      Eigen::Vector3d U = random_U, R = random_R;
      move_to_zero_of_friction(row, map, 1, U, R);
      bool pressed = false;
      MapDerivative d;
      const Eigen::Vector3d F0 = friction_map(row, map, 1, U, R, pressed, &d);
      for (int k = 0; k < 3; ++k) {
        const Eigen::Vector3d step = 1e-6 * Eigen::Vector3d::Unit(k);
        const auto compare = [&](const Eigen::Vector3d& du, const Eigen::Vector3d& dr,
                                 const Eigen::Vector3d& expected) {
          const Eigen::Vector3d right = friction_map(row, map, 1, U + du, R + dr, pressed, nullptr);
          const Eigen::Vector3d left = friction_map(row, map, 1, U - du, R - dr, pressed, nullptr);
          if ((right - 2 * F0 + left).norm() > 1e-9) return;  // a kink within the step
          ++compared;
          CHECK(((right - left) / 2e-6 - expected).norm() < 1e-6);
        };
        compare(step, Eigen::Vector3d::Zero(), d.E.col(k));
        compare(Eigen::Vector3d::Zero(), step, d.C.col(k));
      }
    }
  }
  CHECK(compared > 20'000);
}

TEST_CASE("compliant contacts: a row that gives way needs no W, and numbers out of range are refused by name") {
  LocalDynamics ldy;
  ldy.insert(CompliantLaw{.give = {0, 0, 0.5}});
  ldy.row(ConstraintId{0}).B = {0, 0, -2};
  CHECK(find_solver("nsgs").solve(ldy, {}, {}).status == SolveStatus::converged);
  CHECK(ldy.row(ConstraintId{0}).R[2] == doctest::Approx(4));

  const auto refuses = [](const CompliantLaw& law, const char* what) {
    CHECK_THROWS_WITH_AS(law.validate(), doctest::Contains(what), std::invalid_argument);
  };
  refuses({.friction = -1}, "friction");
  refuses({.give = {0, 0, -1}}, "compliance: expected a finite number >= 0, found -1");
  refuses({.give = {0, 0, std::nan("")}}, "compliance");
  refuses({.shift = {0, std::nan(""), 0}}, "shift");
  refuses({.give = {0, 1, 0}, .planar = true}, "planar");
}

TEST_CASE("Hertz's spring: depth, tangent and secant, alone and behind a linear spring") {
  for (const double k : {1e4, 1e8, std::numeric_limits<double>::infinity()}) {
    for (const double K : {1e3, 1e9, 1e18}) {
      const HertzSpring spring{K, k};
      CHECK(force_at(spring, 0) == 0);
      CHECK(force_at(spring, -1) == 0);
      for (const double d : {1e-200, 1e-9, 1e-4, 0.3}) {
        CAPTURE(k);
        CAPTURE(K);
        CAPTURE(d);
        const double F = force_at(spring, d);
        CHECK(F / k + std::pow(F / K, 2.0 / 3) == doctest::Approx(d).epsilon(1e-12));
        if (d < 1e-100) continue;  // softer than the softest of a step
        // A step from rest at that depth: the tangent there, which is a difference of forces to second order.
        const KelvinVoigt at = of_step(spring, 7, 1, -d, 0, 1e-9);
        CHECK(at.damping == 7);
        CHECK(at.stiffness * (d - at.rest) == doctest::Approx(F).epsilon(1e-12));
        const double way = 1e-4 * d;
        const double tangent = (force_at(spring, d + way) - force_at(spring, d - way)) / (2 * way);
        CHECK(at.stiffness == doctest::Approx(tangent).epsilon(1e-6));
      }
    }
  }
  // A step that begins open: the contact alone would reach d* with d* + h²/2 w F(d*) = −(g + h V) from its start.
  const HertzSpring spring{2e6};
  const double h = 1e-3, V = -0.4, w = 0.5, start = 1e-4;
  const KelvinVoigt meets = of_step(spring, 0, h, start + h / 2 * V, V, w);
  const double depth = std::pow(meets.stiffness / spring.hertz, 2);  // of a secant K √d
  CHECK(meets.rest == 0);
  CHECK(depth + h * h / 2 * w * force_at(spring, depth) == doctest::Approx(-(start + h * V)).epsilon(1e-12));
  // One that was not seen to meet it is stopped, and what would be softer than any: C stays finite.
  CHECK(of_step(spring, 0, h, 1, 0, w).stiffness == doctest::Approx(100 / (w * h * h)));
  CHECK(of_step({1e-300}, 0, h, -1e-9, 0, w).stiffness > 1e-13 / (w * h * h));
}
