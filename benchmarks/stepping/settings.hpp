#pragma once
// The settings in which each engine runs: those of its own manual first, then more of what it takes for a residual.

#include <string>
#include <vector>

#include "../peers/engine.hpp"

namespace locdyn::peers {

struct EngineSetting {
  std::string engine;   ///< "bullet"
  std::string setting;  ///< "10": a number is a rung of a ladder of iterations
  EngineMaker make;
};

/// Those of the engines that this was built with.
[[nodiscard]] const std::vector<EngineSetting>& engine_settings();

}  // namespace locdyn::peers
