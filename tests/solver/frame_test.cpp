// The frame of all solvers: limits, patience, the best iterate, and the merging of reports.

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/patience.hpp>
#include <locdyn/solver/stage_sequence.hpp>
#include <solver/random_problem.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

// One frictionless contact, W = I and b_n = −1: the solution is R_n = 1, the residual |R_n − 1|.
LocalDynamics pressed_contact() {
  LocalDynamics ldy;
  ldy.insert(ContactLaw{.friction = 0});
  ldy.row(ConstraintId{0}).W.setIdentity();
  ldy.row(ConstraintId{0}).B[2] = -1;
  return ldy;
}

SolveReport turn_of(SolveStatus status, const char* solver, double cost) {
  SolveReport turn;
  turn.status = status;
  turn.solver = solver;
  turn.iterations = 10;
  turn.seconds = 0.5;
  turn.own_residual = cost;
  turn.history = {{0, 0.1, 1.0}, {10, 0.5, cost}};
  turn.stages = {.setup = cost, .sweeps = 2 * cost, .factorisation = 3 * cost, .residual = 4 * cost};
  turn.block_products = 5 * cost;
  turn.factorisation_flops = 6 * cost;
  turn.factorisations = 7;
  return turn;
}

}  // namespace

TEST_CASE("patience: a window without the gain asked for, told from the last gain on") {
  Patience patience(Patience::kHalved, 3);
  CHECK(patience.note(1.0, 1));  // any residual is below the level it has at first
  CHECK_FALSE(patience.note(0.51, 2));
  CHECK_FALSE(patience.note(0.5, 3));
  CHECK_FALSE(patience.spent(3));
  CHECK(patience.spent(4));
  CHECK_FALSE(patience.spent(4, 10));
  CHECK(patience.reason(4, "rounds") == "the residual did not fall by 50 % in 3 rounds");
  CHECK(patience.note(0.49, 4));
  CHECK_FALSE(patience.spent(6));
  patience.restart(6);
  CHECK_FALSE(patience.spent(8));
  CHECK(patience.spent(9));
  // Small gains count together, and what is not a number is none.
  Patience slow(Patience::kOnePercentLess, 2, 1.0);
  CHECK_FALSE(slow.note(std::numeric_limits<double>::quiet_NaN(), 0));
  CHECK_FALSE(slow.note(0.995, 1));
  CHECK(slow.note(0.9899, 2));
}

TEST_CASE("watch: the first of all ends is the one told, and the best iterate is left") {
  LocalDynamics ldy = pressed_contact();
  const StopOptions stop{.max_iterations = 5};
  IterateWatch watch(ldy, stop, "frame");
  for (const double R : {0.0, 0.9, 0.2}) {
    ldy.row(ConstraintId{0}).R[2] = R;
    watch.judge(0);
  }
  CHECK_FALSE(watch.over(4));
  CHECK(watch.allows(4, 1e9));
  watch.end(SolveStatus::stalled, "first");
  watch.end(SolveStatus::failed, "second");
  CHECK(watch.over(4));
  CHECK_FALSE(watch.allows(4, 0));
  const SolveReport report = watch.finish(5);
  CHECK(report.status == SolveStatus::stalled);
  CHECK(report.reason == "first");
  CHECK(report.iterations == 5);
  CHECK(report.history.size() == 3);
  CHECK(report.block_products == 3);
  CHECK(ldy.row(ConstraintId{0}).R[2] == 0.9);
  CHECK(report.own_residual == doctest::Approx(0.1));
}

TEST_CASE("watch: limits of iterations and time, an interrupt, and what is not finite") {
  LocalDynamics ldy = pressed_contact();
  SUBCASE("iterations") {
    const StopOptions stop{.max_iterations = 5};
    IterateWatch watch(ldy, stop, "frame");
    watch.judge(0);
    CHECK_FALSE(watch.over(4));
    CHECK(watch.left(4).max_iterations == 1);
    CHECK(watch.over(5));
    CHECK(watch.finish(5).status == SolveStatus::max_iterations);
  }
  SUBCASE("time: looked at when a residual is taken, and before a factorisation") {
    const StopOptions stop{.max_seconds = 1e3};
    IterateWatch watch(ldy, stop, "frame");
    watch.judge(0);
    CHECK_FALSE(watch.over(1));
    CHECK(watch.left(1).max_seconds < 1e3);
    CHECK(watch.allows(1, 10));
    CHECK_FALSE(watch.allows(1, 1e3));
    const SolveReport report = watch.finish(1);
    CHECK(report.status == SolveStatus::max_time);
    CHECK(report.reason == "the time limit holds no further factorisation");
  }
  SUBCASE("an interrupt") {
    std::atomic<bool> interrupt = false;
    const StopOptions stop{.interrupt = &interrupt};
    IterateWatch watch(ldy, stop, "frame");
    watch.judge(0);
    CHECK_FALSE(watch.over(1));
    interrupt = true;
    CHECK_FALSE(watch.over(1));
    watch.judge(1);
    CHECK(watch.over(1));
    const SolveReport report = watch.finish(1);
    CHECK(report.status == SolveStatus::max_time);
    CHECK(report.reason == "interrupted");
  }
  SUBCASE("what is not finite ends it where the method says so") {
    const StopOptions stop;
    IterateWatch watch(ldy, stop, "frame");
    watch.judge(0);
    ldy.row(ConstraintId{0}).R[2] = std::numeric_limits<double>::quiet_NaN();
    watch.judge(1);
    CHECK_FALSE(watch.over(1));
    watch.end_unless_finite();
    CHECK(watch.over(1));
    CHECK(watch.finish(1).status == SolveStatus::diverged);
    CHECK(ldy.row(ConstraintId{0}).R[2] == 0);
  }
  SUBCASE("a solution, whatever was said before") {
    const StopOptions stop{.max_iterations = 0};
    IterateWatch watch(ldy, stop, "frame");
    watch.end(SolveStatus::failed, "a ray");
    ldy.row(ConstraintId{0}).R[2] = 1;
    watch.judge(0);
    const SolveReport report = watch.finish(0);
    CHECK(report.status == SolveStatus::converged);
    CHECK(report.reason.empty());
  }
}

TEST_CASE("turns: costs and iterations are sums, the history goes on, the last outcome is told") {
  const StopOptions stop{.max_seconds = 2, .max_iterations = 25};
  StageSequence turns(stop);
  CHECK_FALSE(turns.ended());
  turns.add(turn_of(SolveStatus::stalled, "nsgs", 1));
  turns.add(turn_of(SolveStatus::stalled, "newton", 0.5));
  CHECK_FALSE(turns.ended());
  CHECK(turns.left().max_iterations == 5);
  CHECK(turns.left(3).max_iterations == 3);
  CHECK(turns.left().max_seconds == 1);
  const SolveReport& total = turns.total();
  CHECK(total.iterations == 20);
  CHECK(total.seconds == 1);
  CHECK(total.stages.setup == 1.5);
  CHECK(total.stages.sweeps == 3);
  CHECK(total.stages.factorisation == 4.5);
  CHECK(total.stages.residual == 6);
  CHECK(total.block_products == 7.5);
  CHECK(total.factorisation_flops == 9);
  CHECK(total.factorisations == 14);
  CHECK(total.solver == "newton");
  CHECK(total.own_residual == 0.5);
  REQUIRE(total.history.size() == 4);
  CHECK(total.history[1].iteration == 10);
  CHECK(total.history[2].iteration == 10);
  CHECK(total.history[3].iteration == 20);
  CHECK(total.history[2].seconds == 0.5 + 0.1);

  SUBCASE("given up") {
    const SolveReport report = turns.finish(SolveStatus::stalled, "in 2 rounds");
    CHECK(report.status == SolveStatus::stalled);
    CHECK(report.reason == "in 2 rounds");
  }
  SUBCASE("all iterations done") {
    turns.add(turn_of(SolveStatus::max_iterations, "nsgs", 0.4));
    CHECK(turns.ended());
    CHECK(turns.finish(SolveStatus::stalled, "").status == SolveStatus::max_iterations);
  }
  SUBCASE("a turn without time for a factorisation leaves some to the next") {
    SolveReport turn = turn_of(SolveStatus::max_time, "path", 0.4);
    turn.iterations = 1;
    turns.add(turn);
    CHECK_FALSE(turns.ended());
    turns.add(turn);
    CHECK(turns.ended());
    CHECK(turns.finish(SolveStatus::stalled, "").status == SolveStatus::max_time);
  }
  SUBCASE("converged") {
    turns.add(turn_of(SolveStatus::converged, "schwarz", 1e-9));
    CHECK(turns.ended());
    CHECK(turns.finish(SolveStatus::stalled, "").status == SolveStatus::converged);
  }
}

TEST_CASE("side by side: costs are sums, the first that did not converge is told") {
  SideBySide all;
  all.add(turn_of(SolveStatus::converged, "nsgs", 1));
  SolveReport left = turn_of(SolveStatus::stalled, "nsgs", 2);
  left.reason = "first";
  all.add(left);
  left.status = SolveStatus::failed;
  left.reason = "second";
  all.add(left);
  CHECK(all.solved == 3);
  CHECK(all.unconverged == 2);
  CHECK(all.status == SolveStatus::stalled);
  CHECK(all.reason == "first");
  CHECK(all.iterations == 30);
  CHECK(all.factorisations == 21);
  CHECK(all.block_products == 25);
  CHECK(all.factorisation_flops == 30);
  CHECK(all.stages.sweeps == 10);
}
