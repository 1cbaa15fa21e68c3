#pragma once
// Places in space for the nodes of a graph that has none: coupled ones lie close. Source: Brandes & Pich, Eigensolver
// methods for progressive multidimensional scaling of large data, GD 2006 (pivot MDS).

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace locdyn::detail {

/// `neighbours` by node. Places are about as far apart as their nodes in the graph; parts that are not connected lie
/// beside each other, in rows. Cost: `pivots` searches of the graph, and a product of (nodes × pivots).
[[nodiscard]] std::vector<Eigen::Vector3d> lay_out(const std::vector<std::vector<std::uint32_t>>& neighbours,
                                                   std::size_t pivots = 50);

}  // namespace locdyn::detail
