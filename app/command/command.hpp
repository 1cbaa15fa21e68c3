#pragma once
// The subcommands of `locdyn`: each file registers one with the parser and gives back what runs it.

#include <CLI/CLI.hpp>
#include <functional>
#include <stdexcept>
#include <string>

namespace locdyn::app {

/// Exit statuses of every subcommand.
inline constexpr int kConverged = 0;     ///< all problems converged
inline constexpr int kNotConverged = 1;  ///< some problem did not
inline constexpr int kBad = 2;           ///< bad usage, or some input or output that could not be read or written

/// A fault in what the user asked for; one line.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Command {
  CLI::App* parser;          ///< says whether the user chose this subcommand
  std::function<int()> run;  ///< returns the exit status; may throw UsageError, FileError, std::invalid_argument
};

[[nodiscard]] Command info_command(CLI::App& app);
[[nodiscard]] Command solve_command(CLI::App& app);
[[nodiscard]] Command compare_command(CLI::App& app);
[[nodiscard]] Command bench_command(CLI::App& app);
/// One run of a bench, in a process of its own; not for people.
[[nodiscard]] Command bench_run_command(CLI::App& app);
/// One run of a bench of scenes, in a process of its own; not for people.
[[nodiscard]] Command bench_scene_command(CLI::App& app);
[[nodiscard]] Command simulate_command(CLI::App& app);
/// Where the library writes pages (LOCDYN_WITH_VIEWER).
[[nodiscard]] Command view_command(CLI::App& app);

/// What a file or the user said, fit for a terminal: control characters as '?', cut in the middle beyond 1000.
[[nodiscard]] std::string one_line(std::string text);

/// Prints one line "locdyn: …" on standard error.
void complain(const std::string& line);

/// Flushes standard output. Throws FileError where nobody reads it any more or the disk is full.
void flush_output();

}  // namespace locdyn::app
