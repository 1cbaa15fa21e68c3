#include <locdyn/io/scene/file_reach.hpp>

#include <algorithm>
#include <system_error>

namespace locdyn::scene_format {

bool lies_in(const std::filesystem::path& folder, const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto followed = [&error](const fs::path& path) {
    const fs::path whole = error ? fs::path() : fs::absolute(path, error);
    return error ? fs::path() : fs::weakly_canonical(whole, error);
  };
  const fs::path inside = followed(folder.empty() ? "." : folder), named = followed(file);
  if (error) return false;
  return std::mismatch(inside.begin(), inside.end(), named.begin(), named.end()).first == inside.end();
}

bool within_reach(const Scene& scene, const std::filesystem::path& robot, const std::filesystem::path& file) {
  if (scene.files == SceneFiles::anywhere || lies_in(robot.parent_path(), file)) return true;
  return !scene.file.empty() && lies_in(scene.file.parent_path(), file);
}

}  // namespace locdyn::scene_format
