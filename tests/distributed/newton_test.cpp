// Newton's method over ranks against one machine.

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <tuple>

#include <locdyn/distributed/lattice.hpp>
#include <locdyn/distributed/second_order/distributed_newton.hpp>
#include <locdyn/solver/newton/newton.hpp>
#include "builtin_part.hpp"
#include "distributed/ranks.hpp"

using namespace locdyn;
using namespace locdyn::distributed;

TEST_CASE("distributed newton: the velocities of one machine to 1e-8, by each linear method, on any number of ranks") {
  // Contacts alone, joints beside contacts, chains of joints.
  for (const auto& [name, size] : {std::tuple{"wall", 60}, {"machine", 60}, {"chain", 20}, {"spheres", 60}}) {
    const std::string scene = name;
    CAPTURE(scene);
    const BuiltinProblem problem = make_builtin(scene, static_cast<std::size_t>(size));
    LocalDynamics whole = *problem.ldy;
    // No sweeps before, whose orders differ: of several solutions both walk to the same.
    NewtonOptions machine;
    machine.stop.tolerance = 1e-11;
    machine.first_sweeps = 0;
    const SolveReport one = solve_newton(whole, machine);
    REQUIRE(one.status == SolveStatus::converged);
    for (const LinearMethod method : {LinearMethod::direct, LinearMethod::multigrid, LinearMethod::blocks}) {
      // GMRES takes hundreds of iterations a step on chains of joints, and with blocks alone on most.
      if (method != LinearMethod::direct && scene == "chain") continue;
      if (method == LinearMethod::blocks && scene != "spheres") continue;
      CAPTURE(static_cast<int>(method));
      for_each_rank_count([&](MPI_Comm comm) {
        DistributedGraph graph(comm, builtin_part(problem, comm), {.length = 16});
        DistributedNewtonOptions options;
        options.tolerance = machine.stop.tolerance;
        options.first_sweeps = 0;
        options.linear.method = method;
        options.linear.tolerance = 1e-13;
        const DistributedNewtonReport report = solve_distributed_newton(graph, options);
        CAPTURE(size_of(comm));
        CHECK(report.status == SolveStatus::converged);
        CHECK(report.method == method);
        CHECK((report.linear_iterations > 0) == (method != LinearMethod::direct));
        CHECK((report.direct_megabytes > 0) == (method == LinearMethod::direct));
        const auto U = gather_velocities(graph);
        if (rank_of(comm) != 0) return;
        CAPTURE(report.sweeps);
        CAPTURE(one.iterations);
        CHECK(U.size() == whole.constraint_count());
        CHECK(largest_difference(U, whole) <= 1e-8);
      });
    }
  }
}

TEST_CASE(
    "distributed newton: solves to the tolerance what the judge of one machine accepts; its own choice is direct") {
  const BuiltinProblem problem = make_builtin("wall", 400);
  for_each_rank_count([&](MPI_Comm comm) {
    DistributedGraph graph(comm, builtin_part(problem, comm), {.length = 32});
    const DistributedNewtonReport report = solve_distributed_newton(graph, {.tolerance = 1e-8});
    CHECK(report.status == SolveStatus::converged);
    CHECK(report.method == LinearMethod::direct);
    CHECK(report.residual.scaled <= 1e-8);
    CHECK(report.unknowns % 6 == 0);
    CHECK(report.history.size() >= 2);
    const auto R = gather_reactions(graph);
    if (rank_of(comm) != 0) return;
    LocalDynamics whole = *problem.ldy;
    for (const auto& [id, one] : R) whole.row(ConstraintId{id}).R = Eigen::Map<const Eigen::Vector3d>(one.data());
    CHECK(evaluate_residual(whole).scaled <= 1.01e-8);
  });
}

TEST_CASE("distributed newton: bounded joints, empty ranks, nothing at all, options out of range") {
  for_each_rank_count([&](MPI_Comm comm) {
    // What ADMM refuses: a force within bounds.
    ProblemPart bounded = lattice_part(2, rank_of(comm), size_of(comm));
    BoundedLaw law{.bounded = kRowNormal, .lower = -1e-3, .upper = 1e-3};
    law.block[0].rows = kRowNormal;
    for (PartConstraint& constraint : bounded.constraints) {
      if (constraint.id == 1) constraint.law = law;
    }
    DistributedGraph with_bounds(comm, std::move(bounded));
    CHECK(solve_distributed_newton(with_bounds).status == SolveStatus::converged);

    DistributedGraph few(comm, builtin_part(make_builtin("stack", 4), comm));
    for (const LinearMethod method : {LinearMethod::direct, LinearMethod::multigrid}) {
      for (DiagonalBlock& row : few.ldy().diagonal_arena()) row.R.setZero();
      DistributedNewtonOptions options;
      options.first_sweeps = 0;
      options.linear.method = method;
      CHECK(solve_distributed_newton(few, options).status == SolveStatus::converged);
    }
    DistributedGraph nothing(comm, ProblemPart{});
    CHECK(solve_distributed_newton(nothing).status == SolveStatus::converged);
  });
  DistributedGraph graph(MPI_COMM_SELF, lattice_part(2, 0, 1));
  CHECK_THROWS_AS((void)solve_distributed_newton(graph, {.tolerance = 0}), std::invalid_argument);
  CHECK_THROWS_AS((void)solve_distributed_newton(graph, {.max_steps = -1}), std::invalid_argument);
  CHECK_THROWS_AS((void)solve_distributed_newton(graph, {.first_sweeps = -1}), std::invalid_argument);
  CHECK_THROWS_AS((void)solve_distributed_newton(graph, {.patience = 0}), std::invalid_argument);
  CHECK_THROWS_AS((void)solve_distributed_newton(graph, {.linear = {.tolerance = 1}}), std::invalid_argument);
}
