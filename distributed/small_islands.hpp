#pragma once
// Islands of few constraints go whole to one rank and are solved there as one machine solves them, by `auto`; a
// distributed graph is left with the rest.
//
// An island is a connected part of the graph of bodies and constraints. Which are small, at most so many constraints,
// is a fact of the problem: no cut between ranks shows in it, nor in what an island's solve is given, its constraints
// in the order of their ids. So the bits do not depend on the ranks. Labels, the least id of a body, spread from rank
// to rank; what is small has one label after as many turns as it may have constraints, and larger islands need not be
// followed to their ends.
//
// Source: label propagation (Shiloach & Vishkin, J. Algorithms 3 (1982) 57–67, without their short cuts, since the
// turns are few); the limit on turns is the project's own.

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <vector>

#include <locdyn/distributed/distributed_graph.hpp>
#include <locdyn/solver/solve_options.hpp>
#include <locdyn/solver/solve_report.hpp>

namespace locdyn::distributed {

/// The same on all ranks, but for the solutions.
struct SolvedIslands {
  std::vector<std::optional<DistributedGraph::Solution>> solutions;  ///< by constraint of this rank, as it was given
  std::uint64_t count = 0, constraints = 0;                          ///< of small islands
  SolveStatus status = SolveStatus::converged;                       ///< of all, or the worst of one
  long iterations = 0;                                               ///< of all
  double residual = 0;                                               ///< the largest `scaled`, each of its own ‖b‖
};

/// Solves islands of at most `most` ≥ 1 constraints to `stop`, each by the step solver of one machine
/// (`solve_islands`) with `auto`, on the rank that gave the constraint of least id, and takes their constraints out of
/// `part`; its bodies stay. Collective. All ranks throw std::invalid_argument where one throws. Cost: a few exchanges
/// of ids, at most `most` + 1 of labels; small islands that ranks share are sent once.
[[nodiscard]] SolvedIslands solve_small_islands(MPI_Comm comm, ProblemPart& part, std::uint64_t most,
                                                const StopOptions& stop);

}  // namespace locdyn::distributed
