// Islands solved apart: as each by itself, by its own loads, on any number of threads.

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/solver/solve_islands.hpp>
#include <solver/random_problem.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

// Adds a copy of `part`, with loads `scale` times as large; returns its ids.
std::vector<ConstraintId> add_copy(const LocalDynamics& part, double scale, LocalDynamics& whole) {
  std::vector<ConstraintId> ids(part.id_bound());
  for (ConstraintId id{0}; id < part.id_bound(); ++id) {
    Law law = part.law(id);
    if (auto* contact = std::get_if<ContactLaw>(&law)) {
      contact->shift *= scale;
    } else {
      for (auto& block : std::get<BilateralLaw>(law).block) block.shift *= scale;
    }
    ids[id] = whole.insert(law);
    for (ConstraintId other{0}; other < id; ++other) whole.couple(ids[id], ids[other]);
  }
  for (ConstraintId id{0}; id < part.id_bound(); ++id) {
    for (int k = 0; k < block_count(part.law(id)); ++k) {
      DiagonalBlock& row = whole.row(ids[id], k);
      row.W = part.row(id, k).W;
      row.B = scale * part.row(id, k).B;
      row.R = scale * part.row(id, k).R;
      for (const OffDiagonalBlock& block : part.adjacent(part.row(id, k))) {
        const ConstraintId other = part.diagonal_arena()[block.other].constraint;
        const auto l = static_cast<int>(&part.diagonal_arena()[block.other] - &part.row(other));
        whole.find(ids[id], k, ids[other], l)->W = block.W;
      }
    }
  }
  return ids;
}

// Problems that share nothing, some with small loads, and each by itself.
struct Archipelago {
  LocalDynamics whole;
  std::vector<LocalDynamics> alone;
  std::vector<std::vector<ConstraintId>> ids;

  explicit Archipelago(unsigned seed) {
    const double scales[] = {1, 1e-6, 1, 1e6, 1};
    const Scene scenes[] = {{.contacts = 12},
                            {.contacts = 8, .planar = 3},
                            {.contacts = 1},
                            {.contacts = 6, .bilateral = 3, .hinges = 1},
                            {.contacts = 5, .freedoms = 12}};
    for (std::size_t i = 0; i < std::size(scenes); ++i) {
      const LocalDynamics part = random_problem(scenes[i], seed + static_cast<unsigned>(i));
      alone.emplace_back();
      add_copy(part, scales[i], alone.back());
      alone.back().pack(SweepOrder::by_id);
      ids.push_back(add_copy(part, scales[i], whole));
    }
    whole.pack(SweepOrder::by_id);
  }
};

StopOptions stop_at(double tolerance) {
  StopOptions stop;
  stop.tolerance = tolerance;
  return stop;
}

// As the first step of a run.
IslandsReport solve(LocalDynamics& ldy, const SolverEntry& solver, const StopOptions& stop) {
  double accepted_residual = std::numeric_limits<double>::infinity();
  return solve_islands(ldy, find_islands(ldy), solver, stop, accepted_residual);
}

// Loads that R = (0, 0, 1) of every row in use holds without motion; R on entry to a solve is off by that share.
void bring_to_rest(LocalDynamics& ldy, double share) {
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    Law law = ldy.law(id);
    if (auto* contact = std::get_if<ContactLaw>(&law)) contact->shift.setZero();
    if (auto* bilateral = std::get_if<BilateralLaw>(&law)) {
      for (auto& block : bilateral->block) {
        block.shift.setZero();
        block.compliance.setZero();
      }
    }
    ldy.set_law(id, law);
  }
  for (DiagonalBlock& row : ldy.rows()) {
    row.B.setZero();
    const RowMask used = rows(ldy.law(row.constraint), ldy.block_of(row));
    row.R = {0, 0, uses(used, 2) ? 1.0 : 0.0};
  }
  (void)evaluate_residual(ldy);
  for (DiagonalBlock& row : ldy.rows()) row.B = -row.U;
  for (DiagonalBlock& row : ldy.rows()) row.R *= row.constraint % 2 == 0 ? 1 + share : 1 - share;
}

// Contacts pressed together by walls that close in: U₁ = −1 + R₁ − R₂, U₂ = −1 − R₁ + R₂, both ≥ 0.
std::vector<ConstraintId> add_vice(LocalDynamics& ldy) {
  const std::vector<ConstraintId> ids{ldy.insert(ContactLaw{}), ldy.insert(ContactLaw{})};
  ldy.couple(ids[0], ids[1]);
  for (ConstraintId id : ids) {
    ldy.row(id).W.setIdentity();
    ldy.row(id).B = {0, 0, -1};
  }
  for (int k = 0; k < 2; ++k) ldy.find(ids[k], 0, ids[1 - k], 0)->W.diagonal() << 0, 0, -1;
  return ids;
}

}  // namespace

TEST_CASE("islands solved together are each solved as alone, bit for bit, by its own loads") {
  for (const std::string name : {"auto", "nsgs", "newton"}) {
    CAPTURE(name);
    const SolverEntry& solver = find_solver(name);
    for (unsigned seed = 1; seed <= 8; ++seed) {
      CAPTURE(seed);
      Archipelago sea(seed);
      const Islands islands = find_islands(sea.whole);
      REQUIRE(islands.count == sea.alone.size());
      const IslandsReport report = solve(sea.whole, solver, stop_at(1e-10));
      CHECK(report.status == SolveStatus::converged);
      CHECK(report.unconverged == 0);
      std::size_t open = 0;  // R = 0 may solve the single contact
      for (LocalDynamics& alone : sea.alone) open += evaluate_residual(alone).scaled > 1e-10;
      CHECK(open >= 4);
      CHECK(report.solved == open);
      long iterations = 0, factorisations = 0;
      double largest = 0;
      double products = static_cast<double>(sea.whole.row_count() + sea.whole.off_diagonal_count());  // who is open?
      for (std::size_t i = 0; i < sea.alone.size(); ++i) {
        CAPTURE(i);
        const bool solved = evaluate_residual(sea.alone[i]).scaled > 1e-10;
        const SolveReport own = solver.solve(sea.alone[i], stop_at(1e-10), 8);
        iterations += own.iterations;
        if (solved) products += own.block_products;
        factorisations += own.factorisations;
        largest = std::max(largest, own.residual.scaled);
        for (ConstraintId id{0}; id < sea.ids[i].size(); ++id) {
          for (int k = 0; k < block_count(sea.alone[i].law(id)); ++k) {
            CHECK(sea.whole.row(sea.ids[i][id], k).R == sea.alone[i].row(id, k).R);
            CHECK(sea.whole.row(sea.ids[i][id], k).U == sea.alone[i].row(id, k).U);
          }
        }
      }
      CHECK(report.iterations == iterations);
      CHECK(report.block_products == products);
      CHECK(report.factorisations == factorisations);
      CHECK(report.residual == largest);
      CHECK(largest <= 1e-10);
    }
  }
}

TEST_CASE("the bits do not depend on the number of threads") {
  const SolverEntry& solver = find_solver("auto");
  Archipelago one(3);
  const IslandsReport expected = solve(one.whole, solver, stop_at(1e-10));
  for (int threads = 2; threads <= 4; ++threads) {
    CAPTURE(threads);
    Archipelago many(3);
    StopOptions stop = stop_at(1e-10);
    stop.threads = threads;
    const IslandsReport report = solve(many.whole, solver, stop);
    CHECK(report.residual == expected.residual);
    CHECK(report.worst == expected.worst);
    CHECK(report.iterations == expected.iterations);
    CHECK(reactions(many.whole) == reactions(one.whole));
    CHECK(velocities(many.whole) == velocities(one.whole));
  }
}

TEST_CASE("islands at rest near their solution are brought further by a few sweeps, then left as they are") {
  const SolverEntry& solver = find_solver("nsgs");
  const StopOptions stop = stop_at(1e-6);
  Archipelago sea(5);
  bring_to_rest(sea.whole, 1e-5);
  const Islands islands = find_islands(sea.whole);
  double accepted_residual = std::numeric_limits<double>::infinity();
  const auto solve_again = [&] { return solve_islands(sea.whole, islands, solver, stop, accepted_residual); };
  IslandsReport report;
  for (const Residual& island : evaluate_residuals(sea.whole, islands)) {
    CHECK(island.scaled > 1e-6);
    CHECK(island.scaled < 1e-4);
  }
  for (int i = 0; i < 20 && (i == 0 || report.solved > 0); ++i) {
    report = solve_again();
    CHECK(report.status == SolveStatus::converged);
    CHECK(report.residual <= 1e-6);
    if (i > 0) CHECK(report.iterations <= 20 * static_cast<long>(report.solved));
  }
  CHECK(report.solved == 0);
  CHECK(report.iterations == 0);
  CHECK(report.residual > 0);
  CHECK(report.residual <= 1e-6);
  CHECK(report.worst != kNone);
  const Eigen::VectorXd before = reactions(sea.whole);
  (void)solve_again();
  CHECK(reactions(sea.whole) == before);

  // One of them starts anew: the others stay.
  for (ConstraintId id : sea.ids[1]) sea.whole.row(id).R.setZero();
  const IslandsReport again = solve_again();
  CHECK(again.solved == 1);
  CHECK(again.iterations > 0);
  const Eigen::VectorXd after = reactions(sea.whole);
  Eigen::Index at = 0;
  for (const DiagonalBlock& row : sea.whole.rows()) {
    if (islands.label[row.constraint] != 1) CHECK(after.segment<3>(at) == before.segment<3>(at));
    at += 3;
  }
}

TEST_CASE("islands that move are solved to the tolerance and left alone at once") {
  const StopOptions stop = stop_at(1e-6);
  Archipelago sea(5);
  const Islands islands = find_islands(sea.whole);
  double accepted_residual = std::numeric_limits<double>::infinity();
  IslandsReport report = solve_islands(sea.whole, islands, find_solver("nsgs"), stop, accepted_residual);
  CHECK(report.solved > 0);
  CHECK(report.residual <= 1e-6);
  CHECK(accepted_residual == 1e-6);
  report = solve_islands(sea.whole, islands, find_solver("nsgs"), stop, accepted_residual);
  CHECK(report.solved == 0);
}

TEST_CASE("what a warm start holds in the null space of W fades where the loads change, and nowhere else") {
  // One unit mass between two faces, U₁ = u and U₂ = −u upside down: a pressure on both moves nothing.
  LocalDynamics ldy;
  const std::vector<ConstraintId> ids{ldy.insert(ContactLaw{}), ldy.insert(ContactLaw{})};
  ldy.couple(ids[0], ids[1]);
  for (int k = 0; k < 2; ++k) {
    ldy.row(ids[k]).W.setIdentity();
    ldy.find(ids[k], 0, ids[1 - k], 0)->W.diagonal() << 1, -1, -1;
    ldy.row(ids[k]).R = {0, 0, 100};
  }
  const auto load = [&](double weight) {
    ldy.row(ids[0]).B = {0, 0, -weight};
    ldy.row(ids[1]).B = {0, 0, weight};
  };
  const StopOptions stop = stop_at(1e-8);
  load(0.1);
  ldy.row(ids[0]).R[2] += 0.1;
  CHECK(solve(ldy, find_solver("auto"), stop).solved == 0);
  CHECK(ldy.row(ids[1]).R[2] == 100);
  for (int step = 1; step <= 100; ++step) {
    load(step % 2 == 0 ? 0.1 : 0.2);
    const IslandsReport report = solve(ldy, find_solver("auto"), stop);
    REQUIRE(report.status == SolveStatus::converged);
    REQUIRE(report.residual <= 1e-8);
  }
  CHECK(ldy.row(ids[1]).R[2] < 1e-3);
  CHECK(ldy.row(ids[0]).R[2] - ldy.row(ids[1]).R[2] == doctest::Approx(0.1).epsilon(1e-6));
}

TEST_CASE("a budget of sweeps takes nothing from its warm start") {
  LocalDynamics ldy;
  const std::vector<ConstraintId> ids = add_vice(ldy);
  for (const ConstraintId id : ids) ldy.row(id).R = {0, 0, 100};
  double accepted_residual = std::numeric_limits<double>::infinity();
  (void)solve_islands(ldy, find_islands(ldy), find_solver("auto"), stop_at(1e-8), accepted_residual, {.sweeps = 1});
  CHECK(ldy.row(ids[0]).R[2] == 100);  // no R is better: the best is the one it began with
}

TEST_CASE("an island that cannot be brought further down is left alone at ten times what it has") {
  const SolverEntry& solver = find_solver("nsgs");
  LocalDynamics ldy = random_problem({.contacts = 9}, 4);
  bring_to_rest(ldy, 1e-5);
  const Islands islands = find_islands(ldy);
  const double reached = evaluate_residual(ldy).scaled;
  REQUIRE(reached > 1e-9);
  const Eigen::VectorXd before = reactions(ldy);
  double accepted_residual = 0;
  StopOptions stop = stop_at(2 * reached);
  stop.max_iterations = 0;
  IslandsReport report = solve_islands(ldy, islands, solver, stop, accepted_residual);
  CHECK(report.status == SolveStatus::converged);
  CHECK(report.solved == 1);
  CHECK(accepted_residual == doctest::Approx(stop.tolerance));  // never more
  accepted_residual = 0;
  stop.tolerance = 200 * reached;
  report = solve_islands(ldy, islands, solver, stop, accepted_residual);
  CHECK(report.solved == 1);
  CHECK(accepted_residual == doctest::Approx(10 * reached));
  report = solve_islands(ldy, islands, solver, stop, accepted_residual);
  CHECK(report.solved == 0);
  CHECK(reactions(ldy) == before);
}

TEST_CASE("a budget of sweeps ends each island, a velocity is a share of its own load") {
  const SolverEntry& solver = find_solver("newton");
  const StopOptions stop = stop_at(1e-10);
  double accepted_residual = std::numeric_limits<double>::infinity();
  {
    Archipelago sea(7);
    const IslandsReport report =
        solve_islands(sea.whole, find_islands(sea.whole), solver, stop, accepted_residual, {.sweeps = 2});
    CHECK(report.cut_short == report.unconverged);
    CHECK(report.cut_short > 0);
    CHECK(report.status == SolveStatus::max_iterations);
    CHECK(report.iterations <= 2 * 5);
    CHECK(report.factorisations == 0);
    CHECK(report.residual > 1e-10);
  }
  {
    Archipelago sea(7);
    const Islands islands = find_islands(sea.whole);
    const IslandsReport report = solve_islands(sea.whole, islands, solver, stop, accepted_residual, {.velocity = 1e-4});
    CHECK(report.status == SolveStatus::converged);
    for (const Residual& island : evaluate_residuals(sea.whole, islands)) {
      const double norm = island.absolute / island.relative;
      CHECK((island.scaled <= 1e-10 || island.scaled * norm <= 1e-4));
    }
  }
  Archipelago sea(7);
  const Islands islands = find_islands(sea.whole);
  const auto with = [&](StepLimits limits) {
    (void)solve_islands(sea.whole, islands, solver, stop, accepted_residual, limits);
  };
  CHECK_THROWS_AS(with({.velocity = -1}), std::invalid_argument);
  CHECK_THROWS_AS(with({.velocity = std::numeric_limits<double>::quiet_NaN()}), std::invalid_argument);
  CHECK_THROWS_AS(with({.sweeps = -1}), std::invalid_argument);
}

TEST_CASE("an island without a solution is reported, the others are solved") {
  for (const int threads : {1, 2}) {
    CAPTURE(threads);
    Archipelago sea(7);
    const std::vector<ConstraintId> vice = add_vice(sea.whole);
    sea.whole.pack(SweepOrder::by_id);
    const Islands islands = find_islands(sea.whole);
    StopOptions stop = stop_at(1e-10);
    stop.max_iterations = 2000;
    stop.threads = threads;
    const IslandsReport report = solve(sea.whole, find_solver("nsgs"), stop);
    CHECK(report.status != SolveStatus::converged);
    CHECK(!report.reason.empty());
    CHECK(report.unconverged == 1);
    CHECK(report.solved >= 5);
    CHECK(report.residual > 0.1);
    CHECK((report.worst == vice[0] || report.worst == vice[1]));
    const std::vector<Residual> residuals = evaluate_residuals(sea.whole, islands);
    for (Index i = 0; i + 1 < islands.count; ++i) CHECK(residuals[i].scaled <= 1e-10);
  }
}

TEST_CASE("a row whose law has no solution is named by its id in the graph") {
  Archipelago sea(2);
  BilateralLaw law;
  law.block[0].rows = kRowNormal;
  const ConstraintId stuck = sea.whole.insert(law);
  sea.whole.row(stuck).B = {0, 0, 1};  // and W = 0
  sea.whole.pack(SweepOrder::by_id);
  std::string message;
  try {
    (void)solve(sea.whole, find_solver("auto"), stop_at(1e-8));
  } catch (const std::invalid_argument& fault) {
    message = fault.what();
  }
  CAPTURE(message);
  CHECK(message.find("constraint " + std::to_string(stuck)) != std::string::npos);
}

TEST_CASE("no islands, one island, no time limit, bad options") {
  const SolverEntry& solver = find_solver("auto");
  LocalDynamics empty;
  const IslandsReport nothing = solve(empty, solver, {});
  CHECK(nothing.status == SolveStatus::converged);
  CHECK(nothing.solved == 0);
  CHECK(nothing.worst == kNone);

  LocalDynamics one = random_problem({.contacts = 9}, 4), same = one;
  StopOptions stop = stop_at(1e-10);
  stop.max_seconds = std::numeric_limits<double>::min();  // not used: a result must not depend on the clock
  const IslandsReport report = solve(one, solver, stop);
  CHECK(report.status == SolveStatus::converged);
  (void)solver.solve(same, stop_at(1e-10), 8);
  CHECK(reactions(one) == reactions(same));

  stop.tolerance = 0;
  CHECK_THROWS_AS((void)solve(one, solver, stop), std::invalid_argument);
  stop = {};
  stop.threads = 0;
  CHECK_THROWS_AS((void)solve(one, solver, stop), std::invalid_argument);
}
