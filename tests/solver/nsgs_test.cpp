// Gauss–Seidel's own options, what its checks cost, and what a sweep does.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/nsgs/chosen_sweep.hpp>
#include <locdyn/solver/nsgs/dissection.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/nsgs/sweep.hpp>
#include <locdyn/solver/nsgs/sweep_schedule.hpp>
#include <random>
#include <solver/dense_problem.hpp>
#include <solver/random_problem.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

SolveReport solve(LocalDynamics& ldy, double relaxation, bool symmetric) {
  NsgsOptions options;
  options.stop.tolerance = 1e-12;
  options.relaxation = relaxation;
  options.symmetric = symmetric;
  return solve_nsgs(ldy, options);
}

}  // namespace

TEST_CASE("nsgs: over- and under-relaxation and symmetric sweeps reach the same solution") {
  const LocalDynamics problem = random_problem({.contacts = 10, .planar = 3, .bilateral = 5, .hinges = 2}, 7);
  const Eigen::VectorXd R = dense_solution(dense_problem(problem));
  for (const double relaxation : {0.7, 1.0, 1.3}) {
    for (const bool symmetric : {false, true}) {
      CAPTURE(relaxation);
      CAPTURE(symmetric);
      LocalDynamics ldy = problem;
      const SolveReport report = solve(ldy, relaxation, symmetric);
      CHECK(report.status == SolveStatus::converged);
      CHECK(report.solver == "nsgs");
      CHECK((reactions(ldy) - R).norm() <= 1e-10 * R.norm());
    }
  }
}

TEST_CASE("sweep: over-relaxation saves sweeps on a stack of bilateral rows") {
  // Its best ω is near 2/(1 + sin(π/(n + 1))).
  constexpr ConstraintId n{20};
  const auto sweeps_at = [&](double relaxation) {
    LocalDynamics ldy = chain(n);
    GaussSeidelSweep sweep(ldy);
    int count = 0;
    while (count < 2000 && evaluate_residual(ldy).scaled > 1e-8) {
      sweep.run(SweepDirection::forward, relaxation);
      ++count;
    }
    return count;
  };
  const int slow = sweeps_at(1.0), fast = sweeps_at(2 / (1 + std::sin(3.14159265358979 / (n + 1.0))));
  MESSAGE("sweeps at ω = 1: ", slow, ", at the best ω: ", fast);
  CHECK(slow < 2000);
  CHECK(2 * fast < slow);
}

// A W without sign may leave the law of a rolling contact no solution; its search then is what a sweep costs.
TEST_CASE("nsgs: the search of a rolling contact's own solve is work, and ends with it") {
  std::mt19937 random(5);
  const auto number = [&random] { return static_cast<double>(random()) / 2147483648.0 - 1; };
  LocalDynamics ldy;
  for (int k = 0; k < 6; ++k) ldy.insert(RollingLaw{.friction = 0.8, .rolling = 0.3, .torsional = 0.3});
  for (DiagonalBlock& row : ldy.rows()) {
    for (double& w : row.W.reshaped()) w = number();
    for (OffDiagonalBlock& block : ldy.adjacent(row)) {
      for (double& w : block.W.reshaped()) w = number();
    }
    row.B = {number(), number(), -1};
  }
  const double blocks = static_cast<double>(ldy.row_count() + ldy.off_diagonal_count());
  LocalDynamics limited = ldy;
  const SolveReport report = solve_nsgs(ldy, {.stop = {.max_iterations = 25}});
  const double swept = static_cast<double>(report.iterations) * blocks;
  CHECK(report.block_products > 100 * swept);
  CHECK(solve_nsgs(limited, {.stop = {.max_iterations = 100'000, .max_work = 2 * report.work()}}).reason == kWorkLimit);
}

TEST_CASE("nsgs: looking at the residual costs less than a tenth of the block products") {
  for (const std::string scene : {"stack", "wall", "tower", "arch", "spheres", "chain", "heavy"}) {
    CAPTURE(scene);
    const BuiltinProblem problem = make_builtin(scene, 200);
    problem.ldy->require_blocks();  // a sweep and a residual are one product W R each
    NsgsOptions options;
    options.stop.max_iterations = 1000;
    const SolveReport report = solve_nsgs(*problem.ldy, options);
    const double blocks = static_cast<double>(problem.ldy->row_count() + problem.ldy->off_diagonal_count());
    const auto looks = static_cast<double>(report.history.size());
    const double swept = report.block_products / blocks - looks;  // a sweep is as many visits or some more
    CHECK(swept >= static_cast<double>(report.iterations) * (1 - 1e-12));
    CHECK(swept <= 2 * static_cast<double>(report.iterations));
    CAPTURE(report.iterations);
    if (report.iterations >= 100) CHECK(looks < 0.1 * report.block_products / blocks);
    if (report.iterations >= 100) MESSAGE(scene, ": ", looks, " residuals in ", report.iterations, " sweeps");
  }
}

TEST_CASE("nsgs: a sweep solves each constraint for its neighbours' latest reactions") {
  LocalDynamics ldy = random_problem({.contacts = 5, .bilateral = 2, .friction = 0.5}, 3);
  GaussSeidelSweep sweep(ldy);
  CHECK(sweep.run(SweepDirection::forward, 1.0) > 0);
  // The last constraint of a forward sweep satisfies its law, and after a backward sweep the first.
  const auto own_residual = [](LocalDynamics& graph, ConstraintId id) {
    (void)evaluate_residual(graph);
    LocalDynamics alone;
    alone.insert(graph.law(id));
    alone.row(ConstraintId{0}) = graph.row(id);
    alone.row(ConstraintId{0}).constraint = ConstraintId{0};
    alone.row(ConstraintId{0}).first = alone.row(ConstraintId{0}).previous = alone.row(ConstraintId{0}).next = kNone;
    alone.row(ConstraintId{0}).B = graph.row(id).U - graph.row(id).W * graph.row(id).R;
    return evaluate_residual(alone).scaled;
  };
  CHECK(own_residual(ldy, ConstraintId{6}) < 1e-14);
  CHECK(own_residual(ldy, ConstraintId{0}) > 1e-6);
  sweep.run(SweepDirection::backward, 1.0);
  CHECK(own_residual(ldy, ConstraintId{0}) < 1e-13);
}

TEST_CASE("nsgs: sweeps over those who have heard of changes come to the limit of whole sweeps") {
  const LocalDynamics problem = random_problem({.contacts = 30, .planar = 3, .bilateral = 5, .hinges = 3}, 11);
  const Eigen::VectorXd R = dense_solution(dense_problem(problem));
  LocalDynamics ldy = problem;
  GaussSeidelSweep sweep(ldy);
  double change = 1;
  for (int k = 0; k < 500 && change > 0; ++k) change = sweep.run_active(1.0);
  CHECK(change < 1e-14);
  CHECK((reactions(ldy) - R).norm() <= 1e-10 * R.norm());

  // Whoever changes R says so, and the change is taken back.
  const std::array<ConstraintId, 1> touched = {ConstraintId{0}};
  ldy.row(ConstraintId{0}).R *= 2;
  sweep.activate_neighbours(touched);
  for (int k = 0; k < 500; ++k) sweep.run_active(1.0);
  CHECK((reactions(ldy) - R).norm() <= 1e-10 * R.norm());
}

TEST_CASE("nsgs: both forms of a sweep reach the same solution, and the counts choose between them") {
  for (const std::string scene : {"spheres", "chain"}) {
    CAPTURE(scene);
    const BuiltinProblem problem = make_builtin(scene, 60);
    CHECK(choose_form(*problem.ldy) == SweepForm::velocities);  // there are no blocks yet
    problem.ldy->require_blocks();
    CHECK(choose_form(*problem.ldy) == SweepForm::blocks);  // small
    NsgsOptions options;
    options.stop.tolerance = 1e-11;
    std::array<Eigen::VectorXd, 4> U;
    for (int k = 0; k < 4; ++k) {
      clear(*problem.ldy);
      options.form = k % 2 == 0 ? SweepForm::blocks : SweepForm::velocities;
      options.dissected_from = options.coloured_from = k >= 2 ? 0 : 1000;
      const SolveReport report = solve_nsgs(*problem.ldy, options);
      CHECK(report.status == SolveStatus::converged);
      CHECK(report.residual.scaled <= 1e-11);
      CHECK(report.block_products > 0);
      U[k] = velocities(*problem.ldy);
    }
    for (int k = 1; k < 4; ++k) CHECK((U[k] - U[0]).norm() <= 1e-8 * load_norm(*problem.ldy));
  }
  const BuiltinProblem wall = make_builtin("wall", 1500);
  CHECK(choose_form(*wall.ldy) == SweepForm::velocities);
  wall.ldy->require_blocks();
  CHECK(choose_form(*wall.ldy) == SweepForm::velocities);
  LocalDynamics copy = *wall.ldy;  // knows no factor
  CHECK(choose_form(copy) == SweepForm::blocks);
  NsgsOptions options;
  options.form = SweepForm::velocities;
  CHECK_THROWS_AS((void)solve_nsgs(copy, options), std::invalid_argument);
}

TEST_CASE("nsgs: sweeps in domains and in colours give the same bits on any number of threads") {
  const BuiltinProblem problem = make_builtin("spheres", 3000);
  CHECK(coloured_schedule(*problem.ldy).parallel > 1);
  CHECK(dissected_schedule(*problem.ldy).parallel == 2);
  NsgsOptions options;
  options.stop.max_iterations = 60;
  options.dissected_from = options.coloured_from = 0;
  for (const SweepForm form : {SweepForm::velocities, SweepForm::blocks}) {
    CAPTURE(form);
    options.form = form;
    Eigen::VectorXd R;
    for (const int threads : {1, 2, 3, 4, 8}) {
      CAPTURE(threads);
      clear(*problem.ldy);
      options.stop.threads = threads;
      (void)solve_nsgs(*problem.ldy, options);
      if (threads == 1) R = reactions(*problem.ldy);
      CHECK(reactions(*problem.ldy) == R);
    }
  }
}

TEST_CASE("colours from the order by bandwidth: no two batches of one are coupled, where ids have no order") {
  const BuiltinProblem problem = make_builtin("wall", 3000);
  const LocalDynamics& ldy = *problem.ldy;
  std::vector<std::span<const ConstraintId>> whole(1);
  std::vector<ConstraintId> shuffled = ldy.sequence(SweepOrder::by_id);
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(1));
  whole[0] = shuffled;
  const std::vector<LocalDynamics> lost = ldy.extract(whole);
  CHECK(coloured_schedule(lost[0], {.group = 1}).parallel == 0);
  const SweepSchedule schedule = coloured_schedule(lost[0], {.group = 1, .by_bandwidth = true});
  CHECK(schedule.parallel >= 2);
  CHECK(schedule.colour[schedule.parallel] * 10 >= schedule.batch_count() * 8);  // little overflow
  std::vector<Index> batch(lost[0].id_bound());
  for (Index b = 0; b < schedule.batch_count(); ++b) {
    for (Index i = schedule.first[b]; i < schedule.first[b + 1]; ++i) batch[schedule.sequence[i]] = b;
  }
  std::vector<Index> colour(schedule.batch_count());
  for (Index c = 0; c < schedule.parallel; ++c) {
    for (Index b = schedule.colour[c]; b < schedule.colour[c + 1]; ++b) colour[b] = c + 1;
  }
  int clashes = 0;
  for (const DiagonalBlock& row : lost[0].rows()) {
    for (const OffDiagonalBlock& block : lost[0].adjacent(row)) {
      const Index own = batch[row.constraint], other = batch[lost[0].diagonal_arena()[block.other].constraint];
      if (own != other && colour[own] > 0 && colour[own] == colour[other]) ++clashes;
    }
  }
  CHECK(clashes == 0);
}

TEST_CASE("nsgs: a resting cube comes to 1e-10 within 50 sweeps") {
  for (const int corners : {3, 4}) {
    for (const double friction : {0.0, 0.3, 1.0}) {
      CAPTURE(corners);
      CAPTURE(friction);
      BodySet bodies;
      LocalDynamics ldy;
      Assembly assembly(bodies, ldy);
      const BodyId ground = bodies.emplace<Obstacle>();
      const BodyId cube = bodies.emplace<RigidBody>(box_mass(1000, {1, 1, 1}), Eigen::Vector3d(0, 0, 0.5));
      const std::array<Eigen::Vector3d, 4> points = {{{-0.5, -0.5, 0}, {0.5, -0.5, 0}, {0, 0.5, 0}, {-0.5, 0.5, 0}}};
      for (int k = 0; k < corners; ++k) {
        Eigen::Vector3d point = points[k];
        if (corners == 4 && k == 2) point[0] = 0.5;
        assembly.emplace<Contact>(ContactPoint{
            .master = ground, .slave = cube, .point = point, .material = {.friction = friction, .restitution = 0}});
      }
      bodies.predict(1e-3, {0, 0, -9.81});
      assembly.update(1e-3);
      for (const SweepForm form : {SweepForm::blocks, SweepForm::velocities}) {
        clear(ldy);
        NsgsOptions options;
        options.stop.tolerance = 1e-10;
        options.form = form;
        const SolveReport report = solve_nsgs(ldy, options);
        CHECK(report.status == SolveStatus::converged);
        CHECK(report.iterations <= 50);
        MESSAGE(corners, " contacts, friction ", friction, ": ", report.iterations, " sweeps");
      }
    }
  }
}

TEST_CASE("nsgs: options out of range are refused, naming the field") {
  LocalDynamics ldy = random_problem({.contacts = 2}, 1);
  for (const double bad : {0.0, 2.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    NsgsOptions options;
    options.relaxation = bad;
    CHECK_THROWS_WITH_AS((void)solve_nsgs(ldy, options), doctest::Contains("nsgs: relaxation"), std::invalid_argument);
  }
  NsgsOptions options;
  options.stall_window = 0;
  CHECK_THROWS_WITH_AS((void)solve_nsgs(ldy, options), doctest::Contains("nsgs: stall_window"), std::invalid_argument);
}

TEST_CASE("nsgs: sweeps to go by the contraction of the second half, or from one sample to another") {
  SolveReport turn;
  turn.history = {{0, 0, 1.0}, {25, 0, 1e-2}};
  CHECK(std::isinf(sweeps_to_go(turn, 1e-3)));  // the start is no second half
  CHECK(sweeps_to_go(turn.history[0], turn.history[1], 1e-3) == doctest::Approx(12.5));
  turn.history = {{0, 0, 1.0}, {25, 0, 1e-2}, {50, 0, 1e-3}};
  CHECK(sweeps_to_go(turn, 1e-5) == doctest::Approx(50));
  turn.history.push_back({75, 0, 1e-3});
  CHECK(std::isinf(sweeps_to_go(turn, 1e-5)));
}
