// locdyn bench: what it keeps, how it goes on where it ended, and what it makes of runs.

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include <app/program.hpp>
#include <bench_summary.hpp>
#include <ldy/raw_problem.hpp>
#include <scratch_folder.hpp>

#include <locdyn/ldy/replace_file.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using app::BenchRun;
using test::Outcome;
using test::RawProblem;
using test::ScratchFolder;
using test::two_contacts;
using test::Words;

namespace {

nlohmann::json report_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  return nlohmann::json::parse(in);
}

std::string content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Outcome bench(Words words, const Words& more) {
  words.insert(words.begin(), "bench");
  words.insert(words.end(), more.begin(), more.end());
  return test::locdyn(words);
}

BenchRun run_of(const std::string& problem, const std::string& peer, const std::string& solver, double tolerance,
                double scaled, double seconds, const std::string& status = "converged") {
  BenchRun run;
  run.problem = run.key = problem;
  run.peer = peer;
  run.solver = solver;
  run.tolerance = tolerance;
  run.residual.scaled = scaled;
  run.time_s = seconds;
  run.cpu_s = seconds / 2;
  run.status = status;
  run.contacts = 100;
  return run;
}

}  // namespace

TEST_CASE("bench runs every solver at every tolerance and keeps what each showed") {
  const ScratchFolder folder;
  const std::string json = folder / "runs.json";
  two_contacts().write(folder / "a.hdf5");
  const Outcome outcome =
      bench({folder / "a.hdf5", "builtin:stack:20"},
            {"--solvers", "auto,nsgs", "--tolerances", "1e-2,1e-8", "--time-limit", "5", "-o", json});
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.find("scaled residual ≤ 1.0e-02\n") != std::string::npos);
  CHECK(outcome.out.find("scaled residual ≤ 1.0e-08\n") != std::string::npos);
  const auto report = report_in(json);
  CHECK(report["interrupted"] == false);
  CHECK(report["settings"]["tolerances"] == nlohmann::json{1e-2, 1e-8});
  CHECK(report["settings"]["max_time_s"] == 5);
  CHECK(report["build"]["libraries"]["Eigen"].get<std::string>().starts_with("3."));
  CHECK(report["build"]["commit"].get<std::string>().size() >= 7);
  CHECK(report["machine"]["memory_gib"].get<double>() > 0);
  REQUIRE(report["runs"].size() == 8);
  for (const auto& run : report["runs"]) {
    CAPTURE(run.dump());
    CHECK(run["status"] == "converged");
    CHECK(run["residual"]["scaled"].get<double>() <= run["tolerance"].get<double>());
    CHECK(run["time_s"].get<double>() > 0);
    CHECK(run["cpu_s"].get<double>() > 0);
    CHECK(run["repeats"].get<int>() >= 1);
    CHECK(run["repeats"].get<int>() <= 5);
    CHECK(run["reaction_hash"].get<std::string>().size() == 16);
    CHECK(!run["history"].empty());
    CHECK(run["threads"] == 1);
  }
  CHECK(report["runs"][0]["key"] != report["runs"][4]["key"]);
  CHECK(report["runs"][4]["file"].get<std::string>().starts_with("builtin:stack:"));
}

TEST_CASE("bench --resume does what is not done yet, and all else as before") {
  const ScratchFolder folder;
  const std::string json = folder / "runs.json";
  two_contacts().write(folder / "a.hdf5");
  const Words first = {folder / "a.hdf5", "--solvers", "nsgs", "--tol", "1e-4", "-o", json};
  REQUIRE(bench(first, {}).status == 0);
  const auto before = report_in(json);
  // The same content under another name is the same problem; a new tolerance and a new solver are new runs.
  two_contacts().write(folder / "renamed.hdf5");
  const Outcome more = bench({folder / "renamed.hdf5", "builtin:stack:20"},
                             {"--solvers", "nsgs,auto", "--tolerances", "1e-4,1e-6", "-o", json, "--resume"});
  CHECK(more.status == 0);
  const auto after = report_in(json);
  REQUIRE(before["runs"].size() == 1);
  REQUIRE(after["runs"].size() == 8);
  CHECK(after["runs"][0] == before["runs"][0]);
  // Nothing is left to do: the same runs, to the last digit of their times.
  CHECK(bench({folder / "renamed.hdf5", "builtin:stack:20"},
              {"--solvers", "nsgs,auto", "--tolerances", "1e-4,1e-6", "-o", json, "--resume"})
            .status == 0);
  CHECK(report_in(json)["runs"] == after["runs"]);
  // Without --resume all is done anew.
  CHECK(bench(first, {}).status == 0);
  CHECK(report_in(json)["runs"].size() == 1);

  // A file of another build keeps no run of ours.
  auto foreign = report_in(json);
  foreign["build"]["executable"] = "0000000000000000";
  foreign["runs"][0]["time_s"] = 1234.5;
  replace_file(json, foreign.dump());
  CHECK(bench(first, {"--resume"}).status == 0);
  REQUIRE(report_in(json)["runs"].size() == 1);
  CHECK(report_in(json)["runs"][0]["time_s"] != 1234.5);
}

TEST_CASE("bench --resume goes on from its own file with its own settings, or says why not") {
  const ScratchFolder folder;
  const std::string problem = folder / "a.hdf5", json = folder / "runs.json";
  two_contacts().write(problem);
  const auto refused = [&](const Words& more, const Words& parts) {
    const std::string before = content(json);
    const Outcome outcome = bench({problem, "--solvers", "nsgs", "-o", json, "--resume"}, more);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(test::lines(outcome.err) == 1);
    for (const std::string& part : parts) CHECK(outcome.err.find(part) != std::string::npos);
    CHECK(content(json) == before);
  };
  replace_file(json, "precious\n");
  refused({}, {"runs.json", "locdyn bench"});
  replace_file(json, "{\"runs\": []}\n");
  refused({}, {"runs.json", "locdyn bench"});
  std::filesystem::remove(json);
  REQUIRE(bench({problem, "--solvers", "nsgs", "-o", json, "--resume"}, {}).status == 0);  // nothing to go on from
  refused({"--max-time", "11"}, {"max_time_s", "11", "10"});
  refused({"--threads", "2"}, {"threads"});
  auto broken = report_in(json);
  broken["runs"][0].erase("status");
  replace_file(json, broken.dump());
  refused({}, {"runs.json", "runs", "status"});
  const Outcome nowhere = bench({problem, "--resume"}, {});
  CHECK(nowhere.status == 2);
  CHECK(nowhere.err.find("--resume") != std::string::npos);
}

TEST_CASE("bench says before it runs anything that its file cannot be written") {
  const ScratchFolder folder;
  const std::string problem = folder / "a.hdf5";
  two_contacts().write(problem);
  for (const std::string& output :
       {(folder / "missing/out.json").string(), folder.path().string(), std::string("/dev/full")}) {
    const Outcome outcome = bench({problem, "builtin:tower:300"}, {"--tol", "1e-30", "--max-time", "60", "-o", output});
    CHECK(outcome.status == 2);  // a minute for each solver otherwise
    CHECK(test::lines(outcome.err) == 1);
    CHECK(outcome.err.find(output) != std::string::npos);
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("bench: bad usage is one line") {
  const ScratchFolder folder;
  const std::string problem = folder / "a.hdf5";
  two_contacts().write(problem);
  const auto refused = [&](const Words& more, const std::string& part) {
    const Outcome outcome = bench({problem}, more);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(test::lines(outcome.err) == 1);
    CHECK(outcome.err.find(part) != std::string::npos);
  };
  for (const char* bad : {"0", "1e-4,x", "1e-4,,1e-8", "-1", "nan", "1e-4;1e-8"}) {
    refused({"--tolerances", bad}, "--tolerances");
  }
  refused({"--clock", "sun"}, "--clock");
  refused({"--peers", "chrono"}, "siconos");
  refused({"--peers", "siconos", "--measure", "absolute"}, "--measure scaled");
}

TEST_CASE("bench: a run that does not converge is status 1") {
  const Outcome outcome = test::locdyn({"bench", "builtin:stack:20", "--solvers", "nsgs", "--max-iterations", "0"});
  CHECK(outcome.status == 1);
  CHECK(outcome.out.find("nsgs    0 of 1") != std::string::npos);
}

TEST_CASE("Siconos solves our problems, and its own error is our relative residual") {
  const auto peer = std::filesystem::path(LOCDYN_EXECUTABLE).parent_path() / "benchmark_siconos";
  if (!std::filesystem::exists(peer)) {
    MESSAGE("skipped: built without Siconos");
    return;
  }
  const ScratchFolder folder;
  const std::string json = folder / "runs.json";
  two_contacts().write(folder / "a.hdf5");
  RawProblem flat = two_contacts();
  flat.integers["fclib_local/spacedim"] = {2};
  flat.integers["fclib_local/W/m"] = flat.integers["fclib_local/W/n"] = {4};
  flat.integers["fclib_local/W/nzmax"] = {4};
  flat.integers["fclib_local/W/p"] = {0, 1, 2, 3, 4};
  flat.integers["fclib_local/W/i"] = {0, 1, 2, 3};
  flat.reals["fclib_local/W/x"] = {2, 3, 5, 6};
  flat.reals["fclib_local/vectors/q"] = {-1, 0.1, -2, 0.3};
  flat.write(folder / "flat.hdf5");
  const Outcome outcome = bench({folder / "a.hdf5", folder / "flat.hdf5", "builtin:stack:20"},
                                {"--solvers", "auto", "--tolerances", "1e-6", "--time-limit", "20", "--peers",
                                 "siconos:nsgs,siconos:prox", "-o", json});
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.find("siconos:nsgs takes ") != std::string::npos);
  std::size_t theirs = 0;
  const auto report = report_in(json);
  for (const auto& run : report["runs"]) {
    if (run["peer"] == "") continue;
    ++theirs;
    CAPTURE(run.dump());
    CHECK(run["problem"] != "flat");  // not theirs to solve here
    CHECK(run["status"] == "converged");
    const double own = run["own_residual"].get<double>(), judged = run["residual"]["relative"].get<double>();
    // Theirs is divided by ‖R‖ where that is larger than ‖q‖: on the stack it is.
    CHECK(own <= 1.001 * judged + 1e-14);
    if (run["problem"] == "a") CHECK(own >= 0.999 * judged - 1e-14);
  }
  CHECK(theirs >= 6);  // both climb from 1e-2 on both problems
  const Outcome unknown = bench({folder / "a.hdf5"}, {"--peers", "siconos:magic"});
  CHECK(unknown.status == 2);
  CHECK(unknown.err.find("magic") != std::string::npos);
  CHECK(unknown.err.find("nsgs-quartic") != std::string::npos);
}

TEST_CASE("a peer's time to an accuracy is that of its cheapest run that the judge accepts") {
  const std::vector<BenchRun> runs = {
      run_of("p", "other", "s", 1e-2, 3e-5, 1.0), run_of("p", "other", "s", 1e-3, 2e-6, 0.5, "failed"),
      run_of("p", "other", "s", 1e-4, 1e-9, 7.0), run_of("p", "other", "s", 1e-5, std::nan(""), 0, "timed out")};
  std::vector<const BenchRun*> all;
  for (const BenchRun& run : runs) all.push_back(&run);
  CHECK(app::time_to(1e-4, {}, all) == 0.5);  // whatever it says of itself
  CHECK(app::time_to(1e-8, {}, all) == 7.0);
  CHECK(app::time_to(1e-8, {.time = &BenchRun::cpu_s}, all) == 3.5);
  CHECK_FALSE(app::time_to(1e-10, {}, all).has_value());
  // Rounding counts as it does for our own.
  BenchRun floored = run_of("p", "other", "s", 1e-14, 1e-9, 2.0);
  floored.residual.floor = 2e-9;
  const BenchRun* one = &floored;
  CHECK(app::time_to(1e-10, {}, {&one, 1}) == 2.0);
}

TEST_CASE("our own time to an accuracy is that of the run at that tolerance, if the judge agrees") {
  const std::vector<BenchRun> runs = {run_of("p", "", "auto", 1e-4, 1e-9, 1.0),
                                      run_of("p", "", "auto", 1e-8, 1e-7, 2.0),
                                      run_of("p", "", "auto", 1e-6, 1e-7, 3.0, "stalled")};
  std::vector<const BenchRun*> all;
  for (const BenchRun& run : runs) all.push_back(&run);
  CHECK(app::time_to(1e-4, {}, all) == 1.0);
  CHECK_FALSE(app::time_to(1e-8, {}, all).has_value());
  CHECK_FALSE(app::time_to(1e-6, {}, all).has_value());
}

TEST_CASE("ratios are geometric means over what both solve, the rest is counted") {
  const std::vector<std::optional<double>> own = {1.0, 2.0, 3.0, std::nullopt, std::nullopt};
  const std::vector<std::optional<double>> other = {4.0, 32.0, std::nullopt, 1.0, std::nullopt};
  const app::TimeRatio found = app::ratio(own, other);
  CHECK(found.mean == doctest::Approx(8).epsilon(1e-14));  // √(4 · 16)
  CHECK(found.both == 2);
  CHECK(found.own == 1);
  CHECK(found.other == 1);
  CHECK(found.neither == 1);
  CHECK(std::isnan(app::ratio({}, {}).mean));
}

TEST_CASE("the summary compares with a peer's first solver and with its best on each problem") {
  std::vector<BenchRun> runs;
  for (const std::string problem : {"p", "q"}) {
    runs.push_back(run_of(problem, "", "auto", 1e-4, 1e-5, 1.0));
    runs.push_back(run_of(problem, "other", "default", 1e-4, 1e-5, 9.0));
    runs.push_back(run_of(problem, "other", "second", 1e-4, 1e-5, problem == "p" ? 4.0 : 16.0));
  }
  runs.push_back(run_of("few", "", "auto", 1e-4, 1e-5, 1.0));
  runs.push_back(run_of("few", "other", "default", 1e-4, 1e-5, 1e3));
  runs[6].contacts = runs[7].contacts = 19;
  const double accuracy[] = {1e-4};
  const std::string text = app::summary(runs, accuracy);
  CAPTURE(text);
  CHECK(
      text.find("other:default takes 9 times as long as auto: geometric mean over 2 problems; auto alone solves 0, it "
                "alone 0, neither 0\n") != std::string::npos);
  CHECK(text.find("the best of 2 solvers of other on each problem takes 6 times as long as auto: geometric mean over 2 "
                  "problems") != std::string::npos);
  CHECK(text.find("auto           3 of 3") != std::string::npos);
}
