// locdyn bench-run: what `bench` starts for each run, so that whatever happens to it happens to it alone. Says one JSON
// object: the run, or {"unreadable": line} where there is no such problem.

#include <memory>
#include <new>

#include "bench_run.hpp"
#include "child_channel.hpp"
#include "command.hpp"
#include "problems.hpp"
#include "solver_options.hpp"

namespace locdyn::app {
namespace {

struct BenchRunCommand {
  std::string what;
  std::string solver = "auto";
  SolverOptions options;

  int run() const {
    const StopOptions stop = checked_stop(options);
    const SolverEntry& entry = find_solver(solver);
    const ChildChannel channel;
    std::unique_ptr<LoadedProblem> problem;
    BenchRun run;
    run.status = "out of memory";
    run.pyramid = entry.pyramid;
    run.threads = stop.threads;
    run.residual.scaled = run.residual.relative = run.residual.absolute = run.residual.floor =
        std::numeric_limits<double>::quiet_NaN();
    try {
      problem = find_problem(what).load();
    } catch (const std::bad_alloc&) {
      channel.say(json_text(to_json(run)));
      return kConverged;
    } catch (const std::exception& error) {
      channel.say(json_text({{"unreadable", error.what()}}));
      return kBad;
    }
    run.contacts = problem->ldy.constraint_count();
    run.blocks = problem->ldy.off_diagonal_count();
    try {
      fill(
          run, problem->ldy, entry, stop, checked_choices(options), [&] { channel.solving(); },
          [&] { channel.judging(); });
    } catch (const std::bad_alloc&) {
    } catch (const std::exception& error) {
      run.status = "refused";
      run.reason = error.what();
    }
    channel.say(json_text(to_json(run)));
    return kConverged;
  }
};

}  // namespace

Command bench_run_command(CLI::App& app) {
  auto command = std::make_shared<BenchRunCommand>();
  CLI::App* parser = app.add_subcommand("bench-run", "one run of a bench")->group("");
  parser->add_option("WHAT", command->what, "problem")->required();
  parser->add_option("--solver", command->solver, "its name");
  add_stop_options(*parser, command->options);
  return {parser, [command] { return command->run(); }};
}

}  // namespace locdyn::app
