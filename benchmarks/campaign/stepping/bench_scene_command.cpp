// locdyn bench-scene: what `bench` starts for each run of a scene, so that whatever happens to it happens to it alone.
// It says one line a step while it goes on, before them {"bodies", "steps"}, after them {"end", "reason"}; so the steps
// that were done are known whatever ends it, up to the last moment. Scenes that cannot be read or built:
// {"unreadable": line}.

#include <cmath>
#include <memory>
#include <new>

#include <locdyn/io/scene/build_scene.hpp>
#include <locdyn/simulation/time_stepper.hpp>

#include "../bench_matrix.hpp"
#include "command.hpp"
#include "processor_limit.hpp"
#include "solver_options.hpp"
#include "step_teller.hpp"

namespace locdyn::app {
namespace {

using Json = nlohmann::ordered_json;

// Makes a step, timed by processor time, or by the wall clock where several threads share it: those that wait take
// processor time, too. Energies and momenta are part of a step's report, so of its time.
StepSample timed_step(TimeStepper& stepper, int threads) {
  const CallClock clock;
  const StepReport report = stepper.step();
  const CallTime time = clock.read();
  return {.time_s = threads == 1 ? time.cpu_s : time.wall_s,
          .wall_s = time.wall_s,
          .contacts = static_cast<double>(report.contacts),
          .iterations = static_cast<double>(report.iterations),
          .factorisations = static_cast<double>(report.factorisations),
          .block_products = report.block_products,
          .flops = report.factorisation_flops,
          .residual = report.residual,
          .solved = !report.failed(),
          .stages = report.seconds};
}

struct BenchSceneCommand {
  std::string file, solver = "auto", without;
  double tolerance = 0, step = 0, max_seconds = 0;
  int threads = 1;

  // Steps until the scene's end or the limit on the time of its steps. Returns how it ended.
  std::string step_through(TimeStepper& stepper, long steps, StepTeller& teller) const {
    double spent = 0;
    for (long k = 0; k < steps; ++k) {
      const StepSample sample = timed_step(stepper, threads);
      spent += sample.time_s;
      teller.tell(sample);
      if (max_seconds > 0 && spent > max_seconds && k + 1 < steps) return "time limit";
    }
    return "done";
  }

  int run() const {
    const ChildChannel channel;
    std::unique_ptr<System> system;
    TimeStepperOptions options;
    long steps = 0;
    try {
      const Scene scene = read_scene(file);
      system = build(scene);
      options = scene.stepping;
      steps = std::lround(scene.duration / options.step);
    } catch (const std::exception& error) {
      channel.say(json_text({{"unreadable", error.what()}}));
      return kBad;
    }
    options.solver = solver;
    options.without = names_of(without);
    options.stop.tolerance = tolerance;
    if (step > 0) options.step = step;
    options.stop.threads = threads;
    channel.say(json_text({{"bodies", system->bodies().size()}, {"steps", steps}}));
    Json end = {{"end", "stopped"}, {"reason", ""}};
    StepTeller teller(channel);
    try {
      TimeStepper stepper(*system, options);
      const double most = max_seconds > 0 ? threads * patience(max_seconds) : 0;
      const ProcessorLimit limit(most, [&] { teller.tell_rest(); });
      channel.solving();
      end["end"] = step_through(stepper, steps, teller);
    } catch (const std::bad_alloc&) {
      end["end"] = "out of memory";
    } catch (const std::invalid_argument& error) {
      end = {{"end", "refused"}, {"reason", error.what()}};
    } catch (const std::exception& error) {
      end["reason"] = error.what();
    }
    teller.tell_rest();
    channel.say(json_text(end));
    return kConverged;
  }
};

}  // namespace

Command bench_scene_command(CLI::App& app) {
  auto command = std::make_shared<BenchSceneCommand>();
  CLI::App* parser = app.add_subcommand("bench-scene", "one run of a bench of scenes")->group("");
  parser->add_option("SCENE", command->file, "scene file")->required();
  parser->add_option("--solver", command->solver, "its name");
  parser->add_option("--without", command->without, "stages that auto leaves out, with commas between them");
  parser->add_option("--tol", command->tolerance, "tolerance of each step")->required();
  parser->add_option("--step", command->step, "h [s], for as many steps as the scene has; 0: its own");
  parser->add_option("--threads", command->threads, "of each step");
  parser->add_option("--max-time", command->max_seconds, "time of all steps [s], as they are timed; 0: no limit");
  return {parser, [command] { return command->run(); }};
}

}  // namespace locdyn::app
