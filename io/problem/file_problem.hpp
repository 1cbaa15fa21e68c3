#pragma once
// A problem file as solvers take it, and back: a local one as it is, a global one condensed to its contacts.

#include <filesystem>
#include <memory>

#include <locdyn/ldy/fclib/fclib.hpp>
#include <locdyn/solver/global/global_condensation.hpp>

namespace locdyn {

struct FileProblem : FclibProblem {
  std::shared_ptr<const GlobalCondensation> global;  ///< what the graph was condensed from; nullptr: a local problem
};

/// Reads either kind into `problem`, where it stays: the graph of a global one knows W as its factors where bodies are
/// what is in contact, for as long as it is neither moved nor copied. Throws FileError; then `problem` is as it was.
/// Cost: the file's size; of a global one that of GlobalCondensation.
void read_problem(const std::filesystem::path& path, FileProblem& problem);

/// What the graph holds becomes the problem's solution: R and U, of a global one velocities and bilateral forces too.
void take_solution(FileProblem& problem);

/// Writes the problem in the kind that it was read as, with its solution and guesses. Throws FileError where the file
/// cannot be written, std::invalid_argument where it has no place for a law.
void write_problem(const std::filesystem::path& path, const FileProblem& problem);

}  // namespace locdyn
