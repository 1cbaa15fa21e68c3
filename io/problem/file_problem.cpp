#include <locdyn/io/problem/file_problem.hpp>

#include <stdexcept>
#include <utility>

#include <locdyn/ldy/file_error.hpp>

namespace locdyn {
namespace {

std::shared_ptr<GlobalCondensation> condensed(const std::filesystem::path& path, GlobalProblem problem) {
  try {
    return std::make_shared<GlobalCondensation>(std::move(problem));
  } catch (const std::logic_error& fault) {
    throw FileError(path.string() + ": " + fault.what());
  } catch (const std::runtime_error& fault) {
    throw FileError(path.string() + ": " + fault.what());
  }
}

void read_global(const std::filesystem::path& path, FileProblem& problem) {
  FclibGlobal file = read_fclib_global(path);
  const std::shared_ptr global = condensed(path, std::move(file.problem));
  problem.ldy = std::move(global->graph());
  if (const auto factor = global->factor()) problem.ldy.set_factor(*factor);
  problem.spacedim = file.spacedim;
  problem.info = std::move(file.info);
  problem.solution = std::move(file.solution);
  problem.guesses = std::move(file.guesses);
  problem.global = global;
}

// A solution of the condensed graph as the file has it.
FclibSolution global_solution(const GlobalCondensation& global, const LocalDynamics& ldy) {
  GlobalSolution found = global.recover(ldy);
  FclibSolution solution;
  for (Eigen::Index at = 0; at < found.r.size(); at += 3) {
    solution.U.emplace_back(found.u.segment<3>(at));
    solution.R.emplace_back(found.r.segment<3>(at));
  }
  solution.v = std::move(found.v);
  solution.l = std::move(found.l);
  return solution;
}

}  // namespace

void read_problem(const std::filesystem::path& path, FileProblem& problem) {
  if (fclib_kind(path) == FclibKind::global) return read_global(path, problem);
  static_cast<FclibProblem&>(problem) = read_fclib(path);
  problem.global = nullptr;
}

void take_solution(FileProblem& problem) {
  problem.solution = problem.global ? global_solution(*problem.global, problem.ldy) : solution_of(problem.ldy);
}

void write_problem(const std::filesystem::path& path, const FileProblem& problem) {
  if (!problem.global) return write_fclib(path, problem);
  write_fclib_global(path, {.problem = problem.global->problem(),
                            .spacedim = problem.spacedim,
                            .info = problem.info,
                            .solution = problem.solution,
                            .guesses = problem.guesses});
}

}  // namespace locdyn
