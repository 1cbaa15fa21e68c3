#pragma once
// Runs the real executable and keeps what it printed.

#include <string>
#include <vector>

namespace locdyn::test {

using Words = std::vector<std::string>;  ///< arguments, without the program's name

struct Outcome {
  int status = -1;  ///< exit status; 128 + signal where a signal ended it
  std::string out, err;
};

/// What is redirected or limited for one run.
struct Surroundings {
  std::string out_file;  ///< standard output goes here instead of into the outcome
  long file_size = 0;    ///< > 0: no file may grow beyond this many bytes
};

/// Runs a program by its path (or its name, along PATH) with these arguments, and waits.
[[nodiscard]] Outcome run_program(const std::string& program, const Words& arguments,
                                  const Surroundings& surroundings = {});

/// `locdyn` itself.
[[nodiscard]] Outcome locdyn(const Words& arguments, const Surroundings& surroundings = {});

/// The number of lines of a text.
[[nodiscard]] std::size_t lines(const std::string& text);

}  // namespace locdyn::test
