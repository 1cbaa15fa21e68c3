#include <locdyn/io/output/problem_dump.hpp>

#include <doctest/doctest.h>

#include <io/output/scene.hpp>
#include <locdyn/ldy/file_error.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/auto.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

constexpr double kTolerance = 1e-10;

}  // namespace

TEST_CASE("a dumped step is judged as the step was, and is solved from zero") {
  const ScratchFolder folder;
  FloorScene scene;
  TimeStepper stepper(scene.system, {.step = 2e-3, .stop = {.tolerance = kTolerance}});
  StepReport report;
  for (int step = 0; step < 5; ++step) report = stepper.step();
  REQUIRE(report.status == SolveStatus::converged);
  REQUIRE(report.contacts > 0);
  REQUIRE(dump_problem(folder / "step.hdf5", stepper.system().graph(), info_of(stepper, report, "floor")));

  FclibProblem problem = read_fclib(folder / "step.hdf5");
  CHECK(problem.ldy.constraint_count() == report.contacts);  // the pin is not among them
  CHECK(problem.info.title == "floor");
  CHECK(problem.info.description.find("step 5") == 0);
  REQUIRE(problem.solution);

  // R as the stepper left it. The step judged each island by its own ‖b‖, the file has one ‖b‖ and the pin's reaction
  // in q: a factor is left for that.
  for (ConstraintId id{0}; id < report.contacts; ++id) problem.ldy.row(id).R = problem.solution->R[id];
  CHECK(evaluate_residual(problem.ldy).scaled <= 10 * kTolerance);
  const auto stored = solution_of(problem.ldy);
  for (std::size_t k = 0; k < report.contacts; ++k) {
    CHECK((stored.U[k] - problem.solution->U[k]).norm() <= 1e-12);  // of velocities about 1, to rounding
  }

  for (ConstraintId id{0}; id < report.contacts; ++id) problem.ldy.row(id).R.setZero();
  AutoOptions options;
  options.stop.tolerance = kTolerance;
  const SolveReport solved = solve_auto(problem.ldy, options);
  CHECK(solved.status == SolveStatus::converged);
  CHECK(evaluate_residual(problem.ldy).scaled <= kTolerance);

  // U is unique.
  const auto again = solution_of(problem.ldy);
  for (std::size_t k = 0; k < report.contacts; ++k) {
    CHECK((again.U[k] - problem.solution->U[k]).norm() <= 1e-7);  // tolerance times ‖b‖ and the condition of W
  }
}

TEST_CASE("the reactions of constraints that are no contacts go into q") {
  LocalDynamics graph;
  const ConstraintId pin = graph.insert(BilateralLaw{});
  const ConstraintId contact = graph.insert(ContactLaw{.friction = 0.5, .shift = {0, 0, 0.25}});
  graph.couple(pin, contact);
  graph.row(pin).W = graph.row(contact).W = 2 * Eigen::Matrix3d::Identity();
  graph.row(pin).R = {1, 2, 3};
  graph.row(contact).R = {0, 0, 4};
  graph.row(contact).B = {0.5, 0, -1};
  graph.find(contact, 0, pin, 0)->W = 0.5 * Eigen::Matrix3d::Identity();
  graph.find(pin, 0, contact, 0)->W = 0.5 * Eigen::Matrix3d::Identity();
  const ScratchFolder folder;
  REQUIRE(dump_problem(folder / "problem.hdf5", graph, {"title", "", ""}));
  const FclibProblem problem = read_fclib(folder / "problem.hdf5");
  REQUIRE(problem.ldy.constraint_count() == 1);
  CHECK(problem.ldy.row(ConstraintId{0}).B == Eigen::Vector3d(1, 1, -1 + 1.5 + 0.25));
  CHECK(problem.solution->R[0] == Eigen::Vector3d(0, 0, 4));
  CHECK(problem.solution->U[0] == Eigen::Vector3d(1, 1, 8.75));
}

TEST_CASE("without contacts nothing is written, and a missing folder is refused") {
  const ScratchFolder folder;
  LocalDynamics graph;
  CHECK_FALSE(dump_problem(folder / "problem.hdf5", graph, {}));
  CHECK_FALSE(fs::exists(folder / "problem.hdf5"));
  graph.row(graph.insert(ContactLaw{})).W.setIdentity();
  CHECK_THROWS_AS((void)dump_problem(folder / "missing" / "problem.hdf5", graph, {}), FileError);
}
