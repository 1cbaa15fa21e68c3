#pragma once
// The scenes that a bench is asked for: files, and folders searched for them.

#include <string>
#include <vector>

namespace locdyn::app {

struct BenchScene {
  std::string name;  ///< for tables, unique: the file's name without .json
  std::string file;
  std::string key;  ///< of its content
  long steps = 0;
  double step = 0;  ///< h [s]
};
struct BenchSceneList {
  std::vector<BenchScene> scenes;
  std::vector<std::string> faults;  ///< one line for each thing that is wrong
};

/// Is any of these a scene (*.json) or a folder that holds scenes and no problem files? Then they are for
/// `find_scenes`, else for `find_problems`.
[[nodiscard]] bool names_scenes(const std::vector<std::string>& what);

/// Reads every scene. Of a folder, at any depth and in order of name, those that are stepped: mechanisms without
/// contacts ("smooth", "kinematics") are passed over. What cannot be read is a fault, the rest is kept.
[[nodiscard]] BenchSceneList find_scenes(const std::vector<std::string>& what);

}  // namespace locdyn::app
