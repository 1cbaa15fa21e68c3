#pragma once
// Where the files that a scene or a robot names may lie: within its folder, links followed, unless its reader has asked
// for more. A file from a stranger can name what its reader may read and the stranger may not.

#include <filesystem>
#include <string>

#include <locdyn/io/scene/scene.hpp>

namespace locdyn::scene_format {

/// "…, or leave to read elsewhere": how a message about a file outside ends, with the names that ask for more.
inline constexpr const char* kFileInside =
    "a file in the folder of the scene (elsewhere: --files-anywhere, files=\"anywhere\", SceneFiles::anywhere)";

/// Does `file` lie in `folder` or below it, links and ".." followed? An empty folder is the working directory. False
/// where that cannot be told.
[[nodiscard]] bool lies_in(const std::filesystem::path& folder, const std::filesystem::path& file);

/// May a robot of the scene name this file? Anywhere where the scene says so; else within the scene's folder, or that
/// of the robot's own file, for scenes that a program has put together.
[[nodiscard]] bool within_reach(const Scene& scene, const std::filesystem::path& robot,
                                const std::filesystem::path& file);

}  // namespace locdyn::scene_format
