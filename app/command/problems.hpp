#pragma once
// What the command line works on: problem files, folders of them, and built-in scenes, by one name each.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <locdyn/io/problem/file_problem.hpp>
#include <locdyn/solver/global/bilateral_condensation.hpp>

namespace locdyn::app {
using namespace locdyn::detail;

/// A problem in memory. That of a built-in scene knows W as its factors, as in a simulation, and so does a global
/// file's where bodies are what is in contact; a local file's does not.
struct LoadedProblem : FileProblem {
  std::shared_ptr<const void> origin;  ///< what the factors lie in
  /// What a local problem was before its bilateral rows were condensed, and how they come back; nullptr where it has
  /// none or they stay in the graph.
  std::shared_ptr<FclibProblem> whole;
  std::shared_ptr<const BilateralCondensation> bilateral;
};

/// Writes the problem in its own kind, with what its graph holds as the solution. Throws FileError.
void save_solved(const std::string& path, LoadedProblem& problem);

/// A problem that is there to be loaded.
struct ProblemSource {
  std::string name;  ///< for tables: the file's name below the folder given, or scene and size
  std::string what;  ///< finds this problem and no other: a path, or `builtin:scene:size`
  /// Throws FileError or std::invalid_argument, one line naming the problem. What it gives stays where it is: a graph
  /// that moves forgets its factors.
  std::function<std::unique_ptr<LoadedProblem>()> load;
};

struct ProblemList {
  std::vector<ProblemSource> problems;
  std::vector<std::string> faults;  ///< one line for each WHAT that names nothing
};

/// One problem: a file, or `builtin:scene[:size]`.
[[nodiscard]] ProblemSource find_problem(const std::string& what);

/// All problems of several WHAT in the order given: a file is itself, a folder its *.hdf5 files at any depth in order
/// of name, `builtin` every scene. What names nothing becomes a fault, the rest is kept. Names are made
/// unique. Nothing is loaded yet.
[[nodiscard]] ProblemList find_problems(const std::vector<std::string>& what);

}  // namespace locdyn::app
