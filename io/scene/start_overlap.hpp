#pragma once
// Bodies that lie in one another before the first step: they would be thrown apart, and the scene is wrong.

#include <optional>
#include <string>
#include <vector>

#include <locdyn/simulation/system.hpp>

namespace locdyn::scene_format {

/// A line for each pair of bodies that overlap by more than `allowed` [m] (absent: 1e-4 of the smaller shape's least
/// extent), deepest first, ten at most. `labels`: of each body. The system has a detector.
[[nodiscard]] std::vector<std::string> overlaps_at_start(System& system, const std::vector<std::string>& labels,
                                                         std::optional<double> allowed);

}  // namespace locdyn::scene_format
