// Sweeps through velocities over contacts with rolling and torsional friction, whose moments go behind their forces.

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/ldy/islands.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/nsgs/sweep.hpp>
#include <locdyn/solver/nsgs/sweep_schedule.hpp>
#include <locdyn/solver/nsgs/velocity_sweep.hpp>
#include <locdyn/solver/step/sweeps_together.hpp>
#include <solver/random_problem.hpp>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

// A built-in scene, of whose contacts all but every third roll, every second of those against torsion, too. Every
// seventh has elliptic friction where `elliptic`.
struct Rolling {
  BuiltinProblem scene;
  LocalDynamics ldy;
  Assembly assembly{*scene.bodies, ldy};

  explicit Rolling(const std::string& name, std::size_t size, bool elliptic = false) : scene(make_builtin(name, size)) {
    for (ConstraintId id{0}; id < scene.ldy->id_bound(); ++id) {
      ContactPoint point = dynamic_cast<const Contact&>(scene.assembly->constraint(id)).point();
      if (id % 3 != 0) point.material.rolling = 0.02 * (1 + id % 4);
      if (id % 3 != 0 && id % 2 == 0) point.material.torsional = 0.01 * (1 + id % 5);
      if (elliptic && id % 3 == 0 && id % 7 == 0) {
        point.material.cross_friction = 0.5 * point.material.friction;
      }
      (void)assembly.emplace<Contact>(point);
    }
    assembly.update(scene.h);
  }
};

double apart(const LocalDynamics& one, const LocalDynamics& other, Eigen::Vector3d DiagonalBlock::*of) {
  double apart = 0, size = 0;
  for (const DiagonalBlock& row : one.rows()) {
    for (int k = 0; k < block_count(one.law(row.constraint)); ++k) {
      const Eigen::Vector3d& x = one.row(row.constraint, k).*of;
      apart = std::max(apart, (other.row(row.constraint, k).*of - x).norm());
      size = std::max(size, x.norm());
    }
  }
  return apart / size;
}

}  // namespace

TEST_CASE("rolling sweeps: alone and by four, with momentum and relaxed, all come to the solution of sweeps over W") {
  for (const std::size_t size : {std::size_t{24}, std::size_t{60}}) {
    CAPTURE(size);
    Rolling solved("spheres", size);
    GaussSeidelSweep by_blocks(solved.ldy);
    for (int k = 0; k < 4000; ++k) by_blocks.run(SweepDirection::forward, 1);
    REQUIRE(evaluate_residual(solved.ldy).scaled < 1e-11);
    for (const Index group : {Index{1}, Index{4}}) {
      for (const double relaxation : {1.0, 1.2}) {
        for (const double share : {0.0, 0.5}) {
          if (relaxation > 1 && share > 0) continue;
          CAPTURE(group);
          CAPTURE(relaxation);
          CAPTURE(share);
          Rolling swept("spheres", size);
          VelocitySweep sweep(swept.ldy, grouped_schedule(swept.ldy, {.group = group}));
          for (int k = 0; k < 4000; ++k) {
            if (share > 0) sweep.carry_on(share);
            sweep.run(k % 3 == 2 ? SweepDirection::backward : SweepDirection::forward, relaxation);
          }
          sweep.write_reactions();
          sweep.write_velocities();
          const auto found = evaluate_residual(swept.ldy);
          CHECK(found.scaled < 1e-11);
          CHECK(apart(solved.ldy, swept.ldy, &DiagonalBlock::U) < 1e-9);
        }
      }
    }
  }
}

TEST_CASE("rolling sweeps: moments move bodies as W says, and what the graph holds is read and written back") {
  Rolling problem("spheres", 300, true);
  LocalDynamics& ldy = problem.ldy;
  const SweepSchedule schedule = grouped_schedule(ldy);
  VelocitySweep sweep(ldy, schedule);
  for (int k = 0; k < 20; ++k) sweep.run(SweepDirection::forward, 1);
  sweep.write_reactions();
  double moments = 0;
  for (const DiagonalBlock& row : ldy.rows()) {
    if (block_count(ldy.law(row.constraint)) == 2) moments = std::max(moments, ldy.row(row.constraint, 1).R.norm());
  }
  CHECK(moments > 0);
  sweep.write_velocities();
  LocalDynamics judged = ldy;
  (void)evaluate_residual(judged);  // U = B + W R
  CHECK(apart(judged, ldy, &DiagonalBlock::U) < 1e-12);

  const std::vector<ConstraintId> changed = {schedule.sequence[3], schedule.sequence[5], schedule.sequence[40]};
  for (const ConstraintId id : changed) {
    for (int k = 0; k < block_count(ldy.law(id)); ++k) ldy.row(id, k).R *= 1.25;
  }
  sweep.read_reactions_of(changed);
  const Eigen::VectorXd R = reactions(ldy);
  sweep.write_velocities();
  sweep.write_reactions();
  CHECK(reactions(ldy) == R);
  judged = ldy;
  (void)evaluate_residual(judged);
  CHECK(apart(judged, ldy, &DiagonalBlock::U) < 1e-12);
}

TEST_CASE("rolling sweeps: a part that is swept while the rest is held sees the moments of the rest") {
  Rolling problem("spheres", 60);
  LocalDynamics& ldy = problem.ldy;
  VelocitySweep all(ldy, grouped_schedule(ldy));
  for (int k = 0; k < 4000; ++k) all.run(SweepDirection::forward, 1);
  CHECK(all.run(SweepDirection::forward, 1) < 1e-9);
  all.write_reactions();
  all.write_velocities();
  const Eigen::VectorXd R = reactions(ldy);
  std::vector<ConstraintId> half;
  for (const ConstraintId id : ldy.sequence()) {
    if (half.size() < 30) half.push_back(id);
  }
  VelocitySweep part(ldy, grouped_schedule_of(ldy, half));
  part.hold_the_rest();
  CHECK(part.run(SweepDirection::forward, 1) < 1e-9);  // it is where it belongs
  part.write_reactions();
  CHECK((reactions(ldy) - R).norm() < 1e-9 * R.norm());
}

TEST_CASE("rolling sweeps: islands together and batches on threads give the same bits on any number of them") {
  Eigen::VectorXd by_islands, by_batches;
  for (const int threads : {1, 2, 3}) {
    CAPTURE(threads);
    Rolling islands("spheres", 600, true), batches("spheres", 600, true);
    REQUIRE(sweeps_together(islands.ldy));
    const Islands found = find_islands(islands.ldy);
    std::vector<SweptIsland> swept(found.count, {.tolerance = 1e-6, .small = 1e-9, .most = 200, .momentum = true});
    for (Index i = 0; i < found.count; ++i) swept[i].members = found.island(i);
    CHECK(sweep_together(islands.ldy, swept, threads) > 0);
    LocalDynamics judged = islands.ldy;
    (void)evaluate_residual(judged);
    CHECK(apart(judged, islands.ldy, &DiagonalBlock::U) < 1e-11);
    VelocitySweep sweep(batches.ldy, coloured_schedule(batches.ldy, {.batch = 16, .least = 2}));
    for (int k = 0; k < 10; ++k) sweep.run_active(1, threads);
    sweep.write_reactions();
    if (threads == 1) {
      by_islands = reactions(islands.ldy);
      by_batches = reactions(batches.ldy);
    }
    CHECK(reactions(islands.ldy) == by_islands);
    CHECK(reactions(batches.ldy) == by_batches);
  }
}
