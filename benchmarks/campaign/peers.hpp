#pragma once
// Solvers of other projects, each in a program of its own that stands beside this one: `--list` names them a line each,
// and FILE SOLVER --tol … does one run and says what `bench-run` says, R judged by this project's residual.

#include <string>
#include <vector>

namespace locdyn::app {

struct Peer {
  std::string name;                  ///< "siconos"
  std::string program;               ///< its path
  std::vector<std::string> solvers;  ///< those that are to run
};

/// From "siconos" (all its solvers) or "siconos:nsgs,siconos:admm". Throws UsageError where a name is none, the program
/// was not built or does not run, or has no such solver.
[[nodiscard]] std::vector<Peer> find_peers(const std::string& names);

}  // namespace locdyn::app
