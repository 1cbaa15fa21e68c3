// Command lines: any words. What the parser takes for `info` and `solve` is run on a built-in problem of small size.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "command.hpp"
#include "refusal.hpp"
#include "target_list.hpp"

namespace locdyn::fuzz {
namespace {

// Words end at zeros and blanks; the mutations make both.
std::vector<std::string> words_of(Bytes bytes) {
  std::vector<std::string> words(1);
  for (const std::uint8_t byte : bytes) {
    if (byte == 0 || byte == ' ' || byte == '\n') {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += static_cast<char>(byte);
    }
  }
  if (words.back().empty()) words.pop_back();
  if (words.size() > 30) words.resize(30);
  return words;
}

// While it lives what is printed is kept apart.
class Silence {
 public:
  Silence() : out_(std::cout.rdbuf(text_.rdbuf())), err_(std::cerr.rdbuf(text_.rdbuf())) {}
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  ~Silence() {
    std::cout.rdbuf(out_);
    std::cerr.rdbuf(err_);
  }

 private:
  std::ostringstream text_;
  std::streambuf *out_, *err_;
};

}  // namespace

void run_command_line(Bytes bytes) {
  std::vector<std::string> words = words_of(bytes);
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  CLI::App app("fuzzed", "locdyn");
  app.require_subcommand(1);
  const app::Command commands[] = {app::info_command(app), app::solve_command(app), app::compare_command(app),
                                   app::bench_command(app), app::simulate_command(app)};
  const Silence silence;
  try {
    app.parse(words);
  } catch (const CLI::ParseError&) {  // main makes one line of it
  }
  (void)commands;
}

std::vector<Input> seeds_of_command_line() {
  return {bytes_of("info problem.hdf5 --json"),
          bytes_of("solve problem.hdf5 --solver nsgs --tol 1e-8 --measure scaled --max-time 2 --max-iterations 10 "
                   "--threads 2 --facets 8 -o out.hdf5 --json"),
          bytes_of("compare builtin:wall:10 --solvers auto,nsgs --tol 1e-6"),
          bytes_of("bench a b --solvers auto --peers siconos -o out.json --plot out.png"),
          bytes_of("simulate scene.json -o folder --time 1 --step 1e-3 --restart c.h5 --view --plot --quiet")};
}

}  // namespace locdyn::fuzz
