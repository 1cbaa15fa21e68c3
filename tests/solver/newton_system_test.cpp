// A Newton step in the space of rows and in that of velocities is the same step.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <ldy/assembly/random_scene.hpp>
#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/local_frame.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/ldy/assembly/constraints/rigid_link.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/newton/newton.hpp>
#include <locdyn/solver/newton/row_system.hpp>
#include <locdyn/solver/newton/velocity_system.hpp>
#include <locdyn/solver/registry.hpp>
#include <solver/linearised.hpp>
#include <solver/random_problem.hpp>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

double norm_of(const std::vector<Eigen::Vector3d>& vectors) {
  double sum = 0;
  for (const Eigen::Vector3d& v : vectors) sum += v.squaredNorm();
  return std::sqrt(sum);
}

// The velocities W dR + w dR of a step, and how far it is from solving F + E dU + C dR = 0, over the size of the terms.
struct Judged {
  std::vector<Eigen::Vector3d> dU;
  double defect = 0;
};
Judged judge(const LocalDynamics& ldy, const Linearised& problem, const std::vector<Eigen::Vector3d>& step) {
  Judged judged;
  judged.dU.resize(step.size());
  double defect = 0, size = 0;
  for (const DiagonalBlock& row : ldy.rows()) {
    const std::size_t place = &row - ldy.diagonal_arena().data();
    const LinearisedRow& linear = problem.rows[place];
    Eigen::Vector3d& dU = judged.dU[place];
    dU = row.W * step[place] + linear.weight * step[place];
    double terms = (row.W * step[place]).norm();
    for (const OffDiagonalBlock& block : ldy.adjacent(row)) {
      dU += block.W * step[block.other];
      terms += (block.W * step[block.other]).norm();
    }
    if (!linear.pressed) continue;
    Eigen::Vector3d left = linear.F + linear.d.E * dU + linear.d.C * step[place];
    if (linear.follows) left += linear.d.E_n * judged.dU[place - 1][2] + linear.d.C_n * step[place - 1][2];
    defect += left.squaredNorm();
    size += std::pow(linear.F.norm() + linear.d.E.norm() * terms + (linear.d.C * step[place]).norm(), 2);
  }
  judged.defect = std::sqrt(defect / size);
  return judged;
}

// Both systems solve the same problem. In the space of rows the defect is rounding. In that of velocities dR = −G (…)
// with G of size 1/w, so that rounding costs ε/w of the size of a row; so much may the steps be apart as velocities,
// whose problem has the condition 1/w where W is singular.
void compare(const LocalDynamics& ldy, double weight, unsigned seed) {
  CAPTURE(weight);
  CAPTURE(seed);
  const Linearised problem(ldy, weight, seed);
  CHECK(problem.pressed > 0);
  RowSystem in_rows(ldy);
  VelocitySystem in_velocities(ldy);
  std::vector<Eigen::Vector3d> a = problem.step, b = problem.step;
  REQUIRE(in_rows.solve(problem.rows, a));
  REQUIRE(in_velocities.solve(problem.rows, b));
  const double rounding = std::numeric_limits<double>::epsilon() / weight;
  const Judged of_rows = judge(ldy, problem, a), of_velocities = judge(ldy, problem, b);
  CHECK(of_rows.defect < 1e-14);
  CHECK(of_velocities.defect < 10 * rounding);
  double apart = 0;
  for (std::size_t i = 0; i < a.size(); ++i) apart += (of_rows.dU[i] - of_velocities.dU[i]).squaredNorm();
  CHECK(std::sqrt(apart) < 100 * rounding * norm_of(of_rows.dU));
  // W dR comes with the step.
  CHECK(in_rows.velocity_change().empty());
  const auto W_dR = in_velocities.velocity_change();
  REQUIRE(W_dR.size() == b.size());
  double off = 0;
  for (const DiagonalBlock& row : ldy.rows()) {
    const std::size_t place = &row - ldy.diagonal_arena().data();
    off += (of_velocities.dU[place] - problem.rows[place].weight * b[place] - W_dR[place]).squaredNorm();
  }
  CHECK(std::sqrt(off) < 100 * rounding * norm_of(of_velocities.dU));
  CHECK(in_rows.flops() > 0);
  CHECK(in_velocities.flops() > 0);
  // A second solve with other numbers starts afresh.
  const Linearised other(ldy, weight, seed + 1000);
  std::vector<Eigen::Vector3d> c = other.step;
  REQUIRE(in_velocities.solve(other.rows, c));
  CHECK(judge(ldy, other, c).defect < 10 * rounding);
}

// A pile of spheres on a turning floor, every contact with rolling and torsional friction; some elliptic ones.
struct RollingPile {
  BodySet bodies;
  LocalDynamics ldy;
  Assembly assembly{bodies, ldy};

  explicit RollingPile(bool linked = false) {
    bodies.emplace<Obstacle>(Eigen::Vector3d(0.1, 0, 0), Eigen::Vector3d(0, 0, 0.5), Eigen::Vector3d::Zero());
    std::vector<Eigen::Vector3d> centres;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) centres.emplace_back(0.2 * i, 0.2 * j, 0.1);
    }
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) centres.emplace_back(0.2 * i + 0.1, 0.2 * j + 0.1, 0.1 + 0.2 * std::sqrt(0.5));
    }
    for (const Eigen::Vector3d& x : centres) {
      const BodyId id = bodies.emplace<RigidBody>(sphere_mass(1000, 0.1), x);
      bodies[id].set_velocity(Eigen::VectorXd::Constant(6, 0.1 * id - 0.5));
    }
    const SurfaceMaterial rolls{.friction = 0.5, .rolling = 0.01, .torsional = 0.005};
    const SurfaceMaterial grooved{.friction = 0.5, .cross_friction = 0.1};
    for (std::size_t i = 0; i < centres.size(); ++i) {
      const auto slave = static_cast<BodyId>(i + 1);
      if (centres[i][2] <= 0.1)
        touch(BodyId{0}, slave, {centres[i][0], centres[i][1], 0}, Eigen::Vector3d::UnitZ(),
              i % 4 == 3 ? grooved : rolls);
      for (std::size_t j = 0; j < i; ++j) {
        const Eigen::Vector3d d = centres[i] - centres[j];
        if (d.norm() < 0.2 + 1e-9) touch(static_cast<BodyId>(j + 1), slave, centres[j] + d / 2, d.normalized(), rolls);
      }
    }
    if (linked) assembly.emplace<RigidLink>(Anchor{centres[0], BodyId{1}}, Anchor{centres[8], BodyId{9}});
    for (std::size_t id = 1; id < bodies.size(); ++id) bodies[static_cast<BodyId>(id)].predict(0.01, {0, 0, -9.81});
    assembly.update(0.01);
  }
  void touch(BodyId master, BodyId slave, const Eigen::Vector3d& x, const Eigen::Vector3d& n,
             const SurfaceMaterial& material) {
    assembly.emplace<Contact>(ContactPoint{
        .master = master, .slave = slave, .point = x, .frame = local_frame(n), .gap = 0, .material = material});
  }
};

}  // namespace

TEST_CASE("both give the same step on builtin scenes") {
  for (const std::string name : {"wall", "arch", "spheres", "chain"}) {
    CAPTURE(name);
    const BuiltinProblem problem = make_builtin(name, 60);
    unsigned seed = 1;
    for (const double weight : {1e-2, 1e-4, 1e-6, 1e-8}) compare(*problem.ldy, weight, seed++);
  }
}

TEST_CASE("both give the same step with bodies and constraints of all kinds") {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    RandomScene scene(seed, 12);
    LocalDynamics ldy;
    Assembly assembly(scene.bodies, ldy);
    for (int i = 0; i < 30; ++i) assembly.insert(scene.make_constraint().constraint);
    assembly.update(RandomScene::h);
    for (const double weight : {1e-2, 1e-4, 1e-6}) compare(ldy, weight, seed);
  }
}

TEST_CASE("a part of a graph takes its factor along: the step of an island") {
  const BuiltinProblem problem = make_builtin("wall", 60);
  std::vector<ConstraintId> half;
  for (const DiagonalBlock& row : problem.ldy->rows()) {
    if (row.constraint % 2 == 0) half.push_back(row.constraint);
  }
  std::reverse(half.begin(), half.end());
  const std::vector<std::span<const ConstraintId>> parts{half};
  const std::vector<LocalDynamics> graphs = problem.ldy->extract(parts);
  for (const double weight : {1e-2, 1e-6}) compare(graphs[0], weight, 9);
}

TEST_CASE("both give the same step with elliptic, rolling and torsional friction") {
  RollingPile pile;
  CHECK(Linearised(pile.ldy, 1e-2, 1).moments > 5);
  for (unsigned seed = 1; seed <= 6; ++seed) {
    for (const double weight : {1e-2, 1e-4, 1e-6}) compare(pile.ldy, weight, seed);
  }
}

TEST_CASE("every solver that takes them agrees on elliptic, rolling and torsional friction, the others refuse") {
  for (const SolverEntry& solver : solvers()) {
    CAPTURE(std::string(solver.name));
    for (const int variant : {0, 1, 2}) {
      CAPTURE(variant);
      const bool with_factor = variant != 1;
      RollingPile pile(variant == 2);  // with a joint, which `condensed` takes out
      LocalDynamics plain = pile.ldy;  // a copy forgets the factor
      LocalDynamics& ldy = with_factor ? pile.ldy : plain;
      const StopOptions stop{.tolerance = 1e-10, .max_seconds = 30, .max_iterations = 100'000};
      if (solver.pyramid || solver.name == "interior" || solver.name == "admm" || solver.name == "path") {
        CHECK_THROWS_WITH_AS((void)solver.solve(ldy, stop, 8), doctest::Contains("expected Coulomb friction"),
                             std::invalid_argument);
        continue;
      }
      const SolveReport report = solver.solve(ldy, stop, 8);
      CHECK(report.status == SolveStatus::converged);
      CHECK(evaluate_residual(ldy).scaled <= 1e-10);
    }
  }
}

TEST_CASE("which space a graph works in") {
  const BuiltinProblem wall = make_builtin("wall", 200);
  CHECK(works_in_velocities(*wall.ldy));
  LocalDynamics copy = *wall.ldy;
  CHECK(!works_in_velocities(copy));
  // One contact, six velocities: with more of them than rows, too.
  RandomScene scene(1, 6);
  LocalDynamics ldy;
  Assembly assembly(scene.bodies, ldy);
  assembly.insert(scene.make_contact(BodyId{0}, BodyId{2}).constraint);  // of a rigid body with an obstacle
  assembly.update(RandomScene::h);
  CHECK(works_in_velocities(ldy));
}

TEST_CASE("Newton reaches the same residual with the factor and without") {
  for (const std::string name : {"wall", "stack", "arch", "spheres"}) {
    CAPTURE(name);
    const BuiltinProblem problem = make_builtin(name, 120);
    LocalDynamics plain = *problem.ldy;
    CHECK(plain.factor() == nullptr);
    NewtonOptions options;
    options.stop.tolerance = 1e-10;
    const SolveReport with = solve_newton(*problem.ldy, options);
    const SolveReport without = solve_newton(plain, options);
    CHECK(with.status == SolveStatus::converged);
    CHECK(without.status == SolveStatus::converged);
    CHECK(with.residual.scaled <= std::max(1e-10, with.residual.floor));
    CHECK(without.residual.scaled <= std::max(1e-10, without.residual.floor));
    // What the solver says is what the judge says of the R in the graph.
    CHECK(evaluate_residual(*problem.ldy).scaled == with.residual.scaled);
  }
}
