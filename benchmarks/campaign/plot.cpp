#include "plot.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include <locdyn/ldy/file_error.hpp>
#include <locdyn/ldy/replace_file.hpp>

#include "command.hpp"
#include "temporary_folder.hpp"

extern char** environ;

namespace locdyn::app {
using namespace locdyn::detail;
namespace fs = std::filesystem;
namespace {

// Runs a program with its standard output and error in a file; −1 where it cannot be started.
int run_program(const std::vector<std::string>& words, const std::string& messages) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int fault = ::posix_spawnp(&child, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (fault != 0) return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string last_line(const std::string& file) {
  std::ifstream in(file);
  std::string last = "no Python 3";
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

}  // namespace

fs::path plot_script(const std::string& name) {
  std::error_code none;
  const fs::path executable = fs::read_symlink("/proc/self/exe", none);
  const fs::path places[] = {executable.parent_path().parent_path() / "share/locdyn" / name,
                             fs::path(LOCDYN_SOURCE_DIR) / "benchmarks" / name};
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place, none)) return place;
  }
  throw FileError("--plot: expected the script " + name + " in " + places[0].parent_path().string() + ", found none");
}

void check_drawing(const std::string& option, const fs::path& output, const std::string& script) {
  if (output.extension() != ".png" && output.extension() != ".svg") {
    throw UsageError(option + ": expected a name that ends in .png or .svg, found " + output.string());
  }
  (void)plot_script(script);
}

void plot_report(const std::string& name, const std::string& report, const fs::path& output,
                 const std::vector<std::string>& options) {
  const std::string script = plot_script(name).string();
  const TemporaryFolder workshop;
  const std::string input = workshop.file("report.json"), messages = workshop.file("messages");
  const std::string drawing = workshop.file("drawing") + output.extension().string();
  replace_file(input, report);

  // The first Python that has what the script needs; a user's own may lack matplotlib.
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    std::vector<std::string> words = {python, script, input, drawing};
    words.insert(words.end(), options.begin(), options.end());
    if (run_program(words, messages) == 0) {
      replace_file(output, content(drawing));
      return;
    }
  }
  throw FileError(output, "", "a plot drawn by Python 3 and matplotlib", last_line(messages));
}

}  // namespace locdyn::app
