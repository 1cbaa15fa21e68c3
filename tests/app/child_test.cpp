// Programs run apart: how they end is what is told, and none is left behind.

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <child.hpp>
#include <scratch_folder.hpp>

using namespace locdyn;
using app::ChildOutcome;
using End = ChildOutcome::End;

namespace {

ChildOutcome shell(const std::string& script, const app::ChildLimits& limits = {},
                   const std::function<bool()>& interrupted = {}) {
  return app::run_child({"/bin/sh", "-c", script}, {"LOCDYN_WORD=a word"}, limits, interrupted);
}

}  // namespace

TEST_CASE("a child's text, last complaint, status and surroundings are told") {
  const ChildOutcome outcome =
      shell("echo solving; echo judging; echo one; echo $LOCDYN_WORD; echo first >&2; echo two >&2; exit 3");
  CHECK(outcome.end == End::exited);
  CHECK(outcome.code == 3);
  CHECK(outcome.text == "one\na word\n");
  CHECK(outcome.last_line == "two");
  CHECK(to_string(outcome) == "exited (status 3)");
}

TEST_CASE("a child hears what the parent's own environment says only where nothing else is said") {
  ::setenv("LOCDYN_WORD", "another", 1);
  CHECK(shell("echo $LOCDYN_WORD").text == "a word\n");
  CHECK(app::run_child({"/bin/sh", "-c", "echo $LOCDYN_WORD"}, {}, {}).text == "another\n");
  ::unsetenv("LOCDYN_WORD");
}

TEST_CASE("a crash is an outcome") {
  const ChildOutcome outcome = shell("echo half; kill -SEGV $$");
  CHECK(outcome.end == End::crashed);
  CHECK(outcome.code == SIGSEGV);
  CHECK(outcome.text == "half\n");
  CHECK(to_string(outcome) == "crashed (signal 11)");
}

TEST_CASE("a program that is not there is an outcome") {
  const ChildOutcome outcome = app::run_child({"/no/such/program"}, {}, {});
  CHECK(outcome.end == End::not_started);
  CHECK(to_string(outcome) == "not started (No such file or directory)");
}

TEST_CASE("a hang is ended within 10 % of its limit and a grace, and all that it started with it") {
  const test::ScratchFolder folder;
  // The grandchild would write a second later, and keeps the pipe open.
  const std::string late = folder / "late";
  const ChildOutcome outcome = shell("(sleep 2; touch " + late + ") & echo solving; sleep 100", {.solving_s = 0.5});
  CHECK(outcome.end == End::timed_out);
  CHECK(to_string(outcome) == "timed out");
  CHECK(outcome.seconds >= 0.5);
  CHECK(outcome.seconds < 1.5);
  std::this_thread::sleep_for(std::chrono::milliseconds(2200));
  CHECK_FALSE(std::filesystem::exists(late));
}

TEST_CASE("the limit counts from solving to judging alone") {
  CHECK(shell("sleep 0.6; echo solving; echo judging; sleep 0.6", {.solving_s = 0.3}).end == End::exited);
  CHECK(shell("echo solving; echo solving; sleep 0.6; echo judging", {.solving_s = 0.3}).end == End::timed_out);
  CHECK(shell("sleep 10", {.preparing_s = 0.3}).end == End::timed_out);
}

TEST_CASE("a child that closes its output and stays is ended all the same") {
  const ChildOutcome outcome = shell("echo solving; exec >&- 2>&-; sleep 100", {.solving_s = 0.3});
  CHECK(outcome.end == End::timed_out);
  CHECK(outcome.seconds < 1.3);
}

TEST_CASE("more text than is wanted is dropped, not waited for") {
  const ChildOutcome outcome =
      shell("i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i+1)); done", {.most_bytes = 1000});
  CHECK(outcome.end == End::exited);
  CHECK(outcome.text.size() <= 1000);
  CHECK(outcome.text.size() > 900);
}

TEST_CASE("an interrupt ends a child at once") {
  int asked = 0;
  const ChildOutcome outcome = shell("sleep 100", {}, [&] { return ++asked > 5; });
  CHECK(outcome.end == End::interrupted);
  CHECK(outcome.seconds < 5);
}
