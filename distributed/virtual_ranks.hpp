#pragma once
// What a sweep over very many ranks would send, counted on one: the schedule does not depend on the ranks, so that one
// rank that holds all batches knows who would own each and which velocities would go from whom to whom.

#include <cstdint>
#include <vector>

#include <locdyn/distributed/distributed_graph.hpp>

namespace locdyn::distributed {

/// Of one colour of a sweep.
struct ColourCount {
  double messages = 0, bytes = 0;    ///< the most that a rank gets before it
  double constraints = 0, most = 0;  ///< of the mean rank, and of the one that has most of this colour
  double interior = 0;               ///< of the mean rank, those that wait for no message
};

/// Of one exact sweep; "most" is of the rank that has most of it.
struct HaloCount {
  int ranks = 0;
  int colours = 0;
  double mean_constraints = 0, most_constraints = 0;  ///< of a rank
  double shared = 0;                                  ///< of constraints, those that act on a body of several ranks
  double most_neighbours = 0;                         ///< ranks that one rank hears from in a sweep
  double messages = 0, bytes = 0;                     ///< Σ over colours of the most that a rank gets
  double total_bytes = 0;                             ///< of all ranks
  double interior = 0;                                ///< constraints of a mean rank that wait for no message
  std::vector<ColourCount> by_colour;
};

/// Counts for `ranks` ≥ 1 ranks. graph: of a communicator of one rank, cut with batches of `length`. Throws
/// std::invalid_argument for other graphs and numbers. Cost: one pass over the couplings.
[[nodiscard]] HaloCount count_halo(DistributedGraph& graph, int ranks, std::uint64_t length = BatchOptions{}.length);

}  // namespace locdyn::distributed
