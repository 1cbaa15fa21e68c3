#pragma once
// Spheres in a cubic lattice on a floor and against two walls, as a problem that every rank makes its own share of: for
// measurements at sizes that one machine has no room for. Sphere (i, j, k) touches its neighbours below, to the left
// and in front, or the floor and the walls there: three contacts a sphere, μ = 0.5. All are pulled down, and a third as
// much towards the walls, by forces that differ a little from sphere to sphere.

#include <cstdint>

#include <locdyn/distributed/problem_part.hpp>

namespace locdyn::distributed {

/// The share of rank `rank` of `ranks` of n³ spheres of radius 5 cm, n ≥ 1; ids count layer by layer. Throws
/// std::invalid_argument for n out of 1 … 100 000. Cost: linear in the share.
[[nodiscard]] ProblemPart lattice_part(std::uint64_t n, int rank, int ranks);

}  // namespace locdyn::distributed
