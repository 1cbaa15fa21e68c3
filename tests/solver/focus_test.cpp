// Sweeps where the residual is.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/nsgs/focus.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/nsgs/sweep_schedule.hpp>
#include <locdyn/solver/residual_core.hpp>
#include <solver/random_problem.hpp>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

// Solved by sweeps, then with this factor on the reaction that is largest.
ConstraintId solve_and_spoil(LocalDynamics& ldy, double factor,
                             const NsgsOptions& options = {.stop = {.tolerance = 1e-9}}) {
  REQUIRE(solve_nsgs(ldy, options).status == SolveStatus::converged);
  ConstraintId at{0};
  for (const DiagonalBlock& row : ldy.rows()) {
    if (row.R.norm() > ldy.row(at).R.norm()) at = row.constraint;
  }
  ldy.row(at).R *= factor;
  (void)evaluate_residual(ldy);
  return at;
}

std::set<std::uint32_t> bodies_of(const LocalDynamics& ldy, ConstraintId id) {
  std::set<std::uint32_t> bodies;
  const auto place = static_cast<Index>(&ldy.row(id) - ldy.diagonal_arena().data());
  for (const Coupling& c : ldy.factor()->couplings(place)) bodies.insert(c.body);
  return bodies;
}

double residual2_of(const LocalDynamics& ldy, const std::vector<ConstraintId>& ids) {
  double sum = 0;
  for (const ConstraintId id : ids) sum += scaled_residual2(ldy, id);
  return sum;
}

}  // namespace

TEST_CASE("residual core: the fewest constraints that hold a share of it") {
  const BuiltinProblem problem = make_builtin("spheres", 300);
  LocalDynamics& ldy = *problem.ldy;
  clear(ldy);
  (void)evaluate_residual(ldy);
  std::vector<double> held;
  for (const DiagonalBlock& row : ldy.rows()) held.push_back(scaled_residual2(ldy, row.constraint));
  std::sort(held.rbegin(), held.rend());
  double all = 0;
  for (const double h : held) all += h;
  for (const double cover : {0.3, 0.9, 1.0}) {
    CAPTURE(cover);
    const std::vector<ConstraintId> core = residual_core(ldy, cover);
    REQUIRE(!core.empty());
    double sum = 0;
    for (std::size_t i = 0; i < core.size(); ++i) {
      CHECK(scaled_residual2(ldy, core[i]) == held[i]);
      sum += held[i];
    }
    CHECK(sum >= cover * all * (1 - 1e-12));
    if (cover < 1) CHECK(sum - held[core.size() - 1] < cover * all);
    CHECK(residual_core(ldy, cover, 3) == core);
  }
}

TEST_CASE("focus: where the residual is, with what bears on the same bodies, and nobody else") {
  const BuiltinProblem problem = make_builtin("spheres", 300);
  LocalDynamics& ldy = *problem.ldy;
  const ConstraintId at = solve_and_spoil(ldy, 2);
  const std::vector<ConstraintId> core = residual_core(ldy, 0.99);
  const std::vector<ConstraintId> focus = find_focus(ldy);
  REQUIRE(focus.size() > core.size());
  CHECK(focus.size() < ldy.constraint_count() / 2);
  CHECK(std::ranges::find(focus, at) != focus.end());
  CHECK(find_focus(ldy, 3) == focus);

  std::set<std::uint32_t> bodies;
  for (const ConstraintId id : core) bodies.merge(bodies_of(ldy, id));
  const std::set<ConstraintId> in(focus.begin(), focus.end()), in_core(core.begin(), core.end());
  CHECK(in.size() == focus.size());
  std::size_t open = 0;
  for (const DiagonalBlock& row : ldy.rows()) {
    const bool near =
        std::ranges::any_of(bodies_of(ldy, row.constraint), [&](auto body) { return bodies.contains(body); });
    const bool bears = !row.R.isZero(0);
    open += near && !bears ? 1 : 0;
    CHECK(in.contains(row.constraint) == (in_core.contains(row.constraint) || (near && bears)));
  }
  CHECK(open > 0);
}

TEST_CASE("focus: none where the residual is spread out, or the graph is small") {
  const BuiltinProblem large = make_builtin("wall", 300), small = make_builtin("spheres", 60);
  for (DiagonalBlock& row : large.ldy->rows()) row.R = {0, 0, 1.0 + row.constraint % 5};
  (void)evaluate_residual(*large.ldy);
  REQUIRE(residual_core(*large.ldy, 0.99).size() > large.ldy->constraint_count() / 4);
  CHECK(find_focus(*large.ldy).empty());
  solve_and_spoil(*small.ldy, 2);
  REQUIRE(!residual_core(*small.ldy, 0.99).empty());
  CHECK(find_focus(*small.ldy).empty());
}

TEST_CASE("focus: its sweeps solve what is in it with all else held") {
  for (const std::string scene : {"spheres", "machine"}) {
    CAPTURE(scene);
    const BuiltinProblem problem = make_builtin(scene, 300);
    LocalDynamics& ldy = *problem.ldy;
    solve_and_spoil(ldy, 1.5);
    std::vector<ConstraintId> some;  // joints, contacts alone and by four
    for (const DiagonalBlock& row : ldy.rows()) {
      if (&row == &ldy.row(row.constraint) && row.constraint % 2 == 0) some.push_back(row.constraint);
    }
    const double residual2 = residual2_of(ldy, some);
    const LocalDynamics before = ldy;
    for (int turn = 0; turn < 20; ++turn) {  // each ends after so many sweeps
      VelocitySweep sweep(ldy, grouped_schedule_of(ldy, some));
      sweep_focus(sweep, 0, 1e9);
      (void)evaluate_residual(ldy);
    }
    CHECK(residual2 > 0);
    CHECK(std::sqrt(residual2_of(ldy, some)) < 1e-6 * std::sqrt(residual2));
    const std::set<ConstraintId> in(some.begin(), some.end());
    for (const DiagonalBlock& row : before.rows()) {
      if (!in.contains(row.constraint)) CHECK(ldy.row(row.constraint).R == before.row(row.constraint).R);
    }
  }
}

TEST_CASE("focus: a turn ends with the change that is enough, or the visits that there are") {
  const BuiltinProblem problem = make_builtin("spheres", 300);
  LocalDynamics& ldy = *problem.ldy;
  solve_and_spoil(ldy, 2);
  const std::vector<ConstraintId> focus = find_focus(ldy);
  const auto count = static_cast<double>(focus.size());
  const auto visits = [&](double enough, double most) {
    const BuiltinProblem own = make_builtin("spheres", 300);
    for (const DiagonalBlock& row : ldy.rows()) own.ldy->row(row.constraint).R = row.R;
    (void)evaluate_residual(*own.ldy);
    VelocitySweep sweep(*own.ldy, grouped_schedule_of(*own.ldy, focus));
    sweep_focus(sweep, enough, most);
    return sweep.visits();
  };
  const double freely = visits(0, 1e9), coarsely = visits(1e-2, 1e9), bounded = visits(0, 10 * count);
  CHECK(coarsely < freely);
  CHECK(bounded == 10 * count);
}

TEST_CASE(
    "nsgs: a residual in one place costs a fraction of whole sweeps, with the same bits on any number of threads") {
  std::vector<Eigen::Vector3d> first;
  double products = 0;
  for (const int threads : {1, 2, 3}) {
    CAPTURE(threads);
    const BuiltinProblem problem = make_builtin("spheres", 2000);
    LocalDynamics& ldy = *problem.ldy;
    NsgsOptions options{.stop = {.tolerance = 1e-5, .threads = threads}};
    options.form = SweepForm::velocities;
    options.dissected_from = 200;
    solve_and_spoil(ldy, 3, options);
    const SolveReport report = solve_nsgs(ldy, options);
    REQUIRE(report.status == SolveStatus::converged);
    std::vector<Eigen::Vector3d> R;
    for (const DiagonalBlock& row : ldy.rows()) R.push_back(row.R);
    if (threads == 1) {
      first = R;
      products = report.block_products;
    }
    CHECK(report.iterations < 60);  // 42; 100 where no focus is found
    CHECK(R == first);
    CHECK(report.block_products == products);
  }
}

TEST_CASE("nsgs: where what is left is nowhere in particular a focus is tried seldom") {
  const auto sweeps = [](SweepForm form) {
    const BuiltinProblem problem = make_builtin("stack", 400);
    const SolveReport report = solve_nsgs(*problem.ldy, {.stop = {.tolerance = 1e-4}, .form = form});
    REQUIRE(report.status == SolveStatus::converged);
    return static_cast<double>(report.iterations);
  };
  CHECK(sweeps(SweepForm::velocities) < 1.05 * sweeps(SweepForm::blocks));  // which know none
}
