// Joints condensed out of the local dynamics: the same W, the same solution, and joints that hold whatever the
// contacts.

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <stdexcept>
#include <string>

#include <ldy/assembly/random_scene.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/ldy/assembly/assembly.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_point.hpp>
#include <locdyn/ldy/islands.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/auto.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/least_norm.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/saddle/condensation.hpp>
#include <locdyn/solver/saddle/condensed.hpp>
#include <locdyn/solver/solve_islands.hpp>
#include <solver/dense_problem.hpp>
#include <solver/random_problem.hpp>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

// W_cc − W_cj (W_jj + C)⁺ W_jc over the rows of the contacts, by place in a graph never packed.
void check_condensed(const LocalDynamics& ldy, double tolerance) {
  const DenseProblem dense = dense_problem(ldy);
  Eigen::MatrixXd inner = dense.W(dense.held, dense.held);
  inner.diagonal() += dense.compliance(dense.held);
  const LeastNorm decomposition(inner, 1e-12);
  const Eigen::MatrixXd out = dense.W(Eigen::all, dense.held);
  const Eigen::MatrixXd W = dense.W - out * decomposition.solve(out.transpose());
  const Eigen::VectorXd b = dense.b - out * decomposition.solve(dense.b(dense.held));

  Condensation condensation(ldy);
  LocalDynamics& contacts = condensation.contacts();
  std::vector<Eigen::Index> places;
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    if (!ldy.contains(id) || std::holds_alternative<BilateralLaw>(ldy.law(id))) continue;
    for (int k = 0; k < 3; ++k) places.push_back(3 * (&ldy.row(id) - ldy.diagonal_arena().data()) + k);
  }
  REQUIRE(3 * contacts.row_count() == places.size());
  const auto n = static_cast<Eigen::Index>(places.size());
  Eigen::MatrixXd found = Eigen::MatrixXd::Zero(n, n);
  for (const DiagonalBlock& row : contacts.rows()) {
    const Eigen::Index at = 3 * (&row - contacts.diagonal_arena().data());
    found.block<3, 3>(at, at) = row.W;
    for (const auto& block : contacts.adjacent(row)) found.block<3, 3>(at, 3 * Eigen::Index(block.other)) = block.W;
    if (!condensation.contradiction().empty()) continue;  // least squares in another metric
    CHECK((row.B + offset(contacts.law(row.constraint), 0) - Eigen::VectorXd(b(places)).segment<3>(at)).norm() <
          tolerance * (1 + dense.b.norm()));
  }
  const Eigen::MatrixXd expected = W(places, places);
  CHECK((found - expected).norm() < tolerance * dense.W.norm());
  CHECK((found - found.transpose()).norm() < 1e-14 * expected.norm());
}

}  // namespace

TEST_CASE("the bilateral rows of a graph become a saddle point: rows in use, compliances, names, no contact") {
  int compliant = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    RandomScene scene(seed, 12);
    LocalDynamics ldy;
    Assembly assembly(scene.bodies, ldy);
    for (int i = 0; i < 14; ++i) assembly.insert(scene.make_constraint().constraint);
    scene.bodies.predict(RandomScene::h, {0, 0, -9.81});
    assembly.update(RandomScene::h);
    const DenseProblem dense = dense_problem(ldy);
    const BilateralSystem system = bilateral_system(ldy);
    const SaddleProblem& problem = system.problem;
    REQUIRE(static_cast<std::size_t>(problem.G.rows()) == dense.held.size());
    const Eigen::MatrixXd G = problem.G, A = problem.A;
    const Eigen::MatrixXd W = G * A.llt().solve(G.transpose());
    std::vector<Eigen::Index> place(dense.held.size());
    for (std::size_t i = 0; i < place.size(); ++i) {
      const auto [id, row] = problem.name(static_cast<Eigen::Index>(i));
      place[i] = 3 * (&ldy.row(id, row / 3) - ldy.diagonal_arena().data()) + row % 3;
      CHECK(problem.compliance[static_cast<Eigen::Index>(i)] == dense.compliance[place[i]]);
      CHECK(system.gamma[static_cast<Eigen::Index>(i)] == -dense.b[place[i]]);
      compliant += problem.compliance[static_cast<Eigen::Index>(i)] > 0 ? 1 : 0;
    }
    CHECK((W - Eigen::MatrixXd(dense.W(place, place))).norm() < 1e-12 * W.norm());
  }
  CHECK(compliant > 0);
  const LocalDynamics blocks = random_problem({.contacts = 2, .bilateral = 2}, 1);
  CHECK_THROWS_AS((void)bilateral_system(blocks), std::invalid_argument);
  const BuiltinProblem machine = make_builtin("machine", 20);
  const std::array<ConstraintId, 1> missing = {ConstraintId{1000}};
  CHECK_THROWS_AS((void)bilateral_system(*machine.ldy, missing), std::invalid_argument);
}

TEST_CASE("the condensed local dynamics are the Schur complement") {
  check_condensed(*make_builtin("chain", 12).ldy, 1e-11);
  check_condensed(*make_builtin("machine", 30).ldy, 1e-11);
  for (unsigned seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    RandomScene scene(seed, 12);
    LocalDynamics ldy;
    Assembly assembly(scene.bodies, ldy);
    for (int i = 0; i < 14; ++i) assembly.insert(scene.make_constraint().constraint);
    scene.bodies.predict(RandomScene::h, {0, 0, -9.81});
    assembly.update(RandomScene::h);
    check_condensed(ldy, 1e-9);
  }
}

TEST_CASE("a legged machine: joints hold to rounding after 20 sweeps, and the solution is that of the whole") {
  const BuiltinProblem problem = make_builtin("machine", 100);
  LocalDynamics& ldy = *problem.ldy;
  CHECK(ldy.constraint_count() == 50 + 10 + 40);  // joints, second balls of knees, contacts

  Condensation condensation(ldy);
  CHECK(condensation.mechanisms() == 1);
  CHECK(condensation.redundant().size() == 10);

  for (const long sweeps : {0L, 1L, 20L}) {
    clear(ldy);
    const SolveReport few =
        solve_condensed(ldy, {.stop = {.tolerance = 1e-13, .max_iterations = sweeps}, .contact_solver = "nsgs"});
    CHECK(few.solver == "condensed");
    CHECK(few.iterations == sweeps);
    CHECK(joint_velocity_error(ldy) < 1e-12);
  }
  const double exact = joint_velocity_error(ldy);
  clear(ldy);
  (void)solve_nsgs(ldy, {.stop = {.tolerance = 1e-13, .max_iterations = 20}});
  const double swept = joint_velocity_error(ldy);
  MESSAGE("joint velocity error after 20 sweeps: condensed " << exact << " m/s, joints in the sweep " << swept
                                                             << " m/s");
  CHECK(swept > 1e-6);

  clear(ldy);
  const SolveReport report = solve_condensed(ldy, {.stop = {.tolerance = 1e-10}});
  CHECK(report.status == SolveStatus::converged);
  const Eigen::VectorXd U = velocities(ldy);
  clear(ldy);
  const SolveReport whole = solve_auto(ldy, {.stop = {.tolerance = 1e-10}});
  CHECK(whole.status == SolveStatus::converged);
  // All feet stick: U = 0 up to the tolerance of both, whose scale is that of the load.
  CHECK((velocities(ldy) - U).norm() < 1e-8 * load_norm(ldy));
}

TEST_CASE("condensed by any contact solver, in islands, and with the same bits on any number of threads") {
  const BuiltinProblem chain = make_builtin("chain");
  for (const std::string name : {"auto", "nsgs", "newton"}) {
    CAPTURE(name);
    clear(*chain.ldy);
    const SolveReport report = solve_condensed(*chain.ldy, {.stop = {.tolerance = 1e-10}, .contact_solver = name});
    CHECK(report.status == SolveStatus::converged);
    CHECK(report.residual.scaled == evaluate_residual(*chain.ldy).scaled);
    CHECK(joint_velocity_error(*chain.ldy) < 1e-12);
  }
  const Eigen::VectorXd R = reactions(*chain.ldy);
  const SolveReport again = solve_condensed(*chain.ldy, {.stop = {.tolerance = 1e-10}});
  CHECK(again.iterations == 0);  // the warm start is the solution
  CHECK(reactions(*chain.ldy) == R);

  const BuiltinProblem machine = make_builtin("machine", 100);
  LocalDynamics& ldy = *machine.ldy;
  (void)solve_condensed(ldy, {.stop = {.tolerance = 1e-8}});
  const Eigen::VectorXd one = reactions(ldy);
  clear(ldy);
  (void)solve_condensed(ldy, {.stop = {.tolerance = 1e-8, .threads = 2}});
  CHECK(reactions(ldy) == one);

  // A sea of islands on two threads: each mechanism with the factor of the whole.
  RandomScene scene(11, 40);
  LocalDynamics sea;
  Assembly assembly(scene.bodies, sea);
  for (int i = 0; i < 25; ++i) assembly.insert(scene.make_constraint().constraint);
  scene.bodies.predict(RandomScene::h, {0, 0, -9.81});
  assembly.update(RandomScene::h);
  const Islands islands = find_islands(sea);
  CHECK(islands.count >= 4);
  Eigen::VectorXd first;
  for (const int threads : {1, 2}) {
    clear(sea);
    double accepted_residual = std::numeric_limits<double>::infinity();
    const StopOptions stop{.tolerance = 1e-10, .max_iterations = 2000, .threads = threads};
    (void)solve_islands(sea, islands, find_solver("condensed"), stop, accepted_residual);
    if (threads == 1) first = reactions(sea);
    CHECK(reactions(sea) == first);
  }
}

TEST_CASE("without joints or without factors condensed is auto") {
  const LocalDynamics blocks = random_problem({.contacts = 6, .bilateral = 3}, 5);
  LocalDynamics one = blocks, two = blocks;
  const SolveReport report = solve_condensed(one, {.stop = {.tolerance = 1e-10}});
  const SolveReport same = solve_auto(two, {.stop = {.tolerance = 1e-10}});
  CHECK(report.solver == same.solver);
  CHECK(report.iterations == same.iterations);
  CHECK(reactions(one) == reactions(two));

  const BuiltinProblem arch = make_builtin("arch", 20);
  CHECK(solve_condensed(*arch.ldy, {}).solver != "condensed");
  CHECK_THROWS_AS(Condensation{blocks}, std::invalid_argument);
}

TEST_CASE("joints alone are solved by their factor, joints that contradict each other are named") {
  BodySet bodies;
  LocalDynamics ldy;
  Assembly assembly(bodies, ldy);
  const BodyId body = bodies.emplace<RigidBody>(box_mass(1000, {0.1, 0.1, 0.1}), Eigen::Vector3d::Zero(),
                                                Orientation(Eigen::Quaterniond::Identity()));
  assembly.emplace<FixedPoint>(Anchor{Eigen::Vector3d(0.1, 0, 0), body});
  const ConstraintId other = assembly.emplace<FixedPoint>(Anchor{Eigen::Vector3d(-0.1, 0, 0), body});
  bodies.predict(1e-3, {0, 0, -9.81});
  assembly.update(1e-3);
  const SolveReport fine = solve_condensed(ldy, {.stop = {.tolerance = 1e-12}});
  CHECK(fine.status == SolveStatus::converged);
  CHECK(fine.solver == "condensed");
  CHECK(ldy.row(ConstraintId{0}).R[2] == doctest::Approx(0.5 * 9.81).epsilon(1e-12));

  ldy.row(other).B[0] += 0.5;  // the two points of one body part along x
  ldy.row(ConstraintId{0}).R.setZero();
  const SolveReport torn = solve_condensed(ldy, {.stop = {.tolerance = 1e-12}});
  CHECK(torn.status == SolveStatus::failed);
  CHECK(torn.reason.find("joints contradict each other: constraint") != std::string::npos);
  CHECK(torn.reason.find("row 0 by 0.25 m/s") != std::string::npos);

  CHECK_THROWS_AS((void)solve_condensed(ldy, {.stop = {}, .contact_solver = "condensed"}), std::invalid_argument);
  CHECK_THROWS_AS((void)solve_condensed(ldy, {.stop = {}, .contact_solver = "magic"}), std::invalid_argument);
  CHECK_THROWS_AS((void)solve_condensed(ldy, {.stop = {.tolerance = 0}}), std::invalid_argument);
}
