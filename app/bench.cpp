// locdyn bench: a matrix of problems, solvers and tolerances, each run in a process of its own; kept as JSON, summed up
// as a table, drawn as performance profiles. On scenes it is `bench_scenes`.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <sstream>

#include "advice.hpp"
#include "bench_file.hpp"
#include "bench_matrix.hpp"
#include "bench_summary.hpp"
#include "command.hpp"
#include "format.hpp"
#include "interrupt.hpp"
#include "plot.hpp"
#include "progress.hpp"
#include "stepping/bench_scenes.hpp"

namespace locdyn::app {
namespace {

std::vector<double> tolerances_in(const std::string& list) {
  std::vector<double> tolerances;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (word.empty() || *end != '\0' || !std::isfinite(value) || !(value > 0)) {
      throw UsageError("--tolerances: expected finite numbers > 0 with commas between them, found " + list);
    }
    if (std::find(tolerances.begin(), tolerances.end(), value) == tolerances.end()) tolerances.push_back(value);
  }
  return tolerances;
}

// This project's own runs at the tightest tolerance as `advice` reads them.
std::string advice_on(const std::vector<BenchRun>& all, double tolerance) {
  std::vector<Run> runs;
  for (const BenchRun& one : all) {
    if (!one.peer.empty() || one.tolerance != tolerance) continue;
    Run run;
    run.problem = one.key;
    run.solver = one.solver;
    run.contacts = one.contacts;
    run.blocks = one.blocks;
    run.pyramid = one.pyramid;
    run.report.status = one.status == "converged" ? SolveStatus::converged : SolveStatus::failed;
    run.report.seconds = one.time_s;
    runs.push_back(std::move(run));
  }
  return advice(runs);
}

struct BenchCommand {
  std::vector<std::string> what;
  std::string output, plot, peers, tolerances, other, clock = "wall";
  int trajectories = 1;
  bool resume = false, race = false;
  SolverOptions options;
  CLI::App* parser = nullptr;

  // Everything that can be wrong with what was asked for, before anything is run or written.
  BenchSettings checked() const {
    BenchSettings settings{options, tolerances_in(tolerances)};
    (void)checked_choices(options);
    if (race) settings.peers = BenchSettings::Peers::race;
    if (settings.tolerances.empty()) settings.tolerances = {options.tolerance};
    for (const double tolerance : settings.tolerances) {
      settings.options.tolerance = tolerance;
      (void)checked_stop(settings.options);
    }
    if (clock != "wall" && clock != "cpu") throw UsageError("--clock: expected wall or cpu, found " + clock);
    if (resume && output.empty()) throw UsageError("--resume: expected -o FILE to go on from, found none");
    if (!peers.empty() && options.measure != "scaled") {
      throw UsageError("--peers: expected --measure scaled, found " + options.measure);
    }
    if (!plot.empty()) check_drawing("--plot", plot, kProfilesScript);
    return settings;
  }

  // The same for scenes, whose steps have tolerances, limits and clocks of their own.
  SceneBenchRequest scene_request() const {
    for (const char* option : {"--measure", "--max-iterations", "--facets", "--clock", "--race", "--resume"}) {
      if (parser->count(option) > 0) throw UsageError(std::string(option) + ": expected problem files, found scenes");
    }
    SceneBenchRequest request{.what = what, .settings = {}, .peers = peers, .output = output, .plot = plot};
    request.settings.tolerances = checked().tolerances;
    if (tolerances.empty() && parser->count("--tol") == 0) request.settings.tolerances = {1e-3, 1e-4, 1e-6, 1e-8};
    request.settings.solvers = {"auto", "nsgs", "newton"};
    if (!options.solvers.empty()) {
      request.settings.solvers.clear();
      for (const SolverEntry* entry : chosen_solvers(options)) request.settings.solvers.emplace_back(entry->name);
    }
    if (trajectories < 1 || trajectories > 100) {
      throw UsageError("--trajectories: expected a number from 1 to 100, found " + std::to_string(trajectories));
    }
    request.settings.trajectories = trajectories;
    request.settings.max_seconds = options.max_seconds;
    request.settings.threads = options.threads;
    request.settings.without = options.without;
    request.settings.other = other;
    return request;
  }

  void print_summary(const BenchReport& report, const BenchSettings& settings) const {
    const auto time = clock == "cpu" ? &BenchRun::cpu_s : &BenchRun::time_s;
    std::cout << summary(report.runs, settings.tolerances, {options.measure, time});
    const double tightest = *std::min_element(settings.tolerances.begin(), settings.tolerances.end());
    if (const std::string text = advice_on(report.runs, tightest); !text.empty()) std::cout << '\n' << text << '\n';
    flush_output();
  }

  int run() const {
    if (names_scenes(what)) return bench_scenes(scene_request());
    if (!other.empty()) throw UsageError("--against: expected scenes, found problem files");
    if (parser->count("--trajectories") > 0) throw UsageError("--trajectories: expected scenes, found problem files");
    const BenchSettings settings = checked();
    const auto solvers = chosen_solvers(options);
    const std::vector<Peer> others = find_peers(peers);
    const InterruptGuard guard;
    BenchFile file(output);
    BenchReport report;
    if (resume) report = file.earlier_runs(settings);

    RunProgress progress;
    BenchEvents events;
    events.start = [&](auto... where) { progress.start(where...); };
    events.fault = [&](const std::string& line) {
      progress.clear();
      complain(line);
    };
    events.kept = [&](const BenchReport& so_far) { file.keep(so_far, settings); };
    events.interrupted = InterruptGuard::interrupted;
    const ProblemList problems = find_problems(what);
    run_bench(problems, solvers, others, settings, events, report);
    progress.clear();

    // The file first: what follows may fail.
    const std::string json = bench_json(report, settings);
    file.finish(json);
    if (!report.runs.empty()) print_summary(report, settings);
    if (!plot.empty() && !report.runs.empty()) plot_report(kProfilesScript, json, plot, {"--clock", clock});
    if (report.interrupted) complain("interrupted after " + counted(report.runs.size(), "run"));
    return report.status();
  }
};

}  // namespace

Command bench_command(CLI::App& app) {
  auto command = std::make_shared<BenchCommand>();
  command->options.max_seconds = 10;
  CLI::App* parser = app.add_subcommand("bench", "time solvers on problems, or on the steps of scenes: JSON and plots");
  command->parser = parser;
  parser->add_option("WHAT", command->what, "files, folders, builtin[:scene[:size]]; or scenes and folders of them")
      ->required();
  add_solver_list(*parser, command->options);
  add_stop_options(*parser, command->options);
  parser->add_option("--tolerances", command->tolerances, "several in place of --tol, with commas between them");
  parser->add_option("-o,--output", command->output, "write all runs to this file (JSON), and go on writing");
  parser->add_flag("--resume", command->resume, "keep the runs that the file of -o holds, and do the others");
  parser->add_option("--clock", command->clock, "time that table and plot compare: wall, or cpu on a busy machine")
      ->capture_default_str();
  parser->add_option("--plot", command->plot, "draw performance profiles and residuals into this file (.png or .svg)");
  parser->add_option("--peers", command->peers,
                     "run others' solvers beside: siconos, or siconos:SOLVER with commas; on scenes bullet, mujoco");
  parser->add_option("--against", command->other,
                     "on scenes: another build of locdyn, run in turn with the first solver");
  parser->add_option("--trajectories", command->trajectories,
                     "on scenes: so many of each, with h a thousandth apart; the rules are then of all of them");
  parser->add_flag("--race", command->race,
                   "end a peer's run, but its first solver's, once it is far behind the peer's best on that problem");
  return {parser, [command] { return command->run(); }};
}

}  // namespace locdyn::app
