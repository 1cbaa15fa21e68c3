#pragma once
// Levels of a breadth-first search over the groups of velocities, from an end of each island: rows act on groups of one
// level or of two that follow one another, so that runs of levels may be worked on at once (dissection.hpp). An
// assembly leaves them in its factor, once for all that a step does with its graph.
//
// Source (the end to start from): George & Liu, ACM TOMS 5 (1979) 284–295.

#include <cstddef>
#include <span>
#include <vector>

#include <locdyn/ldy/delassus_factor.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

/// Rows from which on an assembly looks for levels: as many constraints as an island has that threads share
/// (`kDissectedFrom`).
inline constexpr std::size_t kLevelledFrom = 1000;

/// By group of the factor its level, kNone where none of these rows acts on it; each island has levels of its own,
/// behind those of the island before. Cost: a few passes over the couplings of the rows, and over the groups.
[[nodiscard]] std::vector<Index> group_levels(const DelassusFactor& factor, std::span<const Index> rows);

}  // namespace locdyn::detail
