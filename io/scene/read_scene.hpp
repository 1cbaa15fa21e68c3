#pragma once
// Reads a scene, strictly: every key must be known, every value of the right kind and in range, every name there. All
// faults are found in one go, each one line with its place in the file.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <locdyn/io/scene/scene.hpp>
#include <locdyn/ldy/file_error.hpp>

namespace locdyn {

/// The faults of a scene, one line each: "wall.json: bodies[3].shape.radius: expected a number > 0, found -1". Beyond
/// `kMostLines` of them one more line says how many are left out: "and 380 more".
class SceneError : public FileError {
 public:
  static constexpr std::size_t kMostLines = 20;  ///< of faults that a message tells

  /// `faults`, all of them, is not empty.
  explicit SceneError(std::vector<std::string> faults);
  [[nodiscard]] const std::vector<std::string>& faults() const noexcept { return faults_; }

 private:
  std::vector<std::string> faults_;
};

/// Throws SceneError; FileError where the file cannot be read. Makes no body and reads no mesh (but sees that its file
/// is there). `files`: may what it names lie outside its folder? That is refused where nobody has asked for it.
[[nodiscard]] Scene read_scene(const std::filesystem::path& file, SceneFiles files = SceneFiles::own_folder);

/// The scene in `text`; `file` is its name in messages and what it names lies relative to its folder.
[[nodiscard]] Scene parse_scene(std::string_view text, const std::filesystem::path& file = "scene",
                                SceneFiles files = SceneFiles::own_folder);

/// The JSON Schema (draft 2020-12) of what the reader takes, made from the reader's own descriptions; the same text is
/// kept as scene.schema.json. It cannot say what the reader checks beyond one object: names that refer to others,
/// files, unit quaternions, moments that ascend.
[[nodiscard]] std::string scene_schema();

}  // namespace locdyn
