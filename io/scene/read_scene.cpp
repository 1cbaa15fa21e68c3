#include <locdyn/io/scene/read_scene.hpp>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <locdyn/io/scene/check_scene.hpp>
#include <locdyn/io/scene/json_text.hpp>
#include <locdyn/io/scene/object_reader.hpp>

namespace locdyn {
namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

// The first ones, and how many more there are: a fault of a body that a program wrote a thousand times is read once.
std::vector<std::string> shortened(std::vector<std::string> faults) {
  if (faults.size() <= SceneError::kMostLines) return faults;
  const std::size_t more = faults.size() - SceneError::kMostLines;
  faults.resize(SceneError::kMostLines);
  faults.push_back("and " + std::to_string(more) + " more");
  return faults;
}

}  // namespace

SceneError::SceneError(std::vector<std::string> faults)
    : FileError(joined(shortened(faults))), faults_(shortened(std::move(faults))) {}

Scene read_scene(const std::filesystem::path& file, SceneFiles files) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    const char* found = std::filesystem::is_directory(file, error) ? "a folder" : "none";
    throw FileError(file, "", "a scene file", found);
  }
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw FileError(file, "", "a file that can be read", "one that cannot");
  return parse_scene(text, file, files);
}

Scene parse_scene(std::string_view text, const std::filesystem::path& file, SceneFiles files) {
  const nlohmann::json json = scene_format::parse_json(text, file.string());
  scene_format::ReadContext context{{}, file.parent_path(), files};
  Scene scene;
  read(json, "", scene, context);
  scene.file = file;
  scene.files = files;
  // Values that go together are judged where each is sound by itself.
  if (context.faults.empty()) context.faults = scene_format::find_faults(scene);
  if (context.faults.empty()) return scene;
  for (std::string& line : context.faults) line = file.string() + ": " + line;
  throw SceneError(std::move(context.faults));
}

}  // namespace locdyn
