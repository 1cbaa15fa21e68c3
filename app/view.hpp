#pragma once
// What `locdyn simulate` and `locdyn view` share.

#include <string>

#include <locdyn/io/scene/scene.hpp>

namespace locdyn::app {

/// What `--files-anywhere` says of itself.
inline constexpr const char* kFilesAnywhereHelp =
    "the scene, and its robots, may name files outside the scene's folder: where you trust them";

/// Runs a scene as `locdyn simulate SCENE -o FOLDER` does, and returns its exit status.
[[nodiscard]] int simulate_into(const std::string& scene, const std::string& folder, SceneFiles files);

}  // namespace locdyn::app
