#pragma once
// Colours of batches, two of which that act on one body never have the same: greedily, the batch of largest weight
// first, weights hashed from ids. A batch has its colour once all heavier neighbours have theirs, so that ranks colour
// side by side in rounds, and the result is that of one rank going through all batches by weight.
//
// Source: Jones & Plassmann, SIAM J. Sci. Comput. 14 (1993) 654–669.

#include <mpi.h>

#include <span>
#include <vector>

#include <locdyn/distributed/body_registry.hpp>

namespace locdyn::distributed {

struct NeighbourBatch {
  std::uint64_t batch = 0;
  std::int32_t rank = 0;
};

struct BatchColours {
  std::vector<std::int32_t> colour;  ///< by batch of this rank
  std::int32_t count = 0;            ///< over all ranks
  int rounds = 0;
};

/// batches (of this rank, ascending), neighbours (by batch of this rank: every other batch, on whatever rank, that acts
/// on a body of it). Collective. Cost: a few rounds of messages between neighbours.
[[nodiscard]] BatchColours colour_batches(MPI_Comm comm, std::span<const std::uint64_t> batches,
                                          std::span<const std::vector<NeighbourBatch>> neighbours);

}  // namespace locdyn::distributed
