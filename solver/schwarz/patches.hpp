#pragma once
// Where a residual sits: the few constraints that hold most of it and their neighbours fall into patches, and a patch
// with all else held is a problem of local dynamics of its own, B_p = U_p − W_pp R_p. Patches are not coupled with each
// other.

#include <vector>

#include <locdyn/solver/iterate_watch.hpp>

namespace locdyn::detail {

struct PatchOptions {
  double cover = 0.9;         ///< share of the squared residual that the patches' cores hold, 0 < cover ≤ 1
  int rings = 1;              ///< neighbours of neighbours … around a core, ≥ 0
  std::size_t largest = 200;  ///< constraints in all patches together, ≥ 1
};

using Patch = std::vector<ConstraintId>;

struct Patches {
  std::vector<Patch> patch;  ///< constraints in sweep order
  double spread = 0;         ///< share of all constraints that it takes to cover the residual, 0 … 1
};

/// `Patches::spread` alone, which asks for no neighbours: a graph without blocks stays without. Reads U = B + W R and R
/// as a residual left them. Cost: one pass over the rows.
[[nodiscard]] double spread_of_residual(const LocalDynamics& ldy, double cover, int threads = 1);

/// Reads U = B + W R and R as a residual left them. The same on any number of threads. Cost: one pass over the rows,
/// and the lists of the rows chosen.
[[nodiscard]] Patches find_patches(const LocalDynamics& ldy, const PatchOptions& options, int threads = 1);

/// The patches as graphs, in their order, R as it is and B with all else held.
[[nodiscard]] std::vector<LocalDynamics> extract_patches(const LocalDynamics& ldy, const std::vector<Patch>& patches);

}  // namespace locdyn::detail
