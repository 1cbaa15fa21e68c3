#include "scene_list.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <locdyn/io/scene/read_scene.hpp>

#include "../bench_run.hpp"

namespace locdyn::app {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> files_of_kind(const fs::path& folder, const char* extension) {
  std::vector<fs::path> files;
  std::error_code fault;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, fault);
  for (const fs::recursive_directory_iterator end; !fault && entry != end; entry.increment(fault)) {
    std::error_code none;
    if (entry->path().extension() == extension && entry->is_regular_file(none)) files.push_back(entry->path());
  }
  if (fault) throw FileError(folder, "", "a folder that can be read", fault.message());
  std::sort(files.begin(), files.end());
  return files;
}

bool names_scene(const std::string& what) {
  std::error_code none;
  if (!fs::is_directory(what, none)) return fs::path(what).extension() == ".json";
  try {
    return !files_of_kind(what, ".json").empty() && files_of_kind(what, ".hdf5").empty();
  } catch (const FileError&) {  // whoever reads the folder says what is wrong with it
    return false;
  }
}

// Adds the scene in `file`; one of a folder only where it is stepped.
void add_scene(const fs::path& file, bool asked_for, BenchSceneList& list) {
  const Scene scene = read_scene(file);
  if (scene.is_mechanism()) {
    if (!asked_for) return;
    throw FileError(file, "", "a scene that is stepped, with contacts",
                    std::string("one with \"") + (scene.smooth ? "smooth" : "kinematics") + '"');
  }
  list.scenes.push_back({file.stem().string(), file.string(), file_hash(file.string()),
                         std::lround(scene.duration / scene.stepping.step), scene.stepping.step});
}

void add_scene_or_fault(const fs::path& file, bool asked_for, BenchSceneList& list) {
  try {
    add_scene(file, asked_for, list);
  } catch (const SceneError& error) {
    list.faults.insert(list.faults.end(), error.faults().begin(), error.faults().end());
  } catch (const std::exception& error) {
    list.faults.emplace_back(error.what());
  }
}

}  // namespace

bool names_scenes(const std::vector<std::string>& what) {
  return std::any_of(what.begin(), what.end(), names_scene);
}

BenchSceneList find_scenes(const std::vector<std::string>& what) {
  BenchSceneList list;
  for (const std::string& one : what) {
    std::error_code none;
    if (!fs::is_directory(one, none)) {
      add_scene_or_fault(one, true, list);
      continue;
    }
    try {
      for (const fs::path& file : files_of_kind(one, ".json")) add_scene_or_fault(file, false, list);
    } catch (const FileError& error) {
      list.faults.emplace_back(error.what());
    }
  }
  std::map<std::string, int> uses;
  for (BenchScene& scene : list.scenes) {
    const int use = ++uses[scene.name];
    if (use > 1) scene.name += " (" + std::to_string(use) + ")";
  }
  return list;
}

}  // namespace locdyn::app
