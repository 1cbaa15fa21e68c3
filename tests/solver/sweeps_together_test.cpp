// Islands of one graph swept together, beside each by itself.

#include <doctest/doctest.h>

#include <cmath>
#include <span>
#include <vector>

#include <ldy/assembly/random_scene.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/solve_islands.hpp>
#include <locdyn/solver/step/sweeps_together.hpp>
#include <solver/random_problem.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

// Many bodies, few constraints: islands of one to a dozen.
struct Isles {
  RandomScene scene;
  LocalDynamics ldy;
  Assembly assembly{scene.bodies, ldy};
  Islands islands;

  explicit Isles(unsigned seed) : scene(seed, 60) {
    for (int i = 0; i < 45; ++i) assembly.insert(scene.make_constraint().constraint);
    assembly.update(RandomScene::h);
    islands = find_islands(ldy);
  }
  // All but the first.
  [[nodiscard]] std::vector<SweptIsland> others(const SweptIsland& like) const {
    std::vector<SweptIsland> swept(islands.count - 1, like);
    for (Index i = 1; i < islands.count; ++i) swept[i - 1].members = islands.island(i);
    return swept;
  }
};

}  // namespace

TEST_CASE("sweeps together: each island ends by itself, and what is left out stays") {
  long ended = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    Isles isles(seed);
    REQUIRE(sweeps_together(isles.ldy));
    REQUIRE(isles.islands.count > 4);
    std::vector<SweptIsland> swept = isles.others({.small = 1e-11, .most = 3000, .to_the_end = true});
    CHECK(sweep_together(isles.ldy, swept, 1) > 0);
    std::vector<std::span<const ConstraintId>> parts;
    for (const SweptIsland& island : swept) parts.push_back(island.members);
    const std::vector<Residual> as_left = residuals_of_velocities(isles.ldy, parts);
    const std::vector<Residual> judged = evaluate_residuals(isles.ldy, isles.islands);
    for (std::size_t i = 0; i < swept.size(); ++i) {
      CHECK(swept[i].sweeps >= 1);
      CHECK(swept[i].sweeps <= 3000);
      CHECK(std::abs(as_left[i].scaled - judged[i + 1].scaled) <= 1e-10);
      if (swept[i].sweeps == 3000) continue;
      ++ended;
      CHECK(judged[i + 1].scaled * judged[i + 1].absolute <= 1e-9 * judged[i + 1].relative);
    }
    for (const ConstraintId id : isles.islands.island(0)) CHECK(isles.ldy.row(id).R.isZero(0));
  }
  CHECK(ended > 30);
}

TEST_CASE("sweeps together: with momentum islands come to the same velocities in fewer sweeps") {
  constexpr double kSmall = 1e-9;
  long plain = 0, carried = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    Isles isles(seed), others(seed);
    std::vector<SweptIsland> swept = isles.others({.small = kSmall, .most = 3000, .to_the_end = true});
    std::vector<SweptIsland> fast =
        others.others({.small = kSmall, .most = 3000, .momentum = true, .to_the_end = true});
    (void)sweep_together(isles.ldy, swept, 1);
    (void)sweep_together(others.ldy, fast, 1);
    for (std::size_t i = 0; i < swept.size(); ++i) {
      if (swept[i].given_up || fast[i].given_up) continue;
      plain += swept[i].sweeps;
      carried += fast[i].sweeps;
      for (const ConstraintId id : swept[i].members) {
        for (int k = 0; k < block_count(isles.ldy.law(id)); ++k) {
          CHECK((isles.ldy.row(id, k).U - others.ldy.row(id, k).U).norm() <= 1e-6);
        }
      }
    }
  }
  MESSAGE(plain, " sweeps, ", carried, " with momentum");
  CHECK(carried < plain);
}

TEST_CASE("sweeps together: an island that promises nothing ends early, unless it is swept to the end") {
  Isles isles(2), again(2);
  std::vector<SweptIsland> early = isles.others({.small = 1e-200, .most = 200});
  std::vector<SweptIsland> late = again.others({.small = 1e-200, .most = 200, .to_the_end = true});
  (void)sweep_together(isles.ldy, early, 1);
  (void)sweep_together(again.ldy, late, 1);
  long fewer = 0;
  for (std::size_t i = 0; i < early.size(); ++i) {
    CHECK(early[i].sweeps <= late[i].sweeps);
    fewer += early[i].sweeps < late[i].sweeps;
  }
  CHECK(fewer > 0);
}

TEST_CASE("sweeps together: the same bits on any number of threads") {
  std::vector<Eigen::VectorXd> R;
  for (const int threads : {1, 2, 3}) {
    Isles isles(3);
    double accepted_residual = 0;
    const IslandsReport report = solve_islands(isles.ldy, isles.islands, find_solver("auto"),
                                               {.tolerance = 1e-8, .threads = threads}, accepted_residual);
    CHECK(report.status == SolveStatus::converged);
    CHECK(report.residual <= 1e-8);
    R.push_back(reactions(isles.ldy));
  }
  CHECK(R[0] == R[1]);
  CHECK(R[0] == R[2]);
}
