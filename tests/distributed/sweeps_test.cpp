// Sweeps over ranks: the bits of one rank, and of one machine; the judge that of one machine; split sweeps.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <locdyn/distributed/distributed_sweeps.hpp>
#include <locdyn/distributed/lattice.hpp>
#include <locdyn/distributed/virtual_ranks.hpp>
#include <locdyn/ldy/residual.hpp>
#include "builtin_part.hpp"
#include "distributed/ranks.hpp"

using namespace locdyn;
using namespace locdyn::distributed;
using Reactions = std::map<GlobalId, std::vector<double>>;

namespace {

Reactions reactions_of(const LocalDynamics& ldy) {
  Reactions all;
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    for (int k = 0; k < block_count(ldy.law(id)); ++k) {
      const Eigen::Vector3d& R = ldy.row(id, k).R;
      all[id.value()].insert(all[id.value()].end(), R.data(), R.data() + 3);
    }
  }
  return all;
}

void put_reactions(const Reactions& all, LocalDynamics& ldy) {
  for (const auto& [id, R] : all) {
    for (std::size_t k = 0; k < R.size() / 3; ++k) {
      ldy.row(ConstraintId{id}, static_cast<int>(k)).R = Eigen::Map<const Eigen::Vector3d>(R.data() + 3 * k);
    }
  }
}

// U of all constraints from the ranks, on rank 0.
double largest_difference_of_U(const DistributedGraph& graph, const LocalDynamics& whole) {
  Writer own;
  const LocalDynamics& ldy = graph.ldy();
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    own.put(graph.constraints()[id]);
    own.put(ldy.row(id).U);
  }
  double largest = 0;
  for (const Bytes& bytes : gather(graph.comm(), own.bytes())) {
    for (Reader reader(bytes); !reader.done();) {
      const auto id = reader.get<GlobalId>();
      const auto U = reader.get<Eigen::Vector3d>();
      largest = std::max(largest, (U - whole.row(ConstraintId{id}).U).cwiseAbs().maxCoeff());
    }
  }
  return largest;
}

// The schedule of one rank for the whole graph on one machine.
detail::SweepSchedule schedule_of(const DistributedGraph& graph) {
  detail::SweepSchedule schedule = graph.schedule();
  for (ConstraintId& id : schedule.sequence) id = ConstraintId{graph.constraints()[id]};
  return schedule;
}

struct Found {
  Reactions R;
  double scaled = 0, absolute = 0, floor = 0;
  long sweeps = 0;
  GlobalId worst = 0;
};

}  // namespace

TEST_CASE("exact sweeps: the same bits on any number of ranks and on one machine, for every built-in problem") {
  for (const BuiltinScene& scene : builtin_scenes()) {
    CAPTURE(std::string(scene.name));
    BuiltinProblem problem = make_builtin(scene.name, scene.default_size);
    LocalDynamics& whole = *problem.ldy;
    Reactions one;
    for_each_rank_count([&](MPI_Comm comm) {
      DistributedGraph graph(comm, builtin_part(problem, comm), {.length = 16});
      DistributedSweeps sweeps(graph);
      for (int k = 0; k < 15; ++k) sweeps.sweep(1.0);
      const Residual residual = sweeps.judge();
      const Reactions all = gather_reactions(graph);
      if (rank_of(comm) != 0) {
        (void)gather(comm, {});  // of `largest_difference_of_U`
        return;
      }
      if (size_of(comm) == 1) {
        one = all;
        // One machine on that schedule.
        detail::VelocitySweep machine(whole, schedule_of(graph));
        for (int k = 0; k < 15; ++k) (void)machine.run(detail::SweepDirection::forward, 1.0);
        machine.write_reactions();
        CHECK(reactions_of(whole) == all);
      }
      CHECK(all == one);
      // The judge of one machine, by the blocks of W or through velocities of its own order.
      put_reactions(all, whole);
      const Residual judged = evaluate_residual(whole);
      CHECK(std::abs(residual.scaled - judged.scaled) <= 1e-12 + 4 * judged.floor);
      CHECK(std::abs(residual.absolute - judged.absolute) <= 1e-12 * std::max(1.0, judged.absolute));
      CHECK(residual.cone == judged.cone);
      CHECK(largest_difference_of_U(graph, whole) <= 1e-12);
      for (DiagonalBlock& row : whole.diagonal_arena()) row.R.setZero();  // what the next ranks start from
    });
  }
}

TEST_CASE("exact sweeps: a solve ends with the same bits, residual and number of sweeps on any number of ranks") {
  for (const auto& [name, size, tolerance] :
       {std::tuple{"spheres", 300, 1e-3}, {"wall", 400, 1e-3}, {"machine", 100, 1e-3}}) {
    const std::string scene = name;
    CAPTURE(scene);
    const BuiltinProblem problem = make_builtin(scene, static_cast<std::size_t>(size));
    Found one;
    for_each_rank_count([&, &tolerance = tolerance](MPI_Comm comm) {
      DistributedGraph graph(comm, builtin_part(problem, comm), {.length = 32});
      const DistributedReport report = solve_distributed(graph, {.tolerance = tolerance, .max_sweeps = 60});
      if (scene == "spheres") CHECK(report.status == SolveStatus::converged);
      const Reactions all = gather_reactions(graph);
      if (rank_of(comm) != 0) return;
      if (size_of(comm) == 1) {
        one = {all,         report.residual.scaled, report.residual.absolute, report.residual.floor, report.sweeps,
               report.worst};
      }
      CHECK(all == one.R);
      CHECK(report.residual.scaled == one.scaled);
      CHECK(report.residual.absolute == one.absolute);
      CHECK(report.residual.floor == one.floor);
      CHECK(report.sweeps == one.sweeps);
      CHECK(report.worst == one.worst);
    });
  }
}

TEST_CASE("exact sweeps: empty ranks, and fewer bodies than ranks") {
  // One cube on the ground, four contacts, one batch: ranks beyond the first have nothing.
  const BuiltinProblem cube = make_builtin("stack", 4);
  for_each_rank_count([&](MPI_Comm comm) {
    DistributedGraph graph(comm, builtin_part(cube, comm));
    CHECK(graph.ldy().constraint_count() == (rank_of(comm) == 0 ? 4 : 0));
    const DistributedReport report = solve_distributed(graph);
    CHECK(report.status == SolveStatus::converged);
    CHECK(report.residual.scaled <= 1e-8);
  });
  // Nothing at all.
  for_each_rank_count([](MPI_Comm comm) {
    DistributedGraph graph(comm, ProblemPart{});
    CHECK(solve_distributed(graph).status == SolveStatus::converged);
  });
}

TEST_CASE("split sweeps: on one rank those of one rank, on more a solution that the judge accepts") {
  for (const auto& [name, size] : {std::pair{"spheres", 400}, {"wall", 200}}) {
    const std::string scene = name;
    CAPTURE(scene);
    BuiltinProblem problem = make_builtin(scene, static_cast<std::size_t>(size));
    for_each_rank_count([&](MPI_Comm comm) {
      DistributedGraph graph(comm, builtin_part(problem, comm), {.length = 16});
      const DistributedReport report =
          solve_distributed(graph, {.tolerance = 1e-2, .max_sweeps = 60, .mode = SweepMode::split});
      CAPTURE(report.residual.scaled);
      CAPTURE(report.sweeps);
      if (scene == "spheres") CHECK(report.status == SolveStatus::converged);
      const Reactions all = gather_reactions(graph);
      if (rank_of(comm) != 0) return;
      put_reactions(all, *problem.ldy);
      const Residual judged = evaluate_residual(*problem.ldy);
      CHECK(std::abs(report.residual.scaled - judged.scaled) <= 1e-12 + 4 * judged.floor);
    });
  }
  // One rank shares nothing: its split sweep is an exact one with that relaxation.
  if (rank_of(MPI_COMM_WORLD) != 0) return;
  const BuiltinProblem problem = make_builtin("wall", 400);
  DistributedGraph graph(MPI_COMM_SELF, builtin_part(problem, MPI_COMM_SELF)),
      other(MPI_COMM_SELF, builtin_part(problem, MPI_COMM_SELF));
  DistributedSweeps exact(graph), split(other);
  CHECK(split.shared_constraints() == 0);
  for (int k = 0; k < 5; ++k) {
    exact.sweep(0.75);
    split.split_sweep(0.75);
  }
  (void)exact.judge();
  (void)split.judge();
  CHECK(gather_reactions(graph) == gather_reactions(other));
}

TEST_CASE("count_halo: counts on one rank what several send") {
  for (const std::string scene : {"wall", "spheres"}) {
    CAPTURE(scene);
    const BuiltinProblem problem = make_builtin(scene, 2000);
    DistributedGraph all(MPI_COMM_SELF, builtin_part(problem, MPI_COMM_SELF));
    for_each_rank_count([&](MPI_Comm comm) {
      DistributedGraph graph(comm, builtin_part(problem, comm));
      const DistributedSweeps sweeps(graph);
      std::uint64_t lines = sweeps.halo().received_lines();
      MPI_Allreduce(MPI_IN_PLACE, &lines, 1, MPI_UINT64_T, MPI_SUM, comm);
      const HaloCount count = count_halo(all, size_of(comm));
      CHECK(count.total_bytes == 64 * static_cast<double>(lines));
      CHECK(count.shared == sweeps.shared_constraints());
      CHECK((size_of(comm) > 1 || lines == 0));
    });
    CHECK_THROWS_AS((void)count_halo(all, 0), std::invalid_argument);
  }
}

TEST_CASE("lattice: the bits of one rank, whatever the shares, and W is h H A⁻¹ Hᵀ") {
  Reactions one;
  for_each_rank_count([&](MPI_Comm comm) {
    DistributedGraph graph(comm, lattice_part(5, rank_of(comm), size_of(comm)), {.length = 16});
    CHECK(graph.constraint_count() == 375);
    const DistributedReport report = solve_distributed(graph, {.tolerance = 1e-12, .max_sweeps = 10});
    const Reactions all = gather_reactions(graph);
    if (size_of(comm) == 1) {
      one = all;
      CHECK(report.residual.scaled < 0.5);
      // A lone sphere in the corner: W of an effective mass of 2/7 m along the tangents, m along the normal.
      const ProblemPart corner = lattice_part(1, 0, 1);
      const double m = corner.bodies[0].A(5, 5);
      const Eigen::Vector3d expected(1e-3 * 3.5 / m, 1e-3 * 3.5 / m, 1e-3 / m);
      for (const PartConstraint& contact : corner.constraints) {
        CHECK((contact.blocks[0].W - Eigen::Matrix3d(expected.asDiagonal())).norm() <= 1e-12 * expected.norm());
        CHECK(contact.blocks[0].B[2] < 0);
      }
    }
    if (rank_of(comm) == 0) CHECK(all == one);
  });
  CHECK_THROWS_AS((void)lattice_part(0, 0, 1), std::invalid_argument);
}

TEST_CASE("solve_distributed: options out of range") {
  const BuiltinProblem problem = make_builtin("stack", 4);
  DistributedGraph graph(MPI_COMM_SELF, builtin_part(problem, MPI_COMM_SELF));
  CHECK_THROWS_AS((void)solve_distributed(graph, {.tolerance = 0}), std::invalid_argument);
  CHECK_THROWS_AS((void)solve_distributed(graph, {.max_sweeps = -1}), std::invalid_argument);
  CHECK_THROWS_AS((void)solve_distributed(graph, {.relaxation = 2}), std::invalid_argument);
  CHECK_THROWS_AS((void)solve_distributed(graph, {.split_relaxation = 1.5}), std::invalid_argument);
  CHECK_THROWS_AS((void)solve_distributed(graph, {.stall_window = 0}), std::invalid_argument);
  CHECK(solve_distributed(graph, {.max_sweeps = 0}).status == SolveStatus::max_iterations);
}
