// What every solver of the round cone owes its caller, whatever its method: the solution, an honest report, the best
// iterate and the same bits. The pyramids are in pyramid_test.cpp.

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <locdyn/solver/newton/newton.hpp>
#include <solver/dense_problem.hpp>
#include <solver/each_solver.hpp>
#include <solver/random_problem.hpp>
#include <string>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

// 12 contacts, 36 rows, on 14 freedoms.
LocalDynamics long_problem(unsigned seed) {
  return random_problem({.contacts = 12, .friction = 0.8, .identity = 0, .freedoms = 14}, seed);
}

// The report tells what the graph holds.
void check_report(LocalDynamics& ldy, const SolveReport& report) {
  const Residual judged = evaluate_residual(ldy);
  CHECK(report.residual.scaled == judged.scaled);
  CHECK(report.residual.relative == judged.relative);
  CHECK(report.residual.absolute == judged.absolute);
  CHECK(report.residual.worst == judged.worst);
  CHECK(report.reason.empty() == (report.status == SolveStatus::converged));
  CHECK(report.seconds >= 0);
  CHECK(report.block_products > 0);
  CHECK(report.factorisations >= 0);
  REQUIRE(!report.history.empty());
  for (std::size_t i = 0; i < report.history.size(); ++i) {
    CHECK_FALSE(report.history[i].residual < report.own_residual);  // the best is kept; not a number where it diverged
    if (i == 0) continue;
    CHECK(report.history[i].iteration >= report.history[i - 1].iteration);
    CHECK(report.history[i].seconds >= report.history[i - 1].seconds);
  }
  CHECK(report.iterations >= report.history.back().iteration);
}

// Two laws on one normal direction: W_n = (1, w; w, 1), B_n = (first, second).
LocalDynamics two_normals(const Law& law, double w, double first, double second) {
  LocalDynamics ldy;
  ldy.insert(law);
  ldy.insert(law);
  ldy.couple(ConstraintId{0}, ConstraintId{1});
  for (ConstraintId i{0}; i < 2; ++i) {
    ldy.row(i).W(2, 2) = 1;
    ldy.row(i).B[2] = i == 0 ? first : second;
    ldy.find(i, 0, ConstraintId{1 - i}, 0)->W(2, 2) = w;
  }
  return ldy;
}

}  // namespace

TEST_CASE("contacts, planar contacts and bilateral rows of 1 and 2 blocks together against a dense solution") {
  const Scene scenes[] = {
      {.contacts = 12, .friction = 0.6},
      {.contacts = 12, .friction = 0},
      {.contacts = 0, .planar = 12, .friction = 0.4},
      {.contacts = 0, .bilateral = 6, .hinges = 3},
      {.contacts = 8, .bilateral = 6, .hinges = 3, .friction = 0.5},
      {.contacts = 6, .planar = 6, .bilateral = 4, .hinges = 2, .friction = 0.5},
  };
  double worst = 0;
  int stalled = 0;  // of interior points, where the slip that they hold is not contracted: strong friction, dense W
  for (const Scene& scene : scenes) {
    for (unsigned seed = 1; seed <= 3; ++seed) {
      CAPTURE(scene.contacts);
      CAPTURE(scene.planar);
      CAPTURE(scene.bilateral);
      CAPTURE(seed);
      const LocalDynamics problem = random_problem(scene, seed);
      const Eigen::VectorXd R = dense_solution(dense_problem(problem));
      with_each_solver([&](const auto& solve) {
        LocalDynamics ldy = problem;
        const SolveReport report = solve(ldy, {.tolerance = 1e-12});
        if (report.solver == "interior" && report.status == SolveStatus::stalled) {
          ++stalled;
          check_report(ldy, report);
          return;
        }
        CHECK(report.status == SolveStatus::converged);
        CHECK(report.residual.scaled <= 1e-12);
        check_report(ldy, report);
        const double error = (reactions(ldy) - R).norm() / R.norm();
        worst = std::max(worst, error);
        CHECK(error < 1e-10);
      });
    }
  }
  CHECK(stalled <= 2);
  MESSAGE("largest relative error of R against the dense solution: ", worst);
}

TEST_CASE("W that is unsymmetric, as files have it, against a dense solution") {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    LocalDynamics problem = random_problem({.contacts = 10, .bilateral = 3, .friction = 0.6}, seed);
    for (auto& row : problem.rows()) {
      for (auto& block : problem.adjacent(row)) block.W *= block.other % 2 == 0 ? 1.05 : 0.97;
    }
    const Eigen::VectorXd R = dense_solution(dense_problem(problem));
    with_each_solver([&](const auto& solve) {
      LocalDynamics ldy = problem;
      const SolveReport report = solve(ldy, {.tolerance = 1e-12});
      CHECK(report.status == SolveStatus::converged);
      check_report(ldy, report);
      CHECK((reactions(ldy) - R).norm() < 1e-10 * R.norm());
    });
  }
}

TEST_CASE("W of deficient rank: the residual, and U where R is not unique") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    const LocalDynamics problem = long_problem(seed);
    Eigen::VectorXd U;
    with_each_solver([&](const auto& solve) {
      LocalDynamics ldy = problem;
      const SolveReport report = solve(ldy, {.tolerance = 1e-11});
      CHECK(report.status == SolveStatus::converged);
      CHECK(report.residual.scaled <= 1e-11);
      check_report(ldy, report);
      if (U.size() == 0) U = velocities(ldy);
      CHECK((velocities(ldy) - U).norm() <= 1e-7 * U.norm());
    });
  }
}

TEST_CASE("from the solution as warm start there is nothing to do") {
  with_each_solver([](const auto& solve) {
    LocalDynamics ldy = random_problem({.contacts = 10, .bilateral = 3, .hinges = 2}, 3);
    CHECK(solve(ldy).history.size() > 1);
    const Eigen::VectorXd R = reactions(ldy);
    const SolveReport again = solve(ldy);
    CHECK(again.status == SolveStatus::converged);
    CHECK(again.iterations == 0);
    CHECK((reactions(ldy) == R));
    check_report(ldy, again);
  });
}

TEST_CASE("zero contacts, and a load that opens every contact") {
  with_each_solver([](const auto& solve) {
    LocalDynamics empty;
    const SolveReport report = solve(empty);
    CHECK(report.status == SolveStatus::converged);
    CHECK(report.iterations == 0);
    CHECK(report.residual.scaled == 0);

    LocalDynamics open = random_problem({.contacts = 5}, 1);
    for (auto& row : open.rows()) row.B[2] = 10;
    CHECK(solve(open).status == SolveStatus::converged);
    CHECK(reactions(open).norm() == 0);

    LocalDynamics unloaded = random_problem({.contacts = 5, .bilateral = 2}, 1);
    for (ConstraintId id{0}; id < unloaded.id_bound(); ++id) {
      unloaded.row(id).B.setZero();
      if (id < 5) {
        unloaded.set_law(id, ContactLaw{.friction = 0.5});
      } else {
        BilateralLaw law = std::get<BilateralLaw>(unloaded.law(id));
        law.block[0].shift.setZero();
        unloaded.set_law(id, law);
      }
    }
    CHECK(solve(unloaded).status == SolveStatus::converged);
    CHECK(reactions(unloaded).norm() == 0);
  });
}

TEST_CASE("an observer hears of every residual of the whole") {
  const BuiltinProblem problem = make_builtin("heavy", 44);
  LocalDynamics ldy = *problem.ldy;
  std::vector<SolveReport::Sample> heard;
  const std::function<void(const SolveReport::Sample&)> observer = [&](const auto& sample) { heard.push_back(sample); };
  const SolveReport report = find_solver("newton").solve(ldy, {.observer = &observer}, {});
  REQUIRE(heard.size() == report.history.size());
  for (std::size_t k = 0; k < heard.size(); ++k) {
    CHECK(heard[k].iteration == report.history[k].iteration);
    CHECK(heard[k].residual == report.history[k].residual);
  }
}

TEST_CASE("limits of iterations and time and an interrupt are told, and the best iterate is left") {
  const BuiltinProblem problem = make_builtin("heavy", 44);
  with_each_solver([&](const auto& solve) {
    LocalDynamics ldy = *problem.ldy;
    const double cold = evaluate_residual(ldy).scaled;
    SolveReport report = solve(ldy, {.max_iterations = 7});
    CHECK(report.status == SolveStatus::max_iterations);
    CHECK(report.iterations <= 7);
    check_report(ldy, report);
    CHECK(report.residual.scaled <= cold);
    if (report.solver != "path") CHECK(report.residual.scaled < cold);  // it takes more than 7 to begin

    clear(ldy);
    report = solve(ldy, {.max_seconds = 1e-9});
    CHECK(report.status == SolveStatus::max_time);
    CHECK(report.seconds < 1);
    check_report(ldy, report);
    CHECK(report.residual.scaled <= cold);

    clear(ldy);
    const std::atomic<bool> asked = true;
    report = solve(ldy, {.interrupt = &asked});
    CHECK(report.status == SolveStatus::max_time);
    CHECK(report.reason.ends_with("interrupted"));
    CHECK(report.seconds < 1);
    check_report(ldy, report);
    CHECK(report.residual.scaled <= cold);

    // A poor warm start is never made worse.
    for (auto& row : ldy.rows()) row.R = {1e9, 0, 1e10};
    const double poor = evaluate_residual(ldy).scaled;
    report = solve(ldy, {.max_iterations = 1});
    check_report(ldy, report);
    CHECK(report.residual.scaled <= poor);
  });
}

TEST_CASE("a factorisation that the time limit does not hold is not begun") {
  const BuiltinProblem problem = make_builtin("spheres", 12000);
  for (const char* name : {"admm", "interior", "path"}) {
    CAPTURE(name);
    LocalDynamics ldy = *problem.ldy;
    const double cold = evaluate_residual(ldy).scaled;
    // Begun is all after 0.1 to 0.2 s on a loaded core, and the first factorisation is seen to take more than a second;
    // that of half as many spheres fits into the limit on a fast one.
    const SolveReport report = find_solver(name).solve(ldy, {.max_seconds = 0.4}, 8);
    CHECK(report.status == SolveStatus::max_time);
    CHECK(report.reason == "the time limit holds no further factorisation");
    CHECK(report.iterations == 0);
    CHECK(report.factorisations == 0);
    CHECK(report.factorisation_flops == 0);
    CHECK(report.residual.scaled <= cold);
  }
}

TEST_CASE("newton: a first step that the time limit does not hold is not begun") {
  const BuiltinProblem problem = make_builtin("spheres", 12'000);
  LocalDynamics ldy = *problem.ldy;
  NewtonOptions options;
  options.stop.max_seconds = 1;  // 0.3 s to begin on a loaded core, more than 2 for the step
  options.first_sweeps = 0;
  const SolveReport report = solve_newton(ldy, options);
  CHECK(report.status == SolveStatus::max_time);
  CHECK(report.reason == "the time limit holds no further factorisation");
  CHECK(report.iterations == 0);
  CHECK(report.factorisation_flops == 0);
}

TEST_CASE("no iteration at all: the warm start is judged and told") {
  with_each_solver([](const auto& solve) {
    LocalDynamics ldy = long_problem(1);
    const double cold = evaluate_residual(ldy).scaled;
    SolveReport report = solve(ldy, {.max_iterations = 0});
    // Newton's first sweeps count as no iteration, and may end it.
    const bool solved = report.residual.scaled <= std::max(1e-8, report.residual.floor);
    CHECK(report.status == (solved ? SolveStatus::converged : SolveStatus::max_iterations));
    CHECK(report.iterations == 0);
    CHECK(report.residual.scaled <= cold);
    check_report(ldy, report);
    CHECK(solve(ldy).status == SolveStatus::converged);
    report = solve(ldy, {.max_iterations = 0});
    CHECK(report.status == SolveStatus::converged);
  });
}

TEST_CASE("problems without a solution are never told converged") {
  struct Case {
    std::string problem;
    LocalDynamics ldy;
  };
  const Case cases[] = {
      {"two opposite prescribed velocities", two_normals(normal_row(), 1, 1, -1)},
      {"the same velocity prescribed twice, with different values", two_normals(normal_row(), 1, 1, 2)},
      {"contacts that cannot both be closed", two_normals(ContactLaw{.friction = 0}, -1, -1, -1)},
      {"the same with friction", two_normals(ContactLaw{.friction = 0.5}, -1, -1, -1)},
      {"contacts whose W is indefinite", two_that_pull(-3)},
  };
  for (const Case& c : cases) {
    CAPTURE(c.problem);
    with_each_solver([&](const auto& solve) {
      LocalDynamics ldy = c.ldy;
      const SolveReport report = solve(ldy, {.max_seconds = 20});
      CAPTURE(report.reason);
      CAPTURE(report.iterations);
      CAPTURE(report.residual.scaled);
      CAPTURE(report.residual.floor);
      const bool told = report.status == SolveStatus::stalled || report.status == SolveStatus::diverged ||
                        report.status == SolveStatus::failed;
      CHECK(told);
      CHECK(report.residual.scaled > 0.1);
      CHECK(report.residual.floor < 1e-3);
      CHECK(reactions(ldy).allFinite());
      check_report(ldy, report);
    });
  }
}

TEST_CASE("bilateral rows that contradict each other let R run away: its rounding floor is no convergence") {
  with_each_solver([](const auto& solve) {
    LocalDynamics ldy = two_normals(normal_row(), 1, 1, -1);
    ldy.row(ConstraintId{0}).R[2] = 1e16;
    ldy.row(ConstraintId{1}).R[2] = -1e16;
    REQUIRE(evaluate_residual(ldy).floor > evaluate_residual(ldy).scaled);
    CHECK(solve(ldy).status != SolveStatus::converged);
  });
  for (unsigned seed = 250; seed <= 280; ++seed) {
    CAPTURE(seed);
    // More hard rows than the 6 freedoms, W slightly unsymmetric, and B outside its range, but for a seed or two.
    LocalDynamics problem =
        random_problem({.contacts = 1, .planar = 2, .bilateral = 2, .hinges = 2, .identity = 0, .freedoms = 6}, seed);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (auto& row : problem.rows()) {
      for (auto& block : problem.adjacent(row)) {
        if (random() % 20 == 0) block.W *= 1.05;
      }
    }
    for (ConstraintId id{0}; id < problem.id_bound(); ++id) {
      for (int k = 0; k < block_count(problem.law(id)); ++k) {
        for (int axis = 0; axis < 3; ++axis) {
          if (uses(rows(problem.law(id), k), axis)) problem.row(id, k).B[axis] = normal(random);
        }
      }
    }
    with_each_solver([&](const auto& solve) {
      LocalDynamics ldy = problem;
      const SolveReport report = solve(ldy, {.max_iterations = 3000});
      CAPTURE(report.residual.scaled);
      CAPTURE(report.residual.floor);
      CAPTURE(report.iterations);
      CHECK((report.status == SolveStatus::converged) == (report.residual.scaled <= 1e-8));
      check_report(ldy, report);
    });
  }
}

TEST_CASE("the same bits from run to run and on 1, 2 and 4 threads") {
  with_each_solver([](const auto& solve) {
    Eigen::VectorXd first;
    for (const int threads : {1, 1, 2, 4}) {
      LocalDynamics ldy = random_problem({.contacts = 90, .bilateral = 5, .hinges = 3, .friction = 0.7}, 8);
      CHECK(solve(ldy, {.tolerance = 1e-10, .threads = threads}).status == SolveStatus::converged);
      if (first.size() == 0) first = reactions(ldy);
      CHECK((reactions(ldy) == first));
    }
  });
}

TEST_CASE("renumbered contacts reach the same solution, packed or not") {
  const LocalDynamics problem = random_problem({.contacts = 15, .bilateral = 3, .friction = 0.5}, 4);
  std::vector<ConstraintId> backwards;
  for (ConstraintId id{0}; id < problem.id_bound(); ++id) backwards.insert(backwards.begin(), id);
  with_each_solver([&](const auto& solve) {
    LocalDynamics ldy = problem, turned = problem;
    turned.pack(backwards);
    CHECK(solve(ldy, {.tolerance = 1e-12}).status == SolveStatus::converged);
    CHECK(solve(turned, {.tolerance = 1e-12}).status == SolveStatus::converged);
    for (ConstraintId id{0}; id < problem.id_bound(); ++id) {
      CHECK((ldy.row(id).R - turned.row(id).R).norm() <= 1e-10 * reactions(ldy).norm());
    }
  });
}

TEST_CASE("each measure stops the solver, in units of any size") {
  for (const double force : {1e-9, 1.0, 1e9}) {
    for (const double velocity : {1e-12, 1.0, 1e6}) {
      CAPTURE(force);
      CAPTURE(velocity);
      with_each_solver([&](const auto& solve) {
        LocalDynamics ldy = random_problem({.contacts = 8, .bilateral = 0, .friction = 0.5}, 2);
        for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
          auto& row = ldy.row(id);
          row.W *= velocity / force;
          row.B *= velocity;
          for (auto& block : ldy.adjacent(row)) block.W *= velocity / force;
          ContactLaw law = std::get<ContactLaw>(ldy.law(id));
          law.shift *= velocity;
          ldy.set_law(id, law);
        }
        const SolveReport report = solve(ldy);
        CHECK(report.status == SolveStatus::converged);
        CHECK(report.own_residual == report.residual.scaled);
      });
    }
  }
  with_each_solver([](const auto& solve) {
    for (const Measure measure : {Measure::relative, Measure::absolute}) {
      LocalDynamics ldy = random_problem({.contacts = 8, .friction = 0.5}, 2);
      const SolveReport report = solve(ldy, {.tolerance = 1e-9, .measure = measure});
      CHECK(report.status == SolveStatus::converged);
      CHECK(report.own_residual ==
            (measure == Measure::relative ? report.residual.relative : report.residual.absolute));
      CHECK(report.own_residual <= 1e-9);
    }
  });
}

TEST_CASE("a shift is a load: the same reactions as with B + σ, for every solver") {
  for (const SolverEntry& solver : solvers()) {
    const std::string name(solver.name);
    CAPTURE(name);
    // Planar contacts have a shift along t1 and n.
    LocalDynamics shifted = random_problem({.contacts = 6, .planar = 3, .friction = 0.8}, 4);
    LocalDynamics moved = shifted;
    double largest = 0;
    for (ConstraintId id{0}; id < shifted.id_bound(); ++id) {
      ContactLaw law = std::get<ContactLaw>(shifted.law(id));
      if (law.planar) law.shift = {0.3, 0, -0.2};
      largest = std::max(largest, law.shift.head<2>().norm());
      shifted.set_law(id, law);
      moved.row(id).B += law.shift;
      law.shift.setZero();
      moved.set_law(id, law);
    }
    CHECK(largest > 0.1);
    const SolveReport report = solver.solve(shifted, {.tolerance = 1e-11}, 8);
    CHECK(report.status == SolveStatus::converged);
    CHECK(solver.solve(moved, {.tolerance = 1e-11}, 8).status == SolveStatus::converged);
    const double scale = reactions(moved).norm();
    CHECK(scale > 0);
    CHECK((reactions(shifted) - reactions(moved)).norm() < 1e-8 * scale);  // W has full rank
    if (!solver.pyramid) CHECK(evaluate_residual(shifted).scaled < 1e-10);
    (void)evaluate_residual(moved);  // sets U
    (void)evaluate_residual(shifted);
    for (ConstraintId id{0}; id < shifted.id_bound(); ++id) {
      CHECK((shifted.row(id).U + offset(shifted.law(id), 0) - moved.row(id).U).norm() < 1e-8);
    }
  }
}

TEST_CASE("a limit of work ends every solver while it works, not at the end of what it began") {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    const LocalDynamics problem = long_problem(seed);
    with_each_solver([&](const auto& solve) {
      LocalDynamics ldy = problem;
      const SolveReport whole = solve(ldy, {.tolerance = 1e-14, .max_iterations = 5000});
      ldy = problem;
      StopOptions stop{.tolerance = 1e-14, .max_iterations = 5000};
      stop.max_work = 0.3 * whole.work();
      const SolveReport limited = solve(ldy, stop);
      CAPTURE(whole.work());
      CAPTURE(whole.factorisations);
      CAPTURE(limited.work());
      CAPTURE(limited.factorisations);
      if (whole.factorisations >= 20 || whole.iterations >= 100) CHECK(limited.work() <= 0.45 * whole.work());
      if (limited.status != SolveStatus::converged) CHECK(limited.status == SolveStatus::max_iterations);
      check_report(ldy, limited);
    });
  }
}
