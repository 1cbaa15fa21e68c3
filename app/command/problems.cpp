#include "problems.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <utility>

#include "builtin_problems.hpp"

namespace locdyn::app {
namespace fs = std::filesystem;
namespace {

std::unique_ptr<LoadedProblem> load_file(const fs::path& file) {
  auto loaded = std::make_unique<LoadedProblem>();
  read_problem(file, *loaded);
  if (loaded->global) return loaded;
  try {
    if (const std::shared_ptr condensed = BilateralCondensation::of(loaded->ldy)) {
      loaded->whole = std::make_shared<FclibProblem>(std::move(static_cast<FclibProblem&>(*loaded)));
      loaded->ldy = std::move(condensed->contacts());
      loaded->spacedim = loaded->whole->spacedim;
      loaded->info = loaded->whole->info;
      loaded->solution = loaded->whole->solution;
      loaded->guesses = loaded->whole->guesses;
      loaded->bilateral = condensed;
    }
  } catch (const std::invalid_argument& fault) {
    throw FileError(file.string() + ": " + fault.what());
  }
  return loaded;
}

ProblemSource file_source(const fs::path& file, const std::string& name) {
  return {name, file.string(), [file] { return load_file(file); }};
}

// The problem files in a folder, at any depth, in order of name.
std::vector<ProblemSource> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code fault;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, fault);
  for (const fs::recursive_directory_iterator end; !fault && entry != end; entry.increment(fault)) {
    std::error_code none;
    if (entry->path().extension() == ".hdf5" && entry->is_regular_file(none)) files.push_back(entry->path());
  }
  if (fault) throw FileError(folder, "", "a folder that can be read", fault.message());
  if (files.empty()) throw FileError(folder, "", "problem files (*.hdf5) in this folder", "none");
  std::sort(files.begin(), files.end());
  std::vector<ProblemSource> sources;
  for (const fs::path& file : files) {
    sources.push_back(file_source(file, file.lexically_relative(folder).replace_extension().string()));
  }
  return sources;
}

}  // namespace

void save_solved(const std::string& path, LoadedProblem& problem) {
  try {
    if (problem.bilateral) {
      problem.bilateral->recover(problem.ldy, problem.whole->ldy);
      problem.solution = problem.whole->solution = solution_of(problem.whole->ldy);
      write_fclib(path, *problem.whole);
    } else {
      take_solution(problem);
      write_problem(path, problem);
    }
  } catch (const std::invalid_argument& fault) {  // what the format has no place for
    throw FileError(path + ": " + fault.what());
  }
}

ProblemSource find_problem(const std::string& what) {
  if (what.empty()) throw FileError("problem: expected the name of a file, found an empty one");
  if (names_builtin(what)) {
    std::vector<ProblemSource> scenes = builtin_problems(what);
    if (scenes.size() != 1)
      throw FileError(what + ": expected one scene, found all of them; name one as builtin:scene");
    return scenes.front();
  }
  return file_source(what, fs::path(what).filename().replace_extension().string());
}

ProblemList find_problems(const std::vector<std::string>& what) {
  ProblemList list;
  for (const std::string& one : what) {
    try {
      std::error_code none;
      if (one.empty()) throw FileError("problem: expected the name of a file or folder, found an empty one");
      if (names_builtin(one)) {
        const auto scenes = builtin_problems(one);
        list.problems.insert(list.problems.end(), scenes.begin(), scenes.end());
      } else if (fs::is_directory(one, none)) {
        const auto files = files_in(one);
        list.problems.insert(list.problems.end(), files.begin(), files.end());
      } else if (!fs::exists(one, none)) {
        throw FileError(one, "", "a problem file or a folder", "nothing of that name");
      } else {
        list.problems.push_back(find_problem(one));
      }
    } catch (const std::exception& fault) {
      list.faults.emplace_back(fault.what());
    }
  }
  std::map<std::string, int> uses;
  for (ProblemSource& problem : list.problems) {
    const int use = ++uses[problem.name];
    if (use > 1) problem.name += " (" + std::to_string(use) + ")";
  }
  return list;
}

}  // namespace locdyn::app
