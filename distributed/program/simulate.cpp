// locdyn_mpi simulate: a scene, step by step over all ranks. All ranks write one trajectory and the checkpoints, each
// its share of them, in global order: no byte of the files shows how many ranks there were.

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include <locdyn/distributed/distributed_stepper.hpp>
#include <locdyn/io/output/checkpoint.hpp>
#include <locdyn/io/output/trajectory_writer.hpp>
#include <locdyn/io/scene/build_scene.hpp>
#include "command.hpp"
#include "rank_group.hpp"

namespace locdyn::distributed {
namespace {

struct SimulateArguments {
  std::string scene, output, restart, trace, mode = "exact", solver = "sweeps";
  std::optional<double> time, step, tolerance;
  std::optional<long> max_iterations;
  long every = 10, checkpoint = 0, spread = 0, islands = 0;
  bool quiet = false, files_anywhere = false;
};

volatile std::sig_atomic_t interrupted = 0;

// Has any rank been interrupted?
bool any_interrupted(MPI_Comm comm) {
  int mine = interrupted;
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_MAX, comm);
  return mine != 0;
}

Scene scene_of(const SimulateArguments& arguments) {
  Scene scene = read_scene(arguments.scene, arguments.files_anywhere ? SceneFiles::anywhere : SceneFiles::own_folder);
  if (scene.kinematics)
    throw std::invalid_argument(arguments.scene + ": expected a scene of contacts, found a mechanism");
  if (arguments.time) scene.duration = *arguments.time;
  if (arguments.step) scene.stepping.step = *arguments.step;
  if (arguments.tolerance) scene.stepping.stop.tolerance = *arguments.tolerance;
  if (arguments.max_iterations) scene.stepping.stop.max_iterations = *arguments.max_iterations;
  if (!(scene.duration > 0 && scene.duration / scene.stepping.step < 1e9)) {
    throw std::invalid_argument(arguments.scene + ": expected a duration of at most 1e9 steps, found " +
                                std::to_string(scene.duration) + " s");
  }
  return scene;
}

// What the ranks write together.
class Files {
 public:
  Files(const SimulateArguments& arguments, const Scene& scene, const System& system, MPI_Comm comm)
      : folder_(arguments.output), system_(system), group_(comm) {
    if (folder_.empty()) return;
    detail::together(group_, [&] {
      if (group_.leads()) std::filesystem::create_directories(folder_);
    });
    trajectory_.emplace(folder_ / "trajectory.h5", system, TrajectoryOptions{.title = scene.title}, group_);
  }
  void frame(DistributedStepper& stepper) {
    if (!trajectory_) return;
    const std::vector<ActiveContact> contacts = stepper.frame_part();
    trajectory_->append({.step = stepper.steps(), .time = stepper.time(), .contacts = contacts});
  }
  void checkpoint(DistributedStepper& stepper) {
    if (trajectory_) detail::write_checkpoint(folder_ / "checkpoint.h5", stepper.state_part(), system_, group_);
  }

 private:
  std::filesystem::path folder_;
  const System& system_;
  RankGroup group_;
  std::optional<TrajectoryWriter> trajectory_;
};

// Every step as one line of what does not depend on the ranks, to the last bit: two runs are one where `cmp` says so.
class Trace {
 public:
  Trace(const std::string& path, MPI_Comm comm) : comm_(comm) {
    agree_on(comm, [&] {
      if (path.empty() || rank_of(comm) != 0) return;
      file_.reset(std::fopen(path.c_str(), "w"));
      if (!file_) throw std::invalid_argument("--trace: cannot write " + path);
    });
  }
  void add(const DistributedStepReport& report) {
    agree_on(comm_, [&] {
      if (!file_) return;
      const int written = std::fprintf(
          file_.get(),
          "%ld %a bodies %lu contacts %lu sweeps %ld %s residual %a reactions %016lx state %016lx "
          "kinetic %a momentum %a %a %a penetration %a\n",
          report.step, report.time, static_cast<unsigned long>(report.bodies),
          static_cast<unsigned long>(report.contacts), report.sweeps, to_string(report.status), report.residual,
          static_cast<unsigned long>(report.reactions), static_cast<unsigned long>(report.state), report.kinetic_energy,
          report.momentum[0], report.momentum[1], report.momentum[2], report.penetration);
      if (written < 0 || std::fflush(file_.get()) != 0) throw std::invalid_argument("--trace: cannot write on");
    });
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };
  MPI_Comm comm_;
  std::unique_ptr<std::FILE, Close> file_;
};

int simulate(const SimulateArguments& arguments, MPI_Comm comm) {
  Scene scene;
  std::unique_ptr<System> system;
  DistributedStepOptions options;
  agree_on(comm, [&] {
    scene = scene_of(arguments);
    if (arguments.mode != "exact" && arguments.mode != "split") {
      throw std::invalid_argument("--mode: expected exact or split, found " + arguments.mode);
    }
    if (arguments.solver != "sweeps" && arguments.solver != "admm" && arguments.solver != "newton") {
      throw std::invalid_argument("--solver: expected sweeps, admm or newton, found " + arguments.solver);
    }
    if (arguments.every < 1) {
      throw std::invalid_argument("--every: expected at least 1 step, found " + std::to_string(arguments.every));
    }
    if (arguments.islands < 0) {
      throw std::invalid_argument("--islands: expected at least 0 constraints, found " +
                                  std::to_string(arguments.islands));
    }
    system = build(scene);
  });
  options.stepping = scene.stepping;
  options.mode = arguments.mode == "exact" ? SweepMode::exact : SweepMode::split;
  if (arguments.solver == "admm") options.admm.emplace();
  if (arguments.solver == "newton") options.newton.emplace();
  options.spread_every = arguments.spread;
  options.small_islands = static_cast<std::uint64_t>(arguments.islands);
  DistributedStepper stepper(comm, *system, options);
  if (!arguments.restart.empty()) {
    StepperState state;
    agree_on(comm, [&] { state = read_checkpoint(arguments.restart, *system); });
    stepper.restore(state);
  }
  Files files(arguments, scene, *system, comm);
  files.frame(stepper);
  Trace trace(arguments.trace, comm);

  const bool talks = rank_of(comm) == 0 && !arguments.quiet;
  bool failed = false;
  DistributedStepReport report;
  double seconds = 0;
  std::uint64_t ghosts = 0, crossed = 0;
  while (stepper.time() < scene.duration - 0.5 * scene.stepping.step && !any_interrupted(comm)) {
    report = stepper.step();
    trace.add(report);
    seconds += report.seconds;
    ghosts = std::max(ghosts, report.ghosts);
    crossed += report.crossed;
    failed = failed || report.status != SolveStatus::converged;
    if (report.step % arguments.every == 0) {
      files.frame(stepper);
      if (talks) {
        std::fprintf(stderr, "step %ld  t %.4g s  %lu contacts  %ld sweeps  scaled %.2e  %s\n", report.step,
                     report.time, static_cast<unsigned long>(report.contacts), report.sweeps, report.residual,
                     to_string(report.status));
      }
    }
    if (arguments.checkpoint > 0 && report.step % arguments.checkpoint == 0) files.checkpoint(stepper);
  }
  files.checkpoint(stepper);
  if (rank_of(comm) == 0) {
    std::printf(
        "%s: %ld steps  %lu bodies  %lu contacts  state %016lx  kinetic %.17g J  momentum %.17g %.17g %.17g  "
        "residual %.17g  %s; %d ranks: %lu ghosts at most, %lu changes of owner, %.3g s\n",
        arguments.scene.c_str(), report.step, static_cast<unsigned long>(report.bodies),
        static_cast<unsigned long>(report.contacts), static_cast<unsigned long>(report.state), report.kinetic_energy,
        report.momentum[0], report.momentum[1], report.momentum[2], report.residual,
        failed ? "some steps did not converge" : "all steps converged", size_of(comm),
        static_cast<unsigned long>(ghosts), static_cast<unsigned long>(crossed), seconds);
  }
  return failed ? kNotConverged : kConverged;
}

}  // namespace

Command simulate_command(CLI::App& app) {
  auto arguments = std::make_shared<SimulateArguments>();
  CLI::App* parser = app.add_subcommand("simulate", "a scene of bodies that touch, over all ranks");
  parser->add_option("scene", arguments->scene, "SCENE.json")->required();
  parser->add_option("-o", arguments->output, "folder for trajectory.h5 and checkpoint.h5");
  parser->add_option("--time", arguments->time, "duration in seconds, instead of the scene's");
  parser->add_option("--step", arguments->step, "step in seconds, instead of the scene's");
  parser->add_option("--tol", arguments->tolerance, "scaled residual to reach, instead of the scene's");
  parser->add_option("--max-iterations", arguments->max_iterations,
                     "sweeps, or steps of admm or newton, at most, instead of the scene's");
  parser->add_option("--mode", arguments->mode, "exact: the bits of one rank; split: one exchange a sweep");
  parser->add_option("--solver", arguments->solver, "sweeps; admm or newton: linear solves in the space of velocities");
  parser->add_option(
      "--islands", arguments->islands,
      "islands of at most so many contacts and joints are solved whole, by auto of one machine (0: none)");
  parser->add_option("--restart", arguments->restart, "checkpoint.h5 to go on from, of any number of ranks");
  parser->add_option("--every", arguments->every, "steps between frames and lines (10)");
  parser->add_option("--checkpoint", arguments->checkpoint, "steps between checkpoints (0: at the end alone)");
  parser->add_option("--spread-every", arguments->spread, "steps after which bodies are spread anew (0: by need)");
  parser->add_option("--trace", arguments->trace,
                     "file for a line a step: hashes of motion and reactions, residual, sweeps, all that the number of "
                     "ranks must not change");
  parser->add_flag("--files-anywhere", arguments->files_anywhere,
                   "files that the scene names may lie outside its folder");
  parser->add_flag("--quiet", arguments->quiet, "no line a frame");
  return {parser, [arguments](MPI_Comm comm) {
            std::signal(SIGINT, [](int) { interrupted = 1; });
            std::signal(SIGTERM, [](int) { interrupted = 1; });
            return simulate(*arguments, comm);
          }};
}

}  // namespace locdyn::distributed
