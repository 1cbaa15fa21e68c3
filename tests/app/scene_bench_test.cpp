// locdyn bench on scenes: statistics of steps, and the program itself on scenes of a few steps.

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <app/program.hpp>
#include <child_channel.hpp>
#include <scratch_folder.hpp>
#include <stepping/engine_list.hpp>
#include <stepping/other_build.hpp>
#include <stepping/processor_limit.hpp>
#include <stepping/scene_list.hpp>
#include <stepping/scene_run.hpp>
#include <stepping/scene_summary.hpp>
#include <stepping/step_teller.hpp>

#include <locdyn/ldy/replace_file.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using app::StepSample;
using test::Outcome;
using test::ScratchFolder;
using test::Words;

namespace {

// A box that slides on the ground; `more` are further keys.
std::string sliding_box(const std::string& more = "") {
  return R"({"step": 0.01, "duration": 0.1, "surfaces": {"wood": {"friction": 0.3}}, "bodies": [
    {"kind": "obstacle", "surface": "wood", "shape": {"type": "plane"}},
    {"name": "box", "position": [0, 0, 0.5], "velocity": [1, 0, 0], "density": 600, "surface": "wood",
     "shape": {"type": "box", "size": [1, 1, 1]}}])" +
         more + "}";
}

std::string write_scene(const std::filesystem::path& file, const std::string& text) {
  replace_file(file, text);
  return file.string();
}

nlohmann::json runs_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  return nlohmann::json::parse(in);
}

Outcome bench_steps(Words words, const Words& more) {
  words.insert(words.begin(), "bench");
  words.insert(words.end(), more.begin(), more.end());
  return test::locdyn(words);
}

}  // namespace

TEST_CASE("quantiles are by nearest rank: always one of the values") {
  const std::vector<double> ten = {7, 1, 9, 3, 10, 5, 2, 8, 4, 6};
  CHECK(app::quantile(ten, 0) == 1);
  CHECK(app::quantile(ten, 0.5) == 5);
  CHECK(app::quantile(ten, 0.9) == 9);  // ⌈9⌉, though 0.9 · 10 is more than 9 in doubles of other sizes
  CHECK(app::quantile(ten, 0.91) == 10);
  CHECK(app::quantile(ten, 0.99) == 10);
  CHECK(app::quantile(ten, 1) == 10);
  CHECK(app::quantile({4.0}, 0.5) == 4);
  CHECK(app::quantile({4, 1, 2}, 0.5) == 2);
  CHECK(std::isnan(app::quantile({}, 0.5)));
  // Of a hundred values the 99 % is the second largest, of 200 the third.
  std::vector<double> many;
  for (int k = 1; k <= 200; ++k) many.push_back(k);
  CHECK(app::quantile(many, 0.99) == 198);
  many.resize(100);
  CHECK(app::quantile(many, 0.99) == 99);
}

TEST_CASE("statistics of steps against numbers by hand") {
  // Twenty steps, 18 of 1 s, one of 2 s, one of 80 s: the dearest tenth are two, 82 of 100 s.
  std::vector<double> seconds(20, 1.0);
  seconds[3] = 80;
  seconds[17] = 2;
  const app::StepStatistics found = app::step_statistics(seconds);
  CHECK(found.steps == 20);
  CHECK(found.total == 100);
  CHECK(found.median == 1);
  CHECK(found.p90 == 1);
  CHECK(found.p99 == 80);
  CHECK(found.largest == 80);
  CHECK(found.dearest_tenth == doctest::Approx(0.82).epsilon(1e-15));
  // A tenth of 21 steps are three, rounded up.
  seconds.push_back(1);
  CHECK(app::step_statistics(seconds).dearest_tenth == doctest::Approx(83.0 / 101).epsilon(1e-15));
  const app::StepStatistics none = app::step_statistics({});
  CHECK(none.steps == 0);
  CHECK(none.total == 0);
  CHECK(std::isnan(none.median));
  CHECK(std::isnan(none.dearest_tenth));
}

TEST_CASE("a sample survives its line, what is not told too") {
  StepSample sample;
  sample.time_s = 0.1;
  sample.contacts = 12;
  sample.residual = 1.0 / 3;
  sample.flops = StepSample::kUntold;
  sample.solved = false;
  sample.stages.solve = 0.25;
  const StepSample back = app::sample_of(nlohmann::ordered_json::parse(app::line_of(sample)));
  CHECK(back.time_s == 0.1);
  CHECK(back.contacts == 12);
  CHECK(back.residual == 1.0 / 3);
  CHECK(std::isnan(back.flops));
  CHECK_FALSE(back.solved);
  CHECK(back.stages.solve == 0.25);
  CHECK_THROWS_AS((void)app::sample_of(nlohmann::ordered_json::parse("[1, 2]")), nlohmann::json::exception);
}

TEST_CASE("a table of energies is read to its last whole line") {
  const ScratchFolder folder;
  const std::string head =
      "step,contacts,iterations,status,residual,detection [s],assembly [s],solve [s],correction time [s],other [s]\n";
  const std::string file = write_scene(folder / "energies.csv", head +
                                                                    "1,4,7,converged,1e-5,1,2,3,4,5\n"
                                                                    "2,5,9,max_iterations,1e-2,1,1,1,1,1\n3,6,1,conv");
  const std::vector<StepSample> steps = app::steps_in_table(file);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].time_s == 15);
  CHECK(steps[0].iterations == 7);
  CHECK(steps[0].solved);
  CHECK(std::isnan(steps[0].flops));
  CHECK(steps[1].contacts == 5);
  CHECK(steps[1].residual == 1e-2);
  CHECK_FALSE(steps[1].solved);
  CHECK(app::steps_in_table(write_scene(folder / "other.csv", "a,b\n1,2\n")).empty());
  CHECK(app::steps_in_table(folder / "none.csv").empty());
}

TEST_CASE("scenes of a folder: those that are stepped, by name, and one asked for must be") {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "in/deeper");
  write_scene(folder / "in/b.json", sliding_box());
  write_scene(folder / "in/deeper/a.json", sliding_box());
  const std::string mechanism = write_scene(
      folder / "in/c.json",
      R"({"step": 0.01, "duration": 1, "smooth": {}, "bodies": [{"name": "bar", "mass": 1, "inertia": [1, 1, 1]}]})");
  const app::BenchSceneList list = app::find_scenes({folder / "in"});
  CHECK(list.faults.empty());
  REQUIRE(list.scenes.size() == 2);
  CHECK(list.scenes[0].name == "b");
  CHECK(list.scenes[0].steps == 10);
  CHECK(list.scenes[1].name == "a");
  CHECK(list.scenes[0].key == list.scenes[1].key);
  const app::BenchSceneList refused = app::find_scenes({mechanism});
  CHECK(refused.scenes.empty());
  REQUIRE(refused.faults.size() == 1);
  CHECK(refused.faults[0].find("smooth") != std::string::npos);
  CHECK(app::names_scenes({folder / "in"}));
  CHECK_FALSE(app::names_scenes({"builtin", "a.hdf5"}));
}

TEST_CASE("bench steps a scene with every solver at every tolerance and tells what it cost") {
  const ScratchFolder folder;
  const std::string json = folder / "runs.json";
  const Outcome outcome = bench_steps({write_scene(folder / "box.json", sliding_box())},
                                      {"--solvers", "auto,nsgs", "--tolerances", "1e-3,1e-8", "-o", json});
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.find("box: 2 bodies") != std::string::npos);
  CHECK(outcome.out.find("auto / best single solver, geometric mean") != std::string::npos);
  CHECK(outcome.out.find("rules met: ") != std::string::npos);
  const auto report = runs_in(json);
  CHECK(report["interrupted"] == false);
  CHECK(report["settings"]["solvers"] == nlohmann::json{"auto", "nsgs"});
  CHECK(report["rules"].size() == 4);  // two ratios, their mean, one pair of tolerances
  REQUIRE(report["runs"].size() == 4);
  for (const auto& run : report["runs"]) {
    CAPTURE(run.dump());
    CHECK(run["status"] == "done");
    CHECK(run["steps"] == 10);
    CHECK(run["steps_wanted"] == 10);
    CHECK(run["unsolved"] == 0);
    CHECK(run["contacts"]["most"] == 4);
    CHECK(run["residual"]["worst"].get<double>() <= run["tolerance"].get<double>());
    CHECK(run["residual"]["median"].get<double>() <= run["residual"]["worst"].get<double>());
    CHECK(run["block_products"].get<double>() > 0);
    CHECK(run["factorisations"].get<double>() >= 0);
    CHECK(run["factorisation_flops"].get<double>() >= 0);
    CHECK(run["iterations"].get<double>() > 0);
    CHECK(run["step_s"].size() == 10);
    CHECK(run["median_s"].get<double>() > 0);  // finer than the ticks of a clock that counts in them
    CHECK(run["median_s"].get<double>() <= run["p90_s"].get<double>());
    CHECK(run["p99_s"].get<double>() <= run["largest_s"].get<double>());
    CHECK(run["largest_s"].get<double>() <= run["total_s"].get<double>());
    CHECK(run["dearest_tenth"].get<double>() <= 1);
    CHECK(run["stages_s"]["solve"].get<double>() > 0);
  }
}

TEST_CASE("unsolved steps and scenes cut short are told, and are status 1") {
  const ScratchFolder folder;
  const std::string json = folder / "runs.json";
  const std::string scene = write_scene(folder / "box.json", sliding_box(R"(, "solver": {"max_iterations": 0})"));
  CHECK(bench_steps({scene}, {"--solvers", "nsgs", "--tol", "1e-8", "-o", json}).status == 1);
  const auto run = runs_in(json)["runs"][0];
  CHECK(run["status"] == "done");
  CHECK(run["unsolved"] == 10);
  CHECK(run["residual"]["worst"].get<double>() > 1e-8);
  // A limit that one step takes up: the step that was done is told.
  const std::string slow = write_scene(folder / "slow.json", sliding_box());
  const Outcome cut = bench_steps({slow}, {"--solvers", "nsgs", "--tol", "1e-8", "--max-time", "1e-9", "-o", json});
  CHECK(cut.status == 1);
  CHECK(cut.out.find("1 of 10") != std::string::npos);
  CHECK(runs_in(json)["runs"][0]["status"] == "time limit");
  CHECK(runs_in(json)["runs"][0]["steps"] == 1);
}

TEST_CASE("a step without an end: the limit ends its process, and the steps before it are told") {
  int lines[2] = {};
  REQUIRE(::pipe(lines) == 0);
  std::cout.flush();  // what waits there is the parent's to say
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(lines[1], STDOUT_FILENO);
    const app::ChildChannel channel;
    app::StepTeller teller(channel);
    {
      const app::ProcessorLimit lifted(1e3, [] { ::_exit(1); }), never(0, [] { ::_exit(2); });
    }
    const app::ProcessorLimit limit(0.05, [&] { teller.tell_rest(); });
    app::StepSample sample;
    sample.time_s = 0.25;
    sample.contacts = 7;
    teller.tell(sample);
    for (volatile long spin = 0;;) spin = spin + 1;
  }
  ::close(lines[1]);
  std::string text;
  char buffer[256];
  for (long got = 0; (got = ::read(lines[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  ::close(lines[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == app::kOutOfTime);
  const StepSample sample = app::sample_of(nlohmann::ordered_json::parse(text));
  CHECK(sample.time_s == 0.25);
  CHECK(sample.contacts == 7);
}

TEST_CASE("several trajectories: each a run of its own, with as many steps and another h") {
  const ScratchFolder folder;
  const std::string json = folder / "runs.json", scene = write_scene(folder / "box.json", sliding_box());
  const Outcome outcome = bench_steps({scene}, {"--solvers", "nsgs", "--tol", "1e-6", "--trajectories", "3",
                                                "--against", LOCDYN_EXECUTABLE, "-o", json});
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("nsgs #3") != std::string::npos);
  CHECK(outcome.out.find("in 3 trajectories") != std::string::npos);
  const auto runs = runs_in(json)["runs"];
  REQUIRE(runs.size() == 9);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    CHECK(runs[k]["trajectory"] == k / 3 + 1);
    CHECK(runs[k]["steps"] == 10);
    // The same h in all three programs, and another on another trajectory.
    CHECK(runs[k]["residual"] == runs[k / 3 * 3]["residual"]);
  }
  CHECK(runs[0]["residual"] != runs[3]["residual"]);
  for (const char* wrong : {"0", "-1", "101", "two"}) {
    const Outcome refused = bench_steps({scene}, {"--trajectories", wrong});
    CHECK(refused.status == 2);
    CHECK(refused.err.find("--trajectories") != std::string::npos);
  }
  CHECK(bench_steps({"builtin:stack:20"}, {"--trajectories", "2"}).err.find("--trajectories: expected scenes") !=
        std::string::npos);
}

TEST_CASE("bench beside another build: its steps are those of its table") {
  const ScratchFolder folder;
  const std::string json = folder / "runs.json", scene = write_scene(folder / "box.json", sliding_box());
  const Outcome outcome =
      bench_steps({scene}, {"--solvers", "nsgs", "--tol", "1e-4", "--against", LOCDYN_EXECUTABLE, "-o", json});
  CHECK(outcome.status == 0);
  const auto runs = runs_in(json)["runs"];
  REQUIRE(runs.size() == 3);
  CHECK(runs[1]["program"] == "this");
  CHECK(runs[2]["program"] == "other");
  for (const std::size_t k : {1, 2}) {
    CHECK(runs[k]["status"] == "done");
    CHECK(runs[k]["steps"] == 10);
    CHECK(runs[k]["total_s"].get<double>() > 0);
    CHECK(runs[k]["iterations"] == runs[0]["iterations"]);
    CHECK(runs[k]["residual"] == runs[0]["residual"]);
    CHECK(runs[k]["factorisations"].is_null());
  }
  const Outcome none =
      bench_steps({scene}, {"--solvers", "nsgs", "--tol", "1e-4", "--against", folder / "none", "-o", json});
  CHECK(runs_in(json)["runs"][2]["status"].get<std::string>().starts_with("exited"));
}

TEST_CASE("scenes: what is wrong is one line and status 2, and the rest is still done") {
  const ScratchFolder folder;
  const std::string good = write_scene(folder / "good.json", sliding_box()), json = folder / "runs.json";
  const std::string bad = write_scene(folder / "bad.json", R"({"step": -1, "duration": 1})");
  const std::string deep = write_scene(folder / "deep.json", R"({"step": 0.1, "duration": 1, "bodies": [
    {"density": 1, "shape": {"type": "sphere", "radius": 1}}, {"density": 1, "shape": {"type": "sphere", "radius": 1}}]})");
  for (const std::string& scene : {bad, deep, (folder / "none.json").string()}) {
    const Outcome outcome = bench_steps({scene, good}, {"--solvers", "nsgs", "--tol", "1e-4", "-o", json});
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(test::lines(outcome.err) == 1);
    CHECK(outcome.err.find(scene) != std::string::npos);
    CHECK(runs_in(json)["runs"].size() == 1);
    CHECK(runs_in(json)["unreadable"].size() == 1);
  }
  const auto refused = [&](const Words& more, const std::string& part) {
    const Outcome outcome = bench_steps({good}, more);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(test::lines(outcome.err) == 1);
    CHECK(outcome.err.find(part) != std::string::npos);
  };
  refused({"--resume", "-o", json}, "--resume");
  refused({"--measure", "absolute"}, "--measure");
  refused({"--solvers", "magic"}, "magic");
  refused({"--tolerances", "0"}, "--tolerances");
  refused({"--peers", "chrono"}, "--peers");
  refused({"-o", folder / "missing/runs.json"}, "missing");
  const Outcome problems = bench_steps({"builtin:stack:20"}, {"--against", LOCDYN_EXECUTABLE});
  CHECK(problems.status == 2);
  CHECK(problems.err.find("--against") != std::string::npos);
}

TEST_CASE("other engines step the same scene, judged by us") {
  const auto program = std::filesystem::path(LOCDYN_EXECUTABLE).parent_path() / "benchmark_stepping";
  if (!std::filesystem::exists(program)) {
    MESSAGE("skipped: built without the benchmarks");
    return;
  }
  const ScratchFolder folder;
  const std::string json = folder / "runs.json";
  const Outcome outcome = bench_steps({write_scene(folder / "box.json", sliding_box())},
                                      {"--solvers", "nsgs", "--tol", "1e-3", "--peers", "bullet", "-o", json});
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  const auto runs = runs_in(json)["runs"];
  REQUIRE(runs.size() >= 3);
  CHECK(runs[1]["program"] == "bullet");
  CHECK(runs[1]["solver"] == "default");
  CHECK(runs[1]["peer"] == true);
  CHECK(runs[1]["steps"] == 10);
  CHECK(runs[1]["contacts"]["most"] == 4);
  CHECK(runs[1]["residual"]["median"].get<double>() < 0.1);
}
