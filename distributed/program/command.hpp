#pragma once
// The parts of the program `locdyn_mpi`: subcommands that all ranks run together. What they throw is agreed on: the
// same on all ranks.

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <functional>

namespace locdyn::distributed {

inline constexpr int kConverged = 0, kNotConverged = 1, kBad = 2;  // exit status, as of `locdyn`

/// A subcommand of `app`: what its parse leaves to do, by all ranks of `comm`; returns the exit status.
struct Command {
  CLI::App* parser = nullptr;
  std::function<int(MPI_Comm)> run;
};

[[nodiscard]] Command solve_command(CLI::App& app);
[[nodiscard]] Command simulate_command(CLI::App& app);
[[nodiscard]] Command count_command(CLI::App& app);
[[nodiscard]] Command measure_command(CLI::App& app);
[[nodiscard]] Command cut_command(CLI::App& app);

}  // namespace locdyn::distributed
