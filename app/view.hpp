#pragma once
// What `locdyn simulate` and `locdyn view` share.

#include <string>

namespace locdyn::app {

/// Runs a scene as `locdyn simulate SCENE -o FOLDER` does, and returns its exit status.
[[nodiscard]] int simulate_into(const std::string& scene, const std::string& folder);

}  // namespace locdyn::app
