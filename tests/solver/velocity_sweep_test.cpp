// Sweeps through the velocities of the bodies, and sweeps in colours, beside plain sweeps over W.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <ldy/assembly/random_scene.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/nsgs/carried_rows.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/nsgs/sweep.hpp>
#include <locdyn/solver/nsgs/sweep_schedule.hpp>
#include <locdyn/solver/nsgs/velocity_sweep.hpp>
#include <solver/random_problem.hpp>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

// Both, side by side from R = 0, carried on by a share before each sweep: the largest difference over the largest R.
double difference(LocalDynamics& ldy, int sweeps, double relaxation, Index group = 1, double share = 0) {
  clear(ldy);
  LocalDynamics explicit_ldy = ldy;
  const SweepSchedule schedule = grouped_schedule(ldy, {.group = group});
  explicit_ldy.pack(schedule.sequence);
  GaussSeidelSweep by_blocks(explicit_ldy);
  VelocitySweep by_velocities(ldy, schedule);
  CarriedRows carried;
  double worst = 0;
  for (int k = 0; k < sweeps; ++k) {
    if (share > 0) {
      carried.carry_on(explicit_ldy, share);
      by_velocities.carry_on(share);
    }
    const auto direction = k % 3 == 2 ? SweepDirection::backward : SweepDirection::forward;
    const double change = by_blocks.run(direction, relaxation);
    CHECK(by_velocities.run(direction, relaxation) == doctest::Approx(change).epsilon(1e-9));
    by_velocities.write_reactions();
    double apart_R = 0, size = 0;
    for (const DiagonalBlock& row : explicit_ldy.rows()) {
      for (int block = 0; block < block_count(ldy.law(row.constraint)); ++block) {
        const Eigen::Vector3d R = explicit_ldy.row(row.constraint, block).R;
        apart_R = std::max(apart_R, (ldy.row(row.constraint, block).R - R).lpNorm<Eigen::Infinity>());
        size = std::max(size, R.lpNorm<Eigen::Infinity>());
      }
    }
    worst = std::max(worst, apart_R / size);
  }
  CHECK(by_velocities.visits() == by_blocks.visits());
  return worst;
}

}  // namespace

TEST_CASE("velocity sweep: the iterates of the sweep over W on builtin scenes") {
  for (const std::string scene : {"stack", "wall", "tower", "arch", "spheres", "chain", "machine", "heavy"}) {
    for (const double relaxation : {1.0, 1.3}) {
      CAPTURE(scene);
      CAPTURE(relaxation);
      const BuiltinProblem problem = make_builtin(scene, 300);
      CHECK(difference(*problem.ldy, 30, relaxation) <= 1e-12);
      CHECK(difference(*problem.ldy, 30, relaxation, 4) <= 1e-12);  // four at once
      CHECK(difference(*problem.ldy, 30, relaxation, 4, 0.7) <= 1e-12);
    }
  }
}

TEST_CASE(
    "velocity sweep: what serves a coarse tolerance turns sliding contacts less exactly, by no more than it says") {
  CHECK(VelocitySweep::exactness_for(1e-3) == doctest::Approx(1e-7));
  CHECK(VelocitySweep::exactness_for(1e-12) == VelocitySweep::kExact);
  const BuiltinProblem one = make_builtin("spheres", 300), other = make_builtin("spheres", 300);
  clear(*one.ldy);
  clear(*other.ldy);
  const SweepSchedule schedule = grouped_schedule(*one.ldy);
  VelocitySweep exact(*one.ldy, schedule), coarse(*other.ldy, schedule, 1, VelocitySweep::exactness_for(1e-3));
  for (int k = 0; k < 30; ++k) {
    const double change = exact.run(SweepDirection::forward, 1);
    CHECK(coarse.run(SweepDirection::forward, 1) == doctest::Approx(change).epsilon(1e-4));
  }
  exact.write_reactions();
  coarse.write_reactions();
  double apart = 0, size = 0;
  for (const DiagonalBlock& row : one.ldy->rows()) {
    apart = std::max(apart, (other.ldy->row(row.constraint).R - row.R).norm());
    size = std::max(size, row.R.norm());
  }
  CHECK(apart > 0);
  CHECK(apart < 1e-6 * size);
}

TEST_CASE("velocity sweep: contacts without friction go by four with others") {
  const BuiltinProblem problem = make_builtin("spheres", 300);
  LocalDynamics& ldy = *problem.ldy;
  for (ConstraintId id{0}; id < ldy.id_bound(); id = static_cast<ConstraintId>(id + 1)) {
    if (id % 3 != 0) continue;
    ContactLaw law = std::get<ContactLaw>(ldy.law(id));
    law.friction = 0;
    ldy.set_law(id, law);
  }
  CHECK(difference(ldy, 30, 1.0, 4) <= 1e-12);
  CHECK(difference(ldy, 30, 1.3, 4, 0.7) <= 1e-12);
}

TEST_CASE("velocity sweep: contacts that give way go by four and alone, with others and among themselves") {
  for (const int every : {1, 2}) {
    for (const std::string scene : {"wall", "spheres"}) {
      CAPTURE(every);
      CAPTURE(scene);
      const BuiltinProblem problem = make_builtin(scene, 300);
      LocalDynamics& ldy = *problem.ldy;
      for (ConstraintId id{0}; id < ldy.id_bound(); id = static_cast<ConstraintId>(id + 1)) {
        if (id % every != 0) continue;
        const double W = ldy.row(id).W.trace() / 3;
        ldy.set_law(id, CompliantLaw{.friction = std::get<ContactLaw>(ldy.law(id)).friction,
                                     .shift = {0, 0, -1e-3},
                                     .give = {0, 0.02 * W, 0.3 * W}});
      }
      CHECK(difference(ldy, 30, 1.0) <= 1e-12);
      CHECK(difference(ldy, 30, 1.0, 4) <= 1e-12);
      CHECK(difference(ldy, 30, 1.3, 4, 0.7) <= 1e-12);
    }
  }
}

TEST_CASE("velocity sweep: the iterates with bodies and constraints of all kinds") {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    RandomScene scene(seed, 12);
    LocalDynamics ldy;
    Assembly assembly(scene.bodies, ldy);
    for (int i = 0; i < 40; ++i) assembly.insert(scene.make_constraint().constraint);
    assembly.update(RandomScene::h);
    CHECK(difference(ldy, 6, 1.0) <= 1e-12);
    CHECK(difference(ldy, 6, 1.0, 1, 0.7) <= 1e-12);
  }
}

TEST_CASE("velocity sweep: reads what the graph holds") {
  const BuiltinProblem problem = make_builtin("wall", 300);
  LocalDynamics& ldy = *problem.ldy;
  VelocitySweep sweep(ldy, serial_schedule(ldy));
  for (int k = 0; k < 10; ++k) sweep.run(SweepDirection::forward, 1);
  sweep.write_reactions();
  const Eigen::VectorXd R = reactions(ldy);
  // A new sweep, and the same one after R was changed and put back, go on alike.
  VelocitySweep other(ldy, serial_schedule(ldy));
  clear(ldy);
  sweep.read_reactions();
  for (auto& row : ldy.rows()) row.R = R.segment<3>(3 * (&row - ldy.diagonal_arena().data()));
  sweep.read_reactions();
  other.run(SweepDirection::forward, 1);
  other.write_reactions();
  const Eigen::VectorXd next = reactions(ldy);
  CHECK((next - R).norm() > 1e-6 * R.norm());
  sweep.run(SweepDirection::forward, 1);
  sweep.write_reactions();
  CHECK(reactions(ldy) == next);
}

TEST_CASE("velocity sweep: reads what somebody has changed of it, and visits whom that concerns") {
  for (const std::string scene : {"wall", "spheres", "chain", "machine"}) {
    CAPTURE(scene);
    const BuiltinProblem problem = make_builtin(scene, 300);
    LocalDynamics& ldy = *problem.ldy;
    const SweepSchedule schedule = grouped_schedule(ldy);
    VelocitySweep sweep(ldy, schedule);
    for (int k = 0; k < 10; ++k) sweep.run(SweepDirection::forward, 1);
    sweep.write_reactions();
    const std::vector<ConstraintId> changed = {schedule.sequence[3], schedule.sequence[5], schedule.sequence[17]};
    for (const ConstraintId id : changed) {
      for (int k = 0; k < block_count(ldy.law(id)); ++k) ldy.row(id, k).R *= 1.25;
    }
    VelocitySweep afresh(ldy, schedule);
    sweep.read_reactions_of(changed);
    afresh.write_velocities();
    std::vector<Eigen::Vector3d> U;
    for (const DiagonalBlock& row : ldy.rows()) U.push_back(row.U);
    sweep.write_velocities();
    double apart = 0, size = 0;
    std::size_t at = 0;
    for (const DiagonalBlock& row : ldy.rows()) {
      apart = std::max(apart, (row.U - U[at++]).lpNorm<Eigen::Infinity>());
      size = std::max(size, row.U.lpNorm<Eigen::Infinity>());
    }
    CHECK(apart <= 1e-11 * size);
    // R is taken, too: nothing is put back.
    const Eigen::VectorXd R = reactions(ldy);
    sweep.write_reactions();
    CHECK(reactions(ldy) == R);
  }
}

TEST_CASE("velocity sweep: an island of a larger graph") {
  const BuiltinProblem problem = make_builtin("wall", 60);
  std::vector<ConstraintId> half;
  for (const DiagonalBlock& row : problem.ldy->rows()) {
    if (row.constraint % 2 == 0) half.push_back(row.constraint);
  }
  std::reverse(half.begin(), half.end());
  const std::vector<std::span<const ConstraintId>> parts{half};
  std::vector<LocalDynamics> graphs = problem.ldy->extract(parts);
  CHECK(difference(graphs[0], 20, 1.0) <= 1e-12);
}

TEST_CASE("velocity sweep: sweeps over those who have heard of changes come to the limit of whole sweeps") {
  for (const std::string scene : {"stack", "spheres"}) {
    CAPTURE(scene);
    const BuiltinProblem problem = make_builtin(scene, scene == "stack" ? 4 : 24);
    LocalDynamics& ldy = *problem.ldy;
    VelocitySweep sweep(ldy, serial_schedule(ldy));
    double visited = 0;
    for (int k = 0; k < 3000; ++k) {
      sweep.run_active(1.0);
      CHECK(sweep.visits() - visited >= static_cast<double>(ldy.constraint_count()));
      visited = sweep.visits();
    }
    sweep.write_reactions();
    CHECK(evaluate_residual(ldy).scaled < 1e-11);
  }
}

TEST_CASE("velocity sweep: refuses a graph without its factor") {
  LocalDynamics ldy = random_problem({.contacts = 3}, 1);
  CHECK_THROWS_WITH_AS(VelocitySweep(ldy, serial_schedule(ldy)), doctest::Contains("knows its factor"),
                       std::invalid_argument);
}

TEST_CASE("sweep schedule: batches of one colour are not coupled, and nobody is left out") {
  for (const std::string scene : {"wall", "tower", "spheres", "machine", "heavy"}) {
    for (const Index batch : {Index{1}, Index{7}, Index{32}}) {
      CAPTURE(scene);
      CAPTURE(batch);
      const BuiltinProblem problem = make_builtin(scene, 700);
      const LocalDynamics& ldy = *problem.ldy;
      const SweepSchedule schedule = coloured_schedule(ldy, {.batch = batch, .least = 2, .most_colours = 24});
      std::vector<ConstraintId> all = schedule.sequence;
      std::sort(all.begin(), all.end());
      CHECK(all.size() == ldy.constraint_count());
      CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
      CHECK(schedule.first.back() == all.size());
      CHECK(schedule.colour.back() == schedule.batch_count());
      CHECK(schedule.parallel == schedule.colour_count() - 1);
      if (batch < 32) CHECK(schedule.parallel > 0);
      std::vector<Index> batch_of(ldy.id_bound(), kNone);
      for (Index b = 0; b < schedule.batch_count(); ++b) {
        for (Index i = schedule.first[b]; i < schedule.first[b + 1]; ++i) batch_of[schedule.sequence[i]] = b;
      }
      for (Index colour = 0; colour < schedule.parallel; ++colour) {
        CHECK(schedule.colour[colour + 1] - schedule.colour[colour] >= 2);
        bool apart = true;
        for (Index b = schedule.colour[colour]; b < schedule.colour[colour + 1]; ++b) {
          for (Index i = schedule.first[b]; i < schedule.first[b + 1]; ++i) {
            for (const OffDiagonalBlock& block : ldy.adjacent(ldy.row(schedule.sequence[i]))) {
              const Index other = batch_of[ldy.diagonal_arena()[block.other].constraint];
              apart = apart && (other == b || other < schedule.colour[colour] || other >= schedule.colour[colour + 1]);
            }
          }
        }
        CHECK(apart);
      }
    }
  }
}

TEST_CASE("sweep schedule: groups are of contacts that do the same, as far as that goes, and nobody is left out") {
  const BuiltinProblem problem = make_builtin("spheres", 700);
  LocalDynamics& ldy = *problem.ldy;
  const auto mixed_groups = [&](const SweepSchedule& schedule) {
    int mixed = 0;
    for (std::size_t i = 0; i + 4 <= schedule.sequence.size(); i += 4) {
      std::set<int> states;
      for (std::size_t k = i; k < i + 4; ++k) {
        const Eigen::Vector3d& R = ldy.row(schedule.sequence[k]).R;
        const double limit = friction_discs(ldy.law(schedule.sequence[k])).sliding[0] * R[2];
        states.insert(R[2] <= 0 ? 0 : R.head<2>().norm() >= limit * (1 - 1e-10) ? 1 : 2);
      }
      mixed += states.size() > 1;
    }
    return mixed;
  };
  clear(ldy);
  const SweepSchedule cold = grouped_schedule(ldy);
  REQUIRE(solve_nsgs(ldy, {.stop = {.tolerance = 1e-4}}).status == SolveStatus::converged);
  const SweepSchedule warm = grouped_schedule(ldy);
  std::vector<ConstraintId> all = warm.sequence;
  std::sort(all.begin(), all.end());
  CHECK(all.size() == ldy.constraint_count());
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
  CHECK(mixed_groups(cold) > 100);
  CHECK(mixed_groups(warm) < mixed_groups(cold) / 2);
}

TEST_CASE("sweep schedule: options out of range are refused, naming the field") {
  LocalDynamics ldy = random_problem({.contacts = 3}, 1);
  CHECK_THROWS_WITH_AS((void)coloured_schedule(ldy, {.group = 0}), doctest::Contains("group"), std::invalid_argument);
  CHECK_THROWS_WITH_AS((void)grouped_schedule(ldy, {.batch = 0}), doctest::Contains("batch"), std::invalid_argument);
  CHECK_THROWS_WITH_AS((void)coloured_schedule(ldy, {.least = 0}), doctest::Contains("least"), std::invalid_argument);
  CHECK_THROWS_WITH_AS((void)coloured_schedule(ldy, {.most_colours = 65}), doctest::Contains("most_colours"),
                       std::invalid_argument);
}

TEST_CASE("velocity sweep: the same bits on any number of threads") {
  for (const std::string scene : {"wall", "tower", "spheres", "machine"}) {
    CAPTURE(scene);
    const BuiltinProblem problem = make_builtin(scene, 1200);
    LocalDynamics& ldy = *problem.ldy;
    const SweepSchedule schedule = coloured_schedule(ldy, {.batch = 16, .least = 2});
    Eigen::VectorXd first;
    double first_change = 0;
    for (const int threads : {1, 2, 3, 4, 8}) {
      CAPTURE(threads);
      clear(ldy);
      VelocitySweep sweep(ldy, schedule);
      for (int k = 0; k < 3; ++k) {
        sweep.run(SweepDirection::forward, 1, threads);
        sweep.run(SweepDirection::backward, 1, threads);
      }
      double change = 0;
      for (int k = 0; k < 5; ++k) change = sweep.run_active(1, threads);
      sweep.write_reactions();
      if (threads == 1) {
        first = reactions(ldy);
        first_change = change;
      }
      CHECK(reactions(ldy) == first);
      CHECK(change == first_change);
    }
  }
}
