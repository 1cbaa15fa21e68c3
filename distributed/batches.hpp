#pragma once
// Batches of constraints, cut the same way whatever the number of ranks, and the rank of each.
//
// Every constraint has a home among its bodies: the one of lowest id, or a body that very many constraints act on (a
// heavy plate under ten thousand stones), so that all of these come into one batch and the plate is in few. Homes in
// the order of Hilbert's curve, then of ids, carry their constraints along; with N constraints before a home its batch
// is ⌊N / length⌋: about `length` constraints each, no home in two, found by one prefix sum. Ranks own consecutive
// batches of about equal numbers of constraints; where the cuts lie changes no batch.
//
// Source: Hilbert orders for partitions: Zoltan's HSFC (Devine et al., Comput. Sci. Eng. 4 (2002) 90–97). The prefix
// cut is the project's own; the order is sorted by samples (Frazer & McKellar, J. ACM 17 (1970) 496–507).

#include <mpi.h>

#include <span>
#include <vector>

#include <locdyn/distributed/body_registry.hpp>

namespace locdyn::distributed {

struct BatchOptions {
  /// Constraints in a batch, ≥ 1. As `ColouringOptions::batch`.
  std::uint64_t length = 96;
  /// A body that more constraints act on is the home of them all, ≥ 1: its batch is longer and swept by one rank, where
  /// else every batch around it would have a colour of its own.
  std::uint64_t heavy = 1024;
};

/// Where a constraint belongs.
struct BatchPlace {
  std::uint64_t batch = 0;
  std::uint64_t home_place = 0;  ///< along the curve
  GlobalId home = 0;
  std::int32_t rank = 0;
};

/// By this rank's constraints, whose bodies the registry has counted. Collective. All ranks throw std::invalid_argument
/// for options out of range.
/// Cost: a sort of ids over all ranks.
[[nodiscard]] std::vector<BatchPlace> cut_batches(MPI_Comm comm, std::span<const PartConstraint> constraints,
                                                  BodyRegistry& registry, const BatchOptions& options);

/// A rank for each of this rank's bodies, so that ranks get runs of Hilbert's curve of about equal weights. places,
/// ids, weights ≥ 1: by body. Collective. Cost: a sort of ids over all ranks.
[[nodiscard]] std::vector<std::int32_t> spread_bodies(MPI_Comm comm, std::span<const std::uint64_t> places,
                                                      std::span<const GlobalId> ids,
                                                      std::span<const std::uint64_t> weights);

}  // namespace locdyn::distributed
