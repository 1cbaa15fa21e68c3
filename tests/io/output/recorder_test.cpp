#include <locdyn/io/output/recorder.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include <io/output/scene.hpp>
#include <locdyn/io/output/checkpoint.hpp>
#include <locdyn/ldy/fclib/fclib.hpp>
#include <locdyn/ldy/file_error.hpp>

using namespace locdyn;
using namespace locdyn::test;

namespace {

std::size_t line_count(const fs::path& path) {
  const std::string text = content_of(path);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string fault_of(const fs::path& folder, TimeStepper& stepper) {
  try {
    const Recorder recorder(folder, stepper);
  } catch (const FileError& fault) {
    return fault.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a run leaves what was asked for, and goes on from its checkpoint beside it") {
  const ScratchFolder folder;
  const fs::path out = folder / "out";
  {
    FloorScene scene;
    TimeStepper stepper(scene.system, {.step = 2e-3});
    Recorder recorder(out, stepper, {.every = 4, .dump_every = 5, .checkpoint_every = 3});
    for (int step = 0; step < 10; ++step) recorder.record(stepper.step());
    CHECK(read_checkpoint(out / "checkpoint.h5", scene.system).step == 9);
    recorder.close();
    recorder.close();
    CHECK(recorder.frames() == 4);  // 0, 4, 8 and the last
    CHECK(recorder.problems() == 2);
    CHECK(read_checkpoint(out / "checkpoint.h5", scene.system).step == 10);
    CHECK_THROWS_AS(recorder.record({}), std::logic_error);
  }
  CHECK(line_count(out / "energies.csv") == 11);
  CHECK(read_fclib(out / "problems" / "step_00000010.hdf5").solution.has_value());
  CHECK(fs::exists(out / "trajectory.h5"));
  CHECK(fs::exists(out / "trajectory.xdmf"));

  FloorScene scene;
  TimeStepper stepper(scene.system, {.step = 2e-3});
  stepper.restore(read_checkpoint(out / "checkpoint.h5", scene.system));
  Recorder recorder(out, stepper);
  recorder.record(stepper.step());
  recorder.close();
  CHECK(line_count(out / "energies.csv") == 11);
  CHECK(line_count(out / "energies_from_10.csv") == 2);
  CHECK(fs::exists(out / "trajectory_from_10.h5"));
}

TEST_CASE("the problem of a step is whole where islands fall asleep at its end") {
  const ScratchFolder folder;
  FloorScene scene;
  TimeStepper stepper(scene.system, {.step = 2e-3});
  Recorder recorder(folder / "out", stepper, {.every = 0, .dump_every = 1});
  StepReport report;
  std::size_t problems = 0;
  while (report.sleeping == 0 && report.step < 500) {
    recorder.record(report = stepper.step());
    problems += report.contacts > 0;
  }
  REQUIRE(report.sleeping > 0);
  CHECK(recorder.problems() == problems);
  char name[48];
  std::snprintf(name, sizeof name, "step_%08ld.hdf5", report.step);
  CHECK(read_fclib(folder / "out" / "problems" / name).ldy.constraint_count() == report.contacts);
  CHECK(stepper.system().graph().constraint_count() < report.contacts);
}

TEST_CASE("a recorder that dies leaves readable files") {
  const ScratchFolder folder;
  FloorScene scene;
  TimeStepper stepper(scene.system, {.step = 2e-3});
  {
    Recorder recorder(folder / "out", stepper, {.every = 1});
    recorder.record(stepper.step());
  }
  CHECK(line_count(folder / "out" / "energies.csv") == 2);
  CHECK(content_of(folder / "out" / "trajectory.xdmf").find("/contacts/force/000001") != std::string::npos);
}

TEST_CASE("folders that cannot be used are refused in one line") {
  const ScratchFolder folder;
  FloorScene scene;
  TimeStepper stepper(scene.system, {});
  replace_file(folder / "file", "x");
  CHECK(fault_of(folder / "file", stepper).find("expected a folder, found a file") != std::string::npos);
  CHECK(fault_of(folder / "missing" / "out", stepper).find("expected a folder that can be made") != std::string::npos);
  CHECK(fault_of("", stepper).find("empty") != std::string::npos);
  fs::create_directory(folder / "locked");
  fs::permissions(folder / "locked", fs::perms::owner_read | fs::perms::owner_exec);
  if (::geteuid() != 0) {  // root may write anywhere
    CHECK(fault_of(folder / "locked", stepper).find("expected a file that can be written to") != std::string::npos);
  }
  CHECK(fault_of("/proc/locdyn", stepper).find("expected a folder that can be made") != std::string::npos);
  CHECK_THROWS_AS(Recorder(folder / "out", stepper, {.every = -1}), std::invalid_argument);
  CHECK_THROWS_AS(Recorder(folder / "out", stepper, {.dump_every = -1}), std::invalid_argument);
  CHECK_FALSE(fs::exists(folder / "out"));
}
