// Ctrl-C: of bench, what was measured is in the file, whatever ends the program; of solve, the best iterate.

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <scratch_folder.hpp>

namespace {

nlohmann::json read(const std::filesystem::path& json) {
  std::ifstream in(json);
  return nlohmann::json::parse(in, nullptr, false);
}

// Processes whose command line ends in `word`, a problem that nobody else asks for.
int processes_on(const std::string& word) {
  int count = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", none)) {
    std::ifstream in(entry.path() / "cmdline", std::ios::binary);
    std::string line;
    std::getline(in, line);
    if (!line.empty() && line.back() == '\0') line.pop_back();
    count += line.ends_with(word) ? 1 : 0;
  }
  return count;
}

// Starts locdyn with these words, its output in that file, its messages in the other. Returns the process.
pid_t start(std::vector<std::string> words, const std::filesystem::path& output,
            const std::filesystem::path& messages = "/dev/null") {
  words.insert(words.begin(), LOCDYN_EXECUTABLE);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    if (std::freopen(output.c_str(), "w", stdout) != nullptr &&
        std::freopen(messages.c_str(), "w", stderr) != nullptr) {
      ::execv(arguments[0], arguments.data());
    }
    ::_exit(127);
  }
  return child;
}

// Waits until that process catches SIGINT, and then until it has had so many seconds of a processor: on a machine that
// others work on, too, it has come as far as it would alone. At most two minutes.
void let_work(pid_t child, double seconds) {
  const std::filesystem::path proc = "/proc/" + std::to_string(child);
  const auto catches = [&] {
    std::ifstream in(proc / "status");
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("SigCgt:")) return (std::stoull(line.substr(7), nullptr, 16) >> (SIGINT - 1) & 1) != 0;
    }
    return false;
  };
  const auto processor_time = [&] {  // fields 14 and 15 of proc(5)'s stat, counted after the name in brackets
    std::ifstream in(proc / "stat");
    std::string text;
    std::getline(in, text);
    std::istringstream fields(text.substr(text.rfind(')') + 1));
    std::string skipped;
    for (int k = 3; k < 14; ++k) fields >> skipped;
    double user = 0, kernel = 0;
    fields >> user >> kernel;
    return (user + kernel) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  };
  double from = -1;
  for (int k = 0; k < 12000; ++k) {
    if (from < 0 && catches()) from = processor_time();
    if (from >= 0 && processor_time() >= from + seconds) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// A campaign of minutes, sent `signal` once a run is in its file. Returns what waitpid says.
int end_bench(const std::filesystem::path& json, int signal, const std::string& problem) {
  std::string tolerances;
  for (int k = 0; k < 1000; ++k) tolerances += (k > 0 ? "," : "") + std::to_string(1000 + k) + "e-33";
  const pid_t child = start(
      {"bench", "-o", json.string(), "--solvers", "nsgs", "--max-time", "0.2", "--tolerances", tolerances, problem},
      "/dev/null");
  const auto has_run = [&] {
    const auto report = read(json);
    return report.is_object() && !report["runs"].empty();
  };
  for (int i = 0; i < 3000 && !has_run(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ::kill(child, signal);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("bench: an interrupt ends the campaign and the run under way, the others written, status 130") {
  for (const int signal : {SIGINT, SIGTERM}) {
    const locdyn::test::ScratchFolder folder;
    const std::string problem = "builtin:tower:" + std::to_string(signal == SIGINT ? 201 : 202);
    const int status = end_bench(folder / "runs.json", signal, problem);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 130);
    const auto report = read(folder / "runs.json");
    REQUIRE(report.is_object());
    CHECK(report["interrupted"] == true);
    CHECK(report["runs"].size() >= 1);
    CHECK(report["runs"].size() < 1000);
    CHECK(processes_on(problem) == 0);
  }
}

TEST_CASE("bench: what was measured outlives a program that is ended at once, and no run outlives it") {
  const locdyn::test::ScratchFolder folder;
  CHECK(WIFSIGNALED(end_bench(folder / "runs.json", SIGKILL, "builtin:tower:203")));
  const auto report = read(folder / "runs.json");
  REQUIRE(report.is_object());
  CHECK(report["interrupted"] == true);
  CHECK(report["runs"].size() >= 1);
  // A run that is just being started has no command line for a moment: it is gone where several looks find none.
  for (int i = 0, none = 0; i < 200 && none < 20; ++i) {
    none = processes_on("builtin:tower:203") > 0 ? 0 : none + 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(processes_on("builtin:tower:203") == 0);
}

TEST_CASE("solve: an interrupt leaves the best iterate, told and written, status 130") {
  const locdyn::test::ScratchFolder folder;
  // Sweeps that go on for minutes: a tolerance that nothing meets.
  const pid_t child = start({"solve", "builtin:tower:3011", "--solver", "nsgs", "--tol", "1e-33", "--json", "-o",
                             (folder / "solved.hdf5").string()},
                            folder / "report.json");
  let_work(child, 2);
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 130);
  const auto report = read(folder / "report.json");
  REQUIRE(report.is_object());
  CHECK(report["status"] == "max_time");
  CHECK(report["residual"]["scaled"] < 1e-2);
  CHECK(std::filesystem::file_size(folder / "solved.hdf5") > 100000);
}

TEST_CASE("simulate: an interrupt ends it after the step, and a terminal is told so at once") {
  const locdyn::test::ScratchFolder folder;
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0) {
    MESSAGE("skipped: no pseudo-terminals here");
    return;
  }
  REQUIRE(::grantpt(terminal) == 0);
  REQUIRE(::unlockpt(terminal) == 0);
  const pid_t child = start({"simulate", LOCDYN_SCENES "/wall.json", "--quiet", "-o", (folder / "run").string()},
                            "/dev/null", ::ptsname(terminal));
  let_work(child, 0.3);
  ::kill(child, SIGINT);
  std::string told(256, '\0');
  told.resize(static_cast<std::size_t>(std::max<ssize_t>(::read(terminal, told.data(), told.size()), 0)));
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(terminal);
  CHECK(told.find("ends after this step") != std::string::npos);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 130);
  CHECK(std::filesystem::exists(folder / "run/checkpoint.h5"));
}
