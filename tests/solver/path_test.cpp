// The central path: its pairs and equations against differences, its end beside Newton's, and what it refuses.

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/convex/cone_program.hpp>
#include <locdyn/solver/convex/lorentz_cone.hpp>
#include <locdyn/solver/path/path.hpp>
#include <locdyn/solver/path/path_system.hpp>
#include <locdyn/solver/path/smoothed_pair.hpp>
#include <random>
#include <solver/newton_reference.hpp>
#include <stdexcept>
#include <vector>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

Eigen::Vector3d random_vector(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return {normal(random), normal(random), normal(random)};
}

double norm(const PathSystem::Vectors& vectors) {
  double sum = 0;
  for (const Eigen::Vector3d& v : vectors) sum += v.squaredNorm();
  return std::sqrt(sum);
}

// Contacts of all kinds with Coulomb friction, and bilateral rows.
LocalDynamics mixed_problem(unsigned seed) {
  LocalDynamics ldy = random_problem({.contacts = 5, .planar = 2, .bilateral = 2, .hinges = 1}, seed);
  for (auto& row : ldy.rows()) {
    for (auto& block : ldy.adjacent(row)) block.W *= block.other % 2 == 0 ? 1.05 : 0.97;
  }
  ldy.set_law(ConstraintId{0}, ContactLaw{.friction = 0});
  return ldy;
}

}  // namespace

TEST_CASE("smoothed pair: x - z = v, x o z = sigma e, both inside the cone, whatever v and sigma are") {
  std::mt19937 random(1);
  for (int k = 0; k < 200; ++k) {
    Eigen::Vector3d v = random_vector(random);
    if (k % 4 == 1) v[1] = 0;
    if (k % 4 == 2) v.head<2>().setZero();
    if (k % 8 == 7) v.setZero();
    for (const double sigma : {1e2, 1.0, 1e-6, 1e-14}) {
      CAPTURE(v.transpose());
      CAPTURE(sigma);
      const SmoothedPair pair = smoothed_pair(v, sigma);
      CHECK((pair.x - pair.z - v).norm() <= 1e-15 * (v.norm() + std::sqrt(sigma)) * 8);
      CHECK(pair.x[2] > pair.x.head<2>().norm());
      CHECK(pair.z[2] > pair.z.head<2>().norm());
      const Eigen::Vector3d product = jordan_product(pair.x, pair.z) - sigma * Eigen::Vector3d::UnitZ();
      CHECK(product.norm() <= 1e-14 * pair.x.norm() * pair.z.norm());
      CHECK((pair.dx + pair.dz - Eigen::Matrix3d::Identity()).norm() <= 1e-14);
    }
  }
}

TEST_CASE("smoothed pair: the derivatives are those of differences") {
  std::mt19937 random(2);
  constexpr double kStep = 1e-6;
  for (int k = 0; k < 50; ++k) {
    Eigen::Vector3d v = random_vector(random);
    if (k % 5 == 4) v.head<2>().setZero();
    const double sigma = std::exp(-0.1 * k);
    const SmoothedPair pair = smoothed_pair(v, sigma);
    const Eigen::Vector3d d = random_vector(random);
    const SmoothedPair after = smoothed_pair(v + kStep * d, sigma), before = smoothed_pair(v - kStep * d, sigma);
    CHECK(((after.x - before.x) / (2 * kStep) - pair.dx * d).norm() <= 1e-8);
    CHECK(((after.z - before.z) / (2 * kStep) + pair.dz * d).norm() <= 1e-8);
    const Eigen::Vector3d drift =
        (smoothed_pair(v, sigma * std::exp(kStep)).x - smoothed_pair(v, sigma * std::exp(-kStep)).x) / (2 * kStep);
    CHECK((drift - pair.drift).norm() <= 1e-8);
    // A step along a line agrees with a straight one to first order.
    const Eigen::Vector3d ahead = extrapolated(v, sigma, kStep * d, 0.3 * kStep);
    CHECK((ahead - v - kStep * d).norm() <= 20 * kStep * kStep * (1 + d.squaredNorm()) / std::sqrt(sigma));
  }
}

TEST_CASE("path system: solves, slope and orientation belong to the equations") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    const LocalDynamics ldy = mixed_problem(seed);
    const ConeProgram program(ldy);
    PathSystem system(ldy, program);
    std::mt19937 random(seed);
    PathSystem::Vectors v, right, d;
    for (const ConeProgram::Row& row : program.rows()) {
      v.push_back(random_vector(random).cwiseProduct(row.in_use));
      right.push_back(random_vector(random).cwiseProduct(row.in_use));
    }
    const double tau = std::log(0.2);
    system.evaluate(v, tau);
    const PathSystem::Vectors G = system.G();
    REQUIRE(system.factorise());
    REQUIRE(system.solve(right, d));
    CHECK(std::abs(system.orientation()) == 1);
    constexpr double kStep = 1e-6;
    const auto G_at = [&](double along, double slope) {
      PathSystem::Vectors moved = v;
      for (std::size_t i = 0; i < v.size(); ++i) moved[i] += along * d[i] + slope * system.slope()[i];
      system.evaluate(moved, tau + slope);
      return system.G();
    };
    // -dG/dv d = right; and along the slope G stays as it is.
    const PathSystem::Vectors after = G_at(kStep, 0), before = G_at(-kStep, 0);
    const PathSystem::Vectors up = G_at(0, kStep), down = G_at(0, -kStep);
    PathSystem::Vectors wrong = right, drift = right;
    for (std::size_t i = 0; i < v.size(); ++i) {
      wrong[i] += (after[i] - before[i]) / (2 * kStep);
      drift[i] = (up[i] - down[i]) / (2 * kStep);
    }
    CHECK(norm(wrong) <= 1e-7 * norm(right));
    CHECK(norm(drift) <= 1e-7 * norm(G));
  }
}

TEST_CASE("path system: in the space of velocities it is the same as in that of rows") {
  for (const char* name : {"wall", "spheres", "arch", "chain"}) {
    const BuiltinProblem problem = make_builtin(name, 40);
    const LocalDynamics rows = *problem.ldy;  // a copy does not know its factor
    REQUIRE(rows.factor() == nullptr);
    const ConeProgram program(*problem.ldy);
    PathSystem in_velocities(*problem.ldy, program), in_rows(rows, program);
    std::mt19937 random(7);
    PathSystem::Vectors v, right, a, b;
    for (const ConeProgram::Row& row : program.rows()) {
      v.push_back(random_vector(random).cwiseProduct(row.in_use));
      right.push_back(random_vector(random).cwiseProduct(row.in_use));
    }
    for (const double smoothing : {0.5, 1e-3, 1e-6}) {
      CAPTURE(name);
      CAPTURE(smoothing);
      for (PathSystem* system : {&in_velocities, &in_rows}) system->evaluate(v, 2 * std::log(smoothing));
      REQUIRE(in_velocities.factorise());
      REQUIRE(in_rows.factorise());
      CHECK(in_velocities.orientation() == in_rows.orientation());
      REQUIRE(in_velocities.solve(right, a));
      REQUIRE(in_rows.solve(right, b));
      // Both are wrong by rounding times the condition, which is up to 1/a.
      const double bound = 1e-13 / (3e-5 * smoothing);
      for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
      CHECK(norm(a) <= bound * norm(b));
      PathSystem::Vectors slope = in_velocities.slope();
      for (std::size_t i = 0; i < slope.size(); ++i) slope[i] -= in_rows.slope()[i];
      CHECK(norm(slope) <= bound * norm(in_rows.slope()));
    }
    CHECK(in_velocities.flops() > 0);
  }
}

TEST_CASE("path: the velocities of newton on built-in scenes, from the coldest start") {
  for (const char* name : {"wall", "spheres", "arch"}) {
    CAPTURE(name);
    const BuiltinProblem problem = make_builtin(name, 60);
    LocalDynamics ldy = *problem.ldy;
    (void)check_beside_newton(ldy, "path", 1e-11, 1e-8);
  }
}

TEST_CASE("path: it comes down without Newton where the tolerance is loose") {
  const BuiltinProblem problem = make_builtin("tower", 120);
  LocalDynamics ldy = *problem.ldy;
  CentralPathOptions options;
  options.stop.tolerance = 2e-6;  // Newton has its first turn at 1e-6
  const SolveReport report = solve_path(ldy, options);
  CHECK(report.status == SolveStatus::converged);
  CHECK(evaluate_residual(ldy).scaled <= 2e-6);
  MESSAGE(report.iterations, " factorisations of ", ldy.row_count(), " rows");
}

TEST_CASE("path: in turns it goes on where it was, whatever R others leave") {
  const BuiltinProblem problem = make_builtin("spheres", 80);
  LocalDynamics ldy = *problem.ldy;
  PathFollower path(ldy);
  int turns = 0;
  SolveReport report;
  long factorisations = 0;
  do {
    report = path.solve({.stop = {.tolerance = 2e-6, .max_iterations = 7}});
    factorisations += report.iterations;
    CHECK(report.iterations <= 7);
    for (auto& row : ldy.rows()) {
      if (report.status != SolveStatus::converged) row.R.setZero();
    }
    ++turns;
  } while (report.status == SolveStatus::max_iterations && turns < 40);
  CHECK(report.status == SolveStatus::converged);
  CHECK(evaluate_residual(ldy).scaled <= 2e-6);
  CHECK(turns > 2);
  LocalDynamics at_once = *problem.ldy;
  const SolveReport other = solve_path(at_once, {.stop = {.tolerance = 2e-6}});
  CHECK(other.status == SolveStatus::converged);
  // Every turn may lose a step that it had begun.
  CHECK(factorisations <= other.iterations + 4 * turns);
}

TEST_CASE("path: a law that it does not know and a patience without meaning are refused, the fault named") {
  LocalDynamics ldy;
  ldy.insert(EllipticLaw{.friction = {0.1, 0.2}});
  ldy.row(ConstraintId{0}).W.setIdentity();
  ldy.row(ConstraintId{0}).B = {0, 0, -1};
  CHECK_THROWS_WITH_AS((void)solve_path(ldy, {}),
                       "cone program: constraint 0: expected Coulomb friction or a bilateral law, found a contact with "
                       "elliptic friction",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS((void)solve_path(ldy, {.stop = {}, .patience = 0}), "path: patience: expected >= 1, found 0",
                       std::invalid_argument);
}
