#include "builtin_problems.hpp"

namespace locdyn::app {

bool names_builtin(std::string_view what) { return what == "builtin" || what.starts_with("builtin:"); }

std::vector<ProblemSource> builtin_problems(const std::string& what) {
  throw FileError(what + ": expected a built-in scene, found none");
}

}  // namespace locdyn::app
