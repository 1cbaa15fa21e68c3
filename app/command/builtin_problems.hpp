#pragma once
// The built-in scenes as problems: `builtin`, `builtin:scene`, `builtin:scene:size`.

#include <string>
#include <string_view>
#include <vector>

#include "problems.hpp"

namespace locdyn::app {

/// Whether WHAT means built-in scenes rather than a file.
[[nodiscard]] bool names_builtin(std::string_view what);

/// The scenes that WHAT names, at their default sizes where it gives none. Throws std::invalid_argument where the scene
/// is unknown or the size is no whole number from 1 to 10 000 000.
[[nodiscard]] std::vector<ProblemSource> builtin_problems(const std::string& what);

}  // namespace locdyn::app
