// Mixing around sweeps, by hand and on problems that sweeps are slow on, and who has the lead, mixing or sweeps.

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <algorithm>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/nsgs/alternation.hpp>
#include <locdyn/solver/nsgs/anderson.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/nsgs/sweep.hpp>
#include <solver/random_problem.hpp>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

// Sweeps, `between` for each mixing (0: none), until the residual is met.
int sweeps_to(LocalDynamics& ldy, double tolerance, int between) {
  constexpr int kMost = 50'000;
  GaussSeidelSweep sweep(ldy);
  Anderson mixture(ldy);
  int count = 0;
  while (count < kMost && evaluate_residual(ldy).scaled > tolerance) {
    if (between > 0 && count > 0) mixture.after_sweep();
    for (int k = 0; k < std::max(between, 1); ++k, ++count) {
      if (k == between - 1) mixture.before_sweep();
      sweep.run(SweepDirection::forward, 1.0);
    }
  }
  return count;
}

// A sweep that somebody made: R_n goes to `to`.
void made_up_sweep(LocalDynamics& ldy, Anderson& mixture, double to) {
  mixture.before_sweep();
  ldy.row(ConstraintId{0}).R[2] = to;
  mixture.after_sweep();
}

}  // namespace

TEST_CASE("mixing: a linear chain needs a tenth of the sweeps") {
  LocalDynamics plain = chain(40), mixed = chain(40);
  const int slow = sweeps_to(plain, 1e-10, 0), fast = sweeps_to(mixed, 1e-10, 4);
  MESSAGE(slow, " sweeps, ", fast, " with mixing");
  CHECK(10 * fast < slow);
  CHECK((reactions(mixed) - reactions(plain)).norm() <= 1e-6 * reactions(plain).norm());
}

TEST_CASE("mixing: a wall needs a third of the sweeps, for the same velocities") {
  const BuiltinProblem problem = make_builtin("wall", 200);
  LocalDynamics plain = *problem.ldy, mixed = *problem.ldy;
  const int slow = sweeps_to(plain, 1e-9, 0), fast = sweeps_to(mixed, 1e-9, 4);
  MESSAGE(slow, " sweeps, ", fast, " with mixing");
  CHECK(3 * fast < slow);
  CHECK((velocities(mixed) - velocities(plain)).norm() <= 1e-6 * load_norm(plain));
}

TEST_CASE("mixing: the same bits on any number of threads") {
  Eigen::VectorXd first;
  for (const int threads : {1, 2, 3}) {
    CAPTURE(threads);
    const BuiltinProblem problem = make_builtin("spheres", 3000);  // more than threads take in one go
    LocalDynamics& ldy = *problem.ldy;
    GaussSeidelSweep sweep(ldy);
    Anderson mixture(ldy, threads);
    for (int k = 0; k < 30; ++k) {
      mixture.before_sweep();
      sweep.run(SweepDirection::forward, 1.0);
      const Eigen::VectorXd swept = reactions(ldy);
      mixture.after_sweep();
      if (k == 2) CHECK((reactions(ldy) - swept).norm() > 0);  // it does mix
    }
    if (threads == 1) first = reactions(ldy);
    CHECK(reactions(ldy) == first);
  }
}

TEST_CASE("mixing: a step along a line is followed to its end, one that grows is taken back") {
  LocalDynamics ldy;
  ldy.insert(ContactLaw{.friction = 0.5});
  ldy.row(ConstraintId{0}).W.setIdentity();
  Anderson mixture(ldy);
  ldy.row(ConstraintId{0}).R = {0, 0, 1};
  made_up_sweep(ldy, mixture, 2);             // x ← (x + 3)/2 halves the way to 3
  CHECK(ldy.row(ConstraintId{0}).R[2] == 2);  // one step says nothing yet
  made_up_sweep(ldy, mixture, 2.5);
  CHECK(ldy.row(ConstraintId{0}).R[2] == doctest::Approx(3));
  // After the mixing a step of 0.1 is shorter than 0.5: it is kept, and mixed again.
  made_up_sweep(ldy, mixture, 3.1);
  const double mixed = ldy.row(ConstraintId{0}).R[2];
  CHECK(mixed != 3.1);
  made_up_sweep(ldy, mixture, mixed + 5);  // a step far longer than any: back to what the last good sweep left
  CHECK(ldy.row(ConstraintId{0}).R[2] == doctest::Approx(3.1));

  // A mixture that leaves the cone is projected on it, and somebody else's R is not mixed with what was.
  mixture.restart();
  ldy.row(ConstraintId{0}).R = {0, 0, 1};
  made_up_sweep(ldy, mixture, 0.5);
  made_up_sweep(ldy, mixture, 0.1);
  CHECK(ldy.row(ConstraintId{0}).R[2] == 0);
  mixture.restart();
  made_up_sweep(ldy, mixture, 7);
  CHECK(ldy.row(ConstraintId{0}).R[2] == 7);
}

TEST_CASE("mixing: islands do not see each other") {
  const auto put = [](LocalDynamics& all, LocalDynamics& one, ConstraintId first) {
    const auto count = static_cast<ConstraintId>(one.constraint_count());
    for (ConstraintId i{0}; i < count; ++i) all.insert(one.law(i));
    for (ConstraintId i{0}; i < count; ++i) {
      all.row(ConstraintId{first + i}).W = one.row(i).W;
      all.row(ConstraintId{first + i}).B = one.row(i).B;
      for (ConstraintId j{0}; j < i; ++j) {
        all.couple(ConstraintId{first + i}, ConstraintId{first + j});
        all.find(ConstraintId{first + i}, 0, ConstraintId{first + j}, 0)->W = one.find(i, 0, j, 0)->W;
        all.find(ConstraintId{first + j}, 0, ConstraintId{first + i}, 0)->W = one.find(j, 0, i, 0)->W;
      }
    }
  };
  LocalDynamics a = random_problem({.contacts = 6, .friction = 0.5, .identity = 0.01}, 1);
  LocalDynamics b = random_problem({.contacts = 9, .friction = 0.5, .identity = 0.01}, 2);
  LocalDynamics both;
  put(both, a, ConstraintId{0});
  put(both, b, ConstraintId{6});
  for (LocalDynamics* ldy : {&a, &b, &both}) {
    clear(*ldy);
    GaussSeidelSweep sweep(*ldy);
    Anderson mixture(*ldy);
    for (int k = 0; k < 20; ++k) {
      mixture.before_sweep();
      sweep.run(SweepDirection::forward, 1.0);
      mixture.after_sweep();
    }
  }
  Eigen::VectorXd apart(reactions(a).size() + reactions(b).size());
  apart << reactions(a), reactions(b);
  CHECK((reactions(both) - apart).norm() <= 1e-9 * apart.norm());
}

TEST_CASE("who leads: one window of sweeps, a trial of mixing, then whoever gained more") {
  Alternation alternation;
  CHECK_FALSE(alternation.mixing());
  CHECK(alternation.changes(1.0));
  CHECK(alternation.mixing());
  const auto block = [&](double from, double to) {  // four windows
    for (int window = 0; window < 3; ++window) CHECK_FALSE(alternation.changes(from));
    return alternation.changes(to);
  };
  CHECK_FALSE(block(1.0, 0.1));  // it gained: it leads
  CHECK(alternation.mixing());
  CHECK_FALSE(block(0.1, 1e-3));  // fast: no trial
  CHECK(block(1e-3, 0.5e-3));     // slow: sweeps have a try
  CHECK_FALSE(alternation.mixing());
  CHECK(block(0.5e-3, 0.4e-3));  // that gained less: back to mixing, and twice as many blocks before the next
  CHECK(alternation.mixing());
  CHECK_FALSE(block(0.4e-3, 0.3e-3));
  CHECK(block(0.3e-3, 0.2e-3));
  CHECK_FALSE(alternation.mixing());
  CHECK_FALSE(block(0.2e-3, 0.2e-4));  // more: sweeps lead
  CHECK_FALSE(alternation.mixing());
  CHECK(alternation.decreased());

  // Mixing that gains nothing loses the lead at once; sweeps keep it.
  Alternation dead;
  CHECK(dead.changes(1.0));
  for (int window = 0; window < 4; ++window) (void)dead.changes(0.5);
  CHECK(dead.mixing());
  for (int window = 0; window < 4; ++window) (void)dead.changes(0.5);
  CHECK_FALSE(dead.mixing());
  CHECK_FALSE(dead.decreased());
  dead.sweep_only();
  CHECK_FALSE(dead.mixing());
}

TEST_CASE("nsgs: chain, arch and stack come to 1e-10 by mixing, with sweeps in between") {
  for (const char* name : {"chain", "arch", "stack"}) {
    CAPTURE(name);
    const BuiltinProblem problem = make_builtin(name, 40);
    NsgsOptions options;
    options.stop.tolerance = 1e-10;
    const SolveReport report = solve_nsgs(*problem.ldy, options);
    CHECK(report.status == SolveStatus::converged);
    CHECK(evaluate_residual(*problem.ldy).scaled <= 1e-10);
    CHECK(report.iterations < 5000);
  }
}
