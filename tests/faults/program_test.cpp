// The command line while its disk fills up, its files vanish and signals come, at every call in turn (fault_shim.c):
// output is whole or as it was, the status and the line on standard error are those of the manual.

#include <doctest/doctest.h>

#include <app/program.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <scratch_folder.hpp>
#include <string>
#include <utility>
#include <vector>

namespace fs = std::filesystem;
using locdyn::test::Outcome;
using locdyn::test::ScratchFolder;

namespace {

constexpr const char* kScene = R"({"step": 0.004, "duration": 0.04, "output": {"every": 2, "checkpoint": 4},
  "bodies": [{"name": "floor", "kind": "obstacle", "shape": {"type": "plane"}},
             {"name": "box", "density": 1000, "position": [0, 0, 0.5], "shape": {"type": "box", "size": [1, 1, 1]}}]})";

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Faulted : Outcome {
  bool came = false;  ///< did the call come?
};

// Runs locdyn with the n-th of those calls gone wrong.
Faulted with_fault(const std::string& call, long n, const std::string& what, const std::vector<std::string>& words,
                   const fs::path& file = {}) {
  const ScratchFolder folder;
  const std::string log = folder / "came";
  ::setenv("LD_PRELOAD", LOCDYN_FAULT_SHIM, 1);
  ::setenv("LOCDYN_FAULT", (call + ":" + std::to_string(n) + ":" + what).c_str(), 1);
  ::setenv("LOCDYN_FAULT_LOG", log.c_str(), 1);
  ::setenv("LOCDYN_FAULT_FILE", file.empty() ? "" : fs::canonical(file).c_str(), 1);
  Faulted done{locdyn::test::locdyn(words), false};
  for (const char* name : {"LD_PRELOAD", "LOCDYN_FAULT", "LOCDYN_FAULT_LOG", "LOCDYN_FAULT_FILE"}) ::unsetenv(name);
  done.came = fs::exists(log);
  return done;
}

// Calls `check` with what came of the faults n = 0, 2, 8, 26, 80, …, or where LOCDYN_FAULTS_EVERY=1 of every n, until
// none comes. How many came.
long at_calls(const std::string& call, const std::string& what, const std::function<Faulted(long n)>& run,
              const std::function<void(const Faulted&)>& check) {
  const char* every = std::getenv("LOCDYN_FAULTS_EVERY");
  const bool all = every != nullptr && *every == '1';
  long count = 0;
  for (long n = 0;; n = all ? n + 1 : 3 * n + 2) {
    CAPTURE(call);
    CAPTURE(what);
    CAPTURE(n);
    const Faulted done = run(n);
    CAPTURE(done.err);
    if (!done.came) {
      CHECK(done.status == 0);
      break;
    }
    ++count;
    check(done);
    if (count > 5000) FAIL("expected an end of calls");
  }
  return count;
}

bool has_parts(const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".part") return true;
  }
  return false;
}

// Is what a run has left readable: table in whole lines, checkpoint and trajectory whole or not there?
void check_run(const fs::path& run, const fs::path& scene) {
  const std::string table = content(run / "energies.csv");
  CHECK((table.empty() || table.back() == '\n'));
  CHECK(!has_parts(run));
  if (fs::exists(run / "checkpoint.h5")) {
    CHECK(locdyn::test::locdyn({"simulate", scene, "--restart", run / "checkpoint.h5", "--quiet"}).status == 0);
  }
}

// How a program ends that was interrupted: as said in the manual, or by the signal before there was anything to keep.
bool ends_as_told(const Faulted& done, bool terminated) {
  return done.status == 130 || (terminated && done.status == 143);
}

// The same for SIGINT and SIGTERM at calls of write and of the clock: how many came.
long at_signals(const std::function<Faulted(const char* call, long n, const char* signal)>& run,
                const std::function<void(const Faulted&)>& check) {
  long faults = 0;
  for (const char* signal : {"INT", "TERM"}) {
    for (const char* call : {"write", "clock"}) {
      faults += at_calls(
          call, signal, [&](long n) { return run(call, n, signal); },
          [&](const Faulted& done) {
            // A run that had ended before it looked is as it would have been.
            CHECK((done.status == 0 || ends_as_told(done, *signal == 'T')));
            check(done);
          });
    }
  }
  return faults;
}

}  // namespace

TEST_CASE("disk full at every write of solve -o: what was there stays, one line, status 2") {
  const ScratchFolder folder;
  const fs::path output = folder / "solved.hdf5";
  const auto run = [&](long n) {
    std::ofstream(output) << "what was there";
    return with_fault("write", n, "full", {"solve", "builtin:stack:2", "--json", "-o", output});
  };
  const long faults = at_calls("write", "full", run, [&](const Faulted& done) {
    CHECK(done.status == 2);
    CHECK(locdyn::test::lines(done.err) == 1);
    CHECK(nlohmann::json::parse(done.out)["status"] == "converged");  // the result is told all the same
    CHECK(content(output) == "what was there");
    CHECK(!has_parts(folder.path()));
  });
  CHECK(faults >= 2);
  CHECK(locdyn::test::locdyn({"info", output}).status == 0);  // the last run had none
  MESSAGE(faults, " writes");
}

TEST_CASE("disk full at every write of simulate: what was written before is whole, one line, status 2") {
  const ScratchFolder folder;
  const fs::path scene = folder / "scene.json";
  std::ofstream(scene) << kScene;
  const fs::path run = folder / "run";
  const long faults = at_calls(
      "write", "full",
      [&](long n) {
        fs::remove_all(run);
        return with_fault("write", n, "full", {"simulate", scene, "--quiet", "--dump-problems", "4", "-o", run});
      },
      [&](const Faulted& done) {
        CHECK(done.status == 2);
        CHECK(locdyn::test::lines(done.err) == 1);
        check_run(run, scene);
      });
  CHECK(faults >= 5);
  MESSAGE(faults, " writes");
}

TEST_CASE("disk full at every write of bench and view: the old file or none, one line, status 2") {
  const ScratchFolder folder;
  const fs::path output = folder / "out";
  for (const std::vector<std::string>& words : {
           std::vector<std::string>{"bench", "builtin:stack:2", "--solvers", "nsgs"},
#ifdef LOCDYN_WITH_VIEWER
           std::vector<std::string>{"view", "builtin:stack:2"},
#endif
       }) {
    CAPTURE(words[0]);
    std::vector<std::string> all = words;
    all.insert(all.end(), {"-o", output.string()});
    const bool bench = words[0] == "bench";
    const auto run = [&](long n) {
      std::ofstream(output) << "what was there";
      return with_fault("write", n, "full", all);
    };
    const long faults = at_calls("write", "full", run, [&](const Faulted& done) {
      CHECK(done.status == 2);
      CHECK(!done.err.empty());
      const std::string left = content(output);
      CHECK((left == "what was there" || (bench && nlohmann::json::accept(left))));
      CHECK(!has_parts(folder.path()));
    });
    CHECK(faults >= 2);
    MESSAGE(words[0], ": ", faults, " writes");
  }
}

TEST_CASE("a file that vanishes or shrinks while it is read: read whole, or one line and status 2") {
  const ScratchFolder folder;
  const fs::path scene = folder / "scene.json", problem = folder / "problem.hdf5", run = folder / "run";
  std::ofstream(scene) << kScene;
  REQUIRE(locdyn::test::locdyn({"solve", "builtin:stack:2", "-o", problem}).status == 0);
  REQUIRE(locdyn::test::locdyn({"simulate", scene, "--quiet", "-o", run}).status == 0);
  const fs::path kept = run / "checkpoint.h5";
  long faults = 0;
  for (const auto& [file, words] : {
           std::pair<fs::path, std::vector<std::string>>(problem, {"solve", problem}),
           {scene, {"simulate", scene, "--quiet"}},
           {kept, {"simulate", scene, "--quiet", "--restart", kept}},
#ifdef LOCDYN_WITH_VIEWER
           {run / "trajectory.h5", {"view", run, "-o", folder / "page.html"}},
#endif
       }) {
    const std::string whole = content(file), path = file.string();
    for (const char* what : {"vanish", "shrink"}) {
      CAPTURE(path);
      faults += at_calls(
          "read", what,
          [&, &file = file, &words = words](long n) {
            std::ofstream(file, std::ios::binary) << whole;
            return with_fault("read", n, what, words, file);
          },
          [](const Faulted& done) {
            CHECK((done.status == 0 || done.status == 2));
            CHECK((done.status == 0 || locdyn::test::lines(done.err) >= 1));
          });
    }
    std::ofstream(file, std::ios::binary) << whole;
  }
  CHECK(faults >= 15);
  MESSAGE(faults, " reads");
}

TEST_CASE("SIGINT and SIGTERM at moments of solve: output whole or none, status 130") {
  const ScratchFolder folder;
  const fs::path output = folder / "solved.hdf5";
  const long faults = at_signals(
      [&](const char* call, long n, const char* signal) {
        fs::remove(output);
        return with_fault(call, n, signal,
                          {"solve", "builtin:tower:21", "--solver", "nsgs", "--tol", "1e-4", "-o", output});
      },
      [&](const Faulted& done) {
        CHECK(!has_parts(folder.path()));
        if (done.status == 0 || fs::exists(output)) CHECK(locdyn::test::locdyn({"info", output}).status == 0);
      });
  CHECK(faults >= 6);
  MESSAGE(faults, " signals");
}

TEST_CASE("SIGINT and SIGTERM at moments of simulate: all that was computed is whole, status 130") {
  const ScratchFolder folder;
  const fs::path scene = folder / "scene.json", run = folder / "run";
  std::ofstream(scene) << kScene;
  const long faults = at_signals(
      [&](const char* call, long n, const char* signal) {
        fs::remove_all(run);
        return with_fault(call, n, signal, {"simulate", scene, "--quiet", "-o", run});
      },
      [&](const Faulted&) {
        if (fs::exists(run)) check_run(run, scene);
      });
  CHECK(faults >= 6);
  MESSAGE(faults, " signals");
}

TEST_CASE("SIGINT and SIGTERM at moments of bench: its file is whole or none, status 130") {
  const ScratchFolder folder;
  const fs::path output = folder / "runs.json";
  const long faults = at_signals(
      [&](const char* call, long n, const char* signal) {
        for (const auto& entry : fs::directory_iterator(folder.path())) fs::remove(entry.path());
        return with_fault(call, n, signal, {"bench", "builtin:stack:2", "--solvers", "nsgs,newton", "-o", output});
      },
      [&](const Faulted&) {
        CHECK(!has_parts(folder.path()));
        if (fs::exists(output)) CHECK(nlohmann::json::accept(content(output)));
      });
  CHECK(faults >= 4);
  MESSAGE(faults, " signals");
}
