#pragma once
// A program run apart: its time limited, its crash and its hang no more than an outcome, and none left behind. What it
// says on standard output are lines: "solving" starts the clock that counts, "judging" stops it, all else is its text.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace locdyn::app {

struct ChildLimits {
  double preparing_s = 600;          ///< before it says "solving", and after "judging" until its end [s], > 0
  double solving_s = 600;            ///< from "solving" to the next line [s], > 0
  std::size_t most_bytes = 1 << 26;  ///< of its text; what comes after is dropped
};

struct ChildOutcome {
  enum class End { exited, crashed, timed_out, interrupted, not_started };
  End end = End::not_started;
  int code = 0;           ///< exit status, or the signal that ended it, or errno where it could not be started
  std::string text;       ///< standard output without the two words
  std::string last_line;  ///< of standard error: at most 1000 bytes
  double seconds = 0;     ///< wall clock from start to end
  double cpu_s = 0;       ///< its processor time, all threads
};

/// Runs `words[0]`, a path or a name along PATH, in a process group of its own, with `environment` ("NAME=value")
/// before what it inherits, and waits. The whole group is killed where a limit is passed (within 10 ms) or where
/// `interrupted`, asked every 20 ms and at each signal, says so. Standard input is empty.
[[nodiscard]] ChildOutcome run_child(const std::vector<std::string>& words, const std::vector<std::string>& environment,
                                     const ChildLimits& limits, const std::function<bool()>& interrupted = {});

/// A number as a word from which the program reads the same bits.
[[nodiscard]] std::string exact(double value);

/// "crashed (signal 11)", "timed out", "exited (status 3)", "interrupted", "not started (No such file or directory)".
[[nodiscard]] std::string to_string(const ChildOutcome& outcome);

}  // namespace locdyn::app
