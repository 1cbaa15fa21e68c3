#pragma once
// A scene as Python hands it over: text, where its files lie, and whether they may lie elsewhere.

#include <string>

#include <locdyn/io/scene/read_scene.hpp>

namespace locdyn::python {

struct SceneSource {
  std::string text, file;
  bool anywhere = false;

  /// Throws SceneError.
  [[nodiscard]] Scene read() const {
    return parse_scene(text, file.empty() ? "scene" : file, anywhere ? SceneFiles::anywhere : SceneFiles::own_folder);
  }
};

}  // namespace locdyn::python
