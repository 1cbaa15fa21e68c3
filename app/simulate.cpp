// locdyn simulate: a scene stepped through time, with what it leaves in a folder and a summary at the end.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include <locdyn/io/output/checkpoint.hpp>
#include <locdyn/io/output/recorder.hpp>
#include <locdyn/io/scene/build_scene.hpp>
#include <locdyn/io/scene/read_scene.hpp>

#include "command.hpp"
#include "format.hpp"
#include "interrupt.hpp"
#include "plot.hpp"
#include "progress.hpp"
#include "run.hpp"
#include "run_path.hpp"
#include "run_smooth.hpp"
#include "simulation_summary.hpp"
#include "solver_options.hpp"
#include "view.hpp"

#ifdef LOCDYN_WITH_VIEWER
#include <locdyn/io/page/write_page.hpp>
#endif

namespace locdyn::app {
namespace {

constexpr double kMostSteps = 1e12;
constexpr const char* kRunScript = "plot_run.py";

// What the command line says; what it does not say is the scene's.
struct SimulateCommand {
  std::string scene, output, restart, plot;
  std::optional<double> time, step, tolerance;
  std::optional<int> threads;
  std::optional<std::string> solver, on_failure, dump_problems, checkpoint;
  bool quiet = false, json = false, schema = false, view = false, files_anywhere = false;

  void override_scene(Scene& it) const;
  int run() const;
  int simulate(Scene it) const;
  int simulate_mechanism(Scene it) const;
  void write_view() const;
  void draw_run() const;
};

double positive(const char* option, double value) {
  if (value > 0 && value < 1e300) return value;
  throw UsageError(std::string(option) + ": expected a finite number > 0, found " + plain(value));
}

// "every=100", or 100 alone.
int steps_between(const char* option, std::string text) {
  if (text.starts_with("every=")) text = text.substr(6);
  int steps = -1;
  if (CLI::detail::lexical_cast(text, steps) && steps >= 0) return steps;
  throw UsageError(std::string(option) + ": expected every=N with a number of steps N of at least 0, found " + text);
}

OnFailure policy(const std::string& text) {
  if (text == "go_on") return OnFailure::go_on;
  if (text == "stop") return OnFailure::stop;
  if (text == "halve") return OnFailure::halve;
  throw UsageError("--on-failure: expected go_on, stop or halve, found " + text);
}

void require_few_steps(const std::string& file, double seconds, double step) {
  if (!(seconds / step > kMostSteps)) return;
  throw UsageError(file + ": expected a duration of at most 1e12 steps, found " + plain(seconds / step));
}

void SimulateCommand::override_scene(Scene& it) const {
  if (time) it.duration = positive("--time", *time);
  if (step) it.stepping.step = positive("--step", *step);
  if (tolerance) it.stepping.stop.tolerance = positive("--tol", *tolerance);
  if (threads) {
    if (*threads < 1 || *threads > 1024) {
      throw UsageError("--threads: expected a number from 1 to 1024, found " + std::to_string(*threads));
    }
    it.stepping.stop.threads = *threads;
  }
  require_few_steps(it.file.string(), it.duration, it.stepping.step);
  if (solver) it.stepping.solver = find_solver(*solver).name;
  if (on_failure) it.stepping.on_failure = policy(*on_failure);
  if (dump_problems) it.output.dump_problems = steps_between("--dump-problems", *dump_problems);
  if (checkpoint) it.output.checkpoint = steps_between("--checkpoint", *checkpoint);
  if (output.empty() && (dump_problems || checkpoint)) {
    throw UsageError("--dump-problems and --checkpoint: expected an output folder beside them (-o), found none");
  }
}

RecorderOptions recorder_options(const Scene& scene) {
  RecorderOptions options;
  options.every = scene.output.every;
  options.dump_every = scene.output.dump_problems;
  options.checkpoint_every = scene.output.checkpoint;
  options.trajectory.title = scene.title;
  return options;
}

// Steps until the end, an interrupt or a step that cannot be passed: returns why, else nothing.
std::string step_to(double end, TimeStepper& stepper, Recorder* recorder, SimulationSummary& summary,
                    StepProgress& progress) {
  while (stepper.time() < end - 0.5 * stepper.options().step && !InterruptGuard::interrupted()) {
    try {
      const StepReport report = stepper.step();
      summary.add(report);
      progress.update(report);
      if (recorder) recorder->record(report);
    } catch (const FileError&) {
      throw;
    } catch (const StepFailure& failure) {
      summary.add_failure(failure.what());
      return failure.what();
    } catch (const std::exception& failure) {  // a body without velocity, numbers out of range: nothing can follow
      std::string reason =
          "step " + std::to_string(stepper.steps() + 1) + " (t = " + plain(stepper.time()) + " s): " + failure.what();
      summary.add_failure(reason);
      return reason;
    }
  }
  return {};
}

void go_on_from(const std::string& checkpoint, const Scene& it, const System& system, TimeStepper& stepper) {
  try {
    stepper.restore(read_checkpoint(checkpoint, system));
  } catch (const std::invalid_argument& fault) {
    throw FileError(checkpoint + ": " + fault.what());
  }
  require_few_steps(checkpoint, it.duration - stepper.time(), it.stepping.step);
}

// Options of time steps with contacts have no meaning here.
int SimulateCommand::simulate_mechanism(Scene it) const {
  const char* key = it.smooth ? "smooth" : "kinematics";
  const auto refuse = [key](const char* option, bool given) {
    if (given) throw UsageError(std::string(option) + ": expected a scene without \"" + key + "\", found one with it");
  };
  refuse("--threads", threads.has_value());
  refuse("--solver", solver.has_value());
  refuse("--tol", tolerance.has_value());
  refuse("--on-failure", on_failure.has_value());
  refuse("--dump-problems", dump_problems.has_value());
  refuse("--checkpoint", checkpoint.has_value());
  refuse("--restart", !restart.empty());
  if (it.kinematics) {
    refuse("--time", time.has_value());
    refuse("--step", step.has_value());
    return run_path(it, {.scene = scene, .output = output, .quiet = quiet, .json = json});
  }
  override_scene(it);
  return run_smooth(it, {.scene = scene, .output = output, .quiet = quiet, .json = json});
}

int SimulateCommand::simulate(Scene it) const {
  override_scene(it);
  const std::unique_ptr<System> system = build(it);
  TimeStepper stepper(*system, it.stepping);
  if (!restart.empty()) go_on_from(restart, it, *system, stepper);
  std::unique_ptr<Recorder> recorder;
  if (!output.empty()) recorder = std::make_unique<Recorder>(output, stepper, recorder_options(it));

  SimulationSummary summary(*system, stepper.time());
  const auto began = std::chrono::steady_clock::now();
  std::string fault, stopped;  // of output, of a step: what was computed is told all the same
  {
    StepProgress progress(stepper.time(), it.duration,
                          quiet || json ? StatusLine::Wish::hidden : StatusLine::Wish::shown);
    try {
      stopped = step_to(it.duration, stepper, recorder.get(), summary, progress);
      if (recorder) recorder->close();
    } catch (const FileError& error) {
      fault = error.what();
    }
  }
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();

  if (json) {
    nlohmann::ordered_json object = {{"scene", scene}, {"bodies", system->bodies().size()}};
    object.update(summary.json(wall));
    object["interrupted"] = InterruptGuard::interrupted();
    std::cout << json_text(object) << '\n';
  } else if (!quiet) {
    std::cout << "scene        " << one_line(it.title.empty() ? scene : it.title) << ", " << system->bodies().size()
              << " bodies" << '\n';
    summary.print(wall);
    if (recorder) std::cout << "output       " << output << ", " << counted(recorder->frames(), "frame") << '\n';
  }
  flush_output();
  if (!fault.empty()) throw FileError(fault);
  if (!stopped.empty()) complain(scene + ": stopped at " + stopped);
  if (InterruptGuard::interrupted()) return kInterrupted;
  return summary.failed_steps() == 0 ? kConverged : kNotConverged;
}

void SimulateCommand::write_view() const {
#ifdef LOCDYN_WITH_VIEWER
  const std::string page = output + "/run.html";
  write_run_page(output, page);
  if (!quiet && !json) std::cout << "page         " << page << '\n';
  flush_output();
#endif
}

// The table that the run has written last: energies.csv, energies_from_k.csv, path.csv.
void SimulateCommand::draw_run() const {
  std::filesystem::path table;
  for (const auto& entry : std::filesystem::directory_iterator(output)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".csv" || !(name.starts_with("energies") || name == "path.csv")) continue;
    if (table.empty() || entry.last_write_time() > std::filesystem::last_write_time(table)) table = entry.path();
  }
  std::ifstream in(table, std::ios::binary);
  plot_report(kRunScript, {std::istreambuf_iterator<char>(in), {}}, plot, {});
  if (!quiet && !json) std::cout << "plot         " << plot << '\n';
  flush_output();
}

// What robots go without, where the scene says that they may.
void tell_left_out(Scene& scene) {
  const auto may = [](const SceneRobot& robot) { return robot.leave_out; };
  if (std::none_of(scene.robots.begin(), scene.robots.end(), may)) return;
  scene = expanded(scene);
  for (const std::string& line : scene.left_out) complain("left out: " + line);
}

int SimulateCommand::run() const {
  if (schema) {
    std::cout << scene_schema();
    return kConverged;
  }
  if (scene.empty()) throw UsageError("SCENE: expected a scene file, found none");
  if (!plot.empty()) {
    check_drawing("--plot", plot, kRunScript);
    if (output.empty()) throw UsageError("--plot: expected an output folder beside it (-o), found none");
  }
  if (view && output.empty()) throw UsageError("--view: expected an output folder beside it (-o), found none");
  const InterruptGuard guard("\nends after this step; once more: ends at once\n");
  try {
    Scene it = read_scene(scene, files_anywhere ? SceneFiles::anywhere : SceneFiles::own_folder);
    tell_left_out(it);
    const int status = it.is_mechanism() ? simulate_mechanism(std::move(it)) : simulate(std::move(it));
    if (view) write_view();
    if (!plot.empty()) draw_run();
    return status;
  } catch (const SceneError& error) {
    for (const std::string& line : error.faults()) complain(line);
    return kBad;
  }
}

}  // namespace

int simulate_into(const std::string& scene, const std::string& folder, SceneFiles files) {
  SimulateCommand command;
  command.files_anywhere = files == SceneFiles::anywhere;
  command.scene = scene;
  command.output = folder;
  return command.run();
}

Command simulate_command(CLI::App& app) {
  auto command = std::make_shared<SimulateCommand>();
  CLI::App* parser = app.add_subcommand("simulate", "step a scene through time; or a mechanism, without contacts");
  parser->add_option("SCENE", command->scene, "scene file (JSON)");
  parser->add_option("-o,--output", command->output, "folder for trajectory, energies, problems and checkpoints");
  parser->add_option("--time", command->time, "seconds to simulate; the scene's duration without");
  parser->add_option("--step", command->step, "h in seconds; the scene's without");
  parser->add_option("--threads", command->threads, "1 to 1024; the result does not depend on it");
  parser->add_option("--solver", command->solver, "one of: " + solver_names());
  parser->add_option("--tol", command->tolerance, "tolerance on the scaled residual of each island, > 0");
  parser->add_option("--on-failure", command->on_failure, "of a step that does not converge: go_on, stop or halve");
  parser->add_option("--dump-problems", command->dump_problems, "every=N: the contact problem of every N-th step");
  parser->add_option("--checkpoint", command->checkpoint, "every=N: a checkpoint every N steps");
  parser->add_option("--restart", command->restart, "go on from this checkpoint");
  parser->add_option("--plot", command->plot,
                     "draw energies, residual, iterations and times into this file (.png or .svg)");
#ifdef LOCDYN_WITH_VIEWER
  parser->add_flag("--view", command->view, "write run.html into that folder: the run for a browser");
#endif
  parser->add_flag("--files-anywhere", command->files_anywhere, kFilesAnywhereHelp);
  parser->add_flag("--quiet", command->quiet, "neither progress nor summary");
  parser->add_flag("--json", command->json, "the summary as one JSON object");
  parser->add_flag("--schema", command->schema, "print the JSON Schema of scenes instead");
  return {parser, [command] { return command->run(); }};
}

}  // namespace locdyn::app
