// Few rows solved as they are while all others stay linear.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <ldy/assembly/random_scene.hpp>
#include <locdyn/solver/newton/bent_rows.hpp>
#include <locdyn/solver/newton/velocity_system.hpp>
#include <solver/linearised.hpp>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

constexpr double kWeight = 1e-2;

// Bodies and constraints of all kinds.
struct RandomGraph {
  RandomScene scene;
  LocalDynamics ldy;
  Assembly assembly{scene.bodies, ldy};

  RandomGraph(unsigned seed, int constraints) : scene(seed, 10) {
    for (int i = 0; i < constraints; ++i) assembly.insert(scene.make_constraint().constraint);
    assembly.update(RandomScene::h);
  }
};

// A row that has an equation of its own alone, as those that may be asked for.
bool stands_alone(const Linearised& problem, std::size_t place) {
  return !problem.newton[place].follows() && problem.newton[place].bounded == 0 &&
         (place + 1 >= problem.newton.size() || !problem.newton[place + 1].follows());
}

// A step of all rows from the random state of `problem`, found by `system`. False where its matrix is singular.
bool find_step(const LocalDynamics& ldy, const Linearised& problem, VelocitySystem& system, NewtonStep& step) {
  step.R = problem.R;
  step.U = problem.U;
  step.by_R = problem.step;
  if (!system.solve(problem.rows, step.by_R)) return false;
  for (const DiagonalBlock& row : ldy.rows()) {
    const std::size_t place = &row - ldy.diagonal_arena().data();
    step.by_U[place] = system.velocity_change()[place] + problem.rows[place].weight * step.by_R[place];
    clear_unused(problem.newton[place].rows, step.by_U[place]);
  }
  return true;
}

// ‖F‖² of each row after the step, and of the sum of E dU + C dR + F, which is 0 where a row stays linear.
struct After {
  std::vector<double> squares;
  std::vector<double> linear;
};
After after(const LocalDynamics& ldy, const Linearised& problem, const NewtonStep& step) {
  After all{std::vector<double>(problem.rows.size()), std::vector<double>(problem.rows.size())};
  for (const DiagonalBlock& row : ldy.rows()) {
    const std::size_t place = &row - ldy.diagonal_arena().data();
    if (!stands_alone(problem, place)) continue;
    DiagonalBlock at = row;
    at.R = step.R[place] + step.by_R[place];
    at.U = step.U[place] + step.by_U[place];
    bool pressed = false;
    all.squares[place] =
        row_map(problem.newton[place], FrictionMap::alart_curnier, 1, at, pressed, nullptr).squaredNorm();
    const LinearisedRow& linear = problem.rows[place];
    Eigen::Vector3d left = (step.R[place] + step.by_R[place]) * row.W.trace();
    if (linear.pressed) left = linear.F + linear.d.E * step.by_U[place] + linear.d.C * step.by_R[place];
    all.linear[place] = left.squaredNorm();
  }
  return all;
}

}  // namespace

TEST_CASE("few rows are solved as they are, all others stay linear, and the step can be taken back") {
  int solved = 0, refused = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    const RandomGraph graph(seed, 20);
    const LocalDynamics& ldy = graph.ldy;
    const Linearised problem(ldy, kWeight, seed);
    VelocitySystem system(ldy);
    REQUIRE(system.responses() != nullptr);
    NewtonStep first(problem.rows.size());
    if (!find_step(ldy, problem, system, first)) continue;
    const After before = after(ldy, problem, first);

    // Those that the step leaves most of: two to six, whatever share of all they have.
    std::vector<std::size_t> order;
    for (std::size_t place = 0; place < problem.rows.size(); ++place) {
      if (before.squares[place] > 0) order.push_back(place);
    }
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return before.squares[a] > before.squares[b]; });
    order.resize(std::min<std::size_t>(order.size(), 2 + seed % 5));
    std::vector<double> squares(problem.rows.size());
    double left_before = 0;
    for (const std::size_t place : order) {
      squares[place] = 1;
      left_before += before.squares[place];
    }
    double size = 0;
    for (const Eigen::Vector3d& by_U : first.by_U) size += by_U.squaredNorm();
    if (left_before < 1e-12 * size) continue;  // no row bends
    BentRows bent(ldy, problem.newton, problem.rows);
    bent.clear();
    REQUIRE(bent.choose(squares));
    CHECK_FALSE(bent.choose(squares));  // no new ones

    NewtonStep step = first;
    if (!bent.solve(*system.responses(), FrictionMap::alart_curnier, 1, step)) {
      ++refused;
      CHECK(step.by_R == first.by_R);
      CHECK(step.by_U == first.by_U);
      continue;
    }
    ++solved;
    const After now = after(ldy, problem, step);
    double left = 0, bend = 0;
    for (const std::size_t place : order) left += now.squares[place];
    CHECK(std::sqrt(left) <= 0.5001 * std::sqrt(left_before));
    for (std::size_t place = 0; place < problem.rows.size(); ++place) {
      if (std::find(order.begin(), order.end(), place) == order.end()) bend += now.linear[place];
    }
    CHECK(std::sqrt(bend) <= 1e-9 * std::sqrt(size));
    // U goes with R: by W and the weights.
    const std::vector<Eigen::Vector3d> moved = times_W(ldy, step.by_R);
    double off = 0, all = 0;
    for (const DiagonalBlock& row : ldy.rows()) {
      const std::size_t place = &row - ldy.diagonal_arena().data();
      Eigen::Vector3d by_U = moved[place] + problem.rows[place].weight * step.by_R[place];
      clear_unused(problem.newton[place].rows, by_U);
      off += (by_U - step.by_U[place]).squaredNorm();
      all += by_U.squaredNorm();
    }
    CHECK(std::sqrt(off) <= 1e-10 * std::sqrt(all));

    bent.take_back(step);
    CHECK(step.by_R == first.by_R);
    CHECK(step.by_U == first.by_U);
  }
  CHECK(solved >= 20);
  CHECK(solved > 3 * refused);
}

TEST_CASE("rows are chosen where few have most of what a step leaves, no more than fit") {
  const BuiltinProblem problem = make_builtin("wall", 60);
  const Linearised linear(*problem.ldy, kWeight, 1);
  const std::size_t count = linear.rows.size();
  REQUIRE(count >= 60);
  BentRows bent(*problem.ldy, linear.newton, linear.rows);
  bent.clear();
  CHECK_FALSE(bent.choose(std::vector<double>(count, 0.0)));
  CHECK_FALSE(bent.choose(std::vector<double>(count, 1.0)));  // spread
  std::vector<double> squares(count, 1e-6);
  squares[3] = 0.5;
  squares[11] = 0.4;
  CHECK(bent.choose(squares));
  CHECK_FALSE(bent.choose(squares));
  for (std::size_t place = 20; place < 28; ++place) squares[place] = 10 + static_cast<double>(place);
  CHECK_FALSE(bent.choose(squares));  // four of eight that are alike
  for (std::size_t place = 24; place < 28; ++place) squares[place] = 0;
  CHECK_FALSE(bent.choose(squares));  // those are there, and there is no room
}

TEST_CASE("rows answer to reactions on few of them as a solve of all says") {
  int answered = 0;
  for (unsigned seed = 1; seed <= 24; ++seed) {
    CAPTURE(seed);
    const RandomGraph graph(seed, 24);
    const LocalDynamics& ldy = graph.ldy;
    const Linearised problem(ldy, kWeight, seed);
    VelocitySystem system(ldy);
    std::vector<Eigen::Vector3d> step = problem.step;
    if (!system.solve(problem.rows, step)) continue;
    std::vector<Index> few;
    for (const DiagonalBlock& row : ldy.rows()) {
      const auto place = static_cast<Index>(&row - ldy.diagonal_arena().data());
      if (stands_alone(problem, place) && few.size() < kMostFewRows && (place + seed) % 3 != 0) few.push_back(place);
    }
    REQUIRE(few.size() >= 3);
    FewRowsMatrix Z, again;
    if (!system.find_responses({few.data(), 2}, Z)) continue;
    ++answered;
    REQUIRE(system.find_responses(few, Z));  // the first two are there
    VelocitySystem fresh(ldy);
    std::vector<Eigen::Vector3d> other = problem.step;
    REQUIRE(fresh.solve(problem.rows, other));
    REQUIRE(fresh.find_responses(few, again));
    CHECK(Z == again);

    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    FewRowsVector q(static_cast<Eigen::Index>(3 * few.size()));
    for (double& value : q) value = normal(random);
    std::vector<Eigen::Vector3d> more(problem.rows.size()), moved(problem.rows.size());
    system.respond(problem.rows, q, more, moved);
    const std::vector<Eigen::Vector3d> product = times_W(ldy, more);
    const FewRowsVector of_few = Z * q;
    double size = 0, defect = 0, apart = 0, off = 0, sum = 0;
    for (const DiagonalBlock& row : ldy.rows()) {
      const auto place = static_cast<Index>(&row - ldy.diagonal_arena().data());
      const LinearisedRow& linear = problem.rows[place];
      apart += (moved[place] - product[place]).squaredNorm();
      size += product[place].squaredNorm();
      const auto at = std::find(few.begin(), few.end(), place) - few.begin();
      if (at < static_cast<std::ptrdiff_t>(few.size())) {
        const Eigen::Vector3d own = q.segment<3>(3 * at) - system.yield(linear, place) * moved[place];
        off += (of_few.segment<3>(3 * at) - moved[place]).squaredNorm() +
               (own - more[place]).squaredNorm() * std::pow(row.W.trace(), 2);
        continue;
      }
      if (!linear.pressed) {
        CHECK(more[place].isZero(0));
        continue;
      }
      const Eigen::Vector3d by_U = moved[place] + linear.weight * more[place];
      Eigen::Vector3d left = linear.d.E * by_U + linear.d.C * more[place];
      if (linear.follows) {
        left += linear.d.E_n * (moved[place - 1][2] + problem.rows[place - 1].weight * more[place - 1][2]) +
                linear.d.C_n * more[place - 1][2] + linear.d.C_before * more[place - 1];
      }
      defect += left.squaredNorm();
      sum += by_U.squaredNorm();
    }
    CHECK(std::sqrt(apart) <= 1e-10 * std::sqrt(size));
    CHECK(std::sqrt(off) <= 1e-10 * std::sqrt(size));
    CHECK(std::sqrt(defect) <= 1e-9 * std::sqrt(size + sum));
  }
  CHECK(answered >= 8);
}
