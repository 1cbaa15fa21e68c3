// locdyn bench and Ctrl-C: what was measured is in the file, whatever ends the program.

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include <scratch_folder.hpp>

namespace {

// A campaign of minutes, sent `signal` once its file is there. Returns what waitpid says.
int end_bench(const std::filesystem::path& json, int signal) {
  std::vector<std::string> words = {LOCDYN_EXECUTABLE, "bench", "-o",    json.string(), "--solvers", "nsgs",
                                    "--max-time",      "0.2",   "--tol", "1e-30"};
  for (int problem = 0; problem < 1000; ++problem) words.push_back("builtin:tower:200");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  const pid_t child = ::fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) != nullptr && std::freopen("/dev/null", "w", stderr) != nullptr) {
      ::execv(arguments[0], arguments.data());
    }
    ::_exit(127);
  }
  for (int i = 0; i < 2000 && !std::filesystem::exists(json); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ::kill(child, signal);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("bench: an interrupt ends the campaign after its run, the runs written, status 130") {
  const locdyn::test::ScratchFolder folder;
  const int status = end_bench(folder / "runs.json", SIGINT);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 130);
  std::ifstream in(folder / "runs.json");
  const auto report = nlohmann::json::parse(in);
  CHECK(report["interrupted"] == true);
  CHECK(report["runs"].size() >= 1);
  CHECK(report["runs"].size() < 1000);
}

TEST_CASE("bench: what was measured outlives a program that is ended at once") {
  const locdyn::test::ScratchFolder folder;
  CHECK(WIFSIGNALED(end_bench(folder / "runs.json", SIGKILL)));
  std::ifstream in(folder / "runs.json");
  const auto report = nlohmann::json::parse(in);
  CHECK(report["interrupted"] == true);
  CHECK(report["runs"].size() >= 1);
}
