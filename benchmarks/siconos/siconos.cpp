// One run of one of Siconos' solvers on one problem, for `locdyn bench --peers siconos`: our reader, their driver, our
// residual. The time is that of fc3d_driver alone. A solver that prints, exits or never ends does so in this process.
//
//   benchmark_siconos --list
//   benchmark_siconos --solver S --tol T [--threads N] [--max-time S] WHAT

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <NonSmoothDrivers.h>
#include <SolverOptions.h>

#include <bench_run.hpp>
#include <child_channel.hpp>
#include <command.hpp>
#include <problems.hpp>

#include "problem.hpp"
#include "solvers.hpp"

namespace locdyn::peer {
namespace {

struct Asked {
  std::string what, solver = "nsgs";
  double tolerance = 1e-4, max_time = 0;
  int threads = 1;
  bool list = false;
};

const SolverChoice& find(const std::string& name) {
  for (const SolverChoice& choice : solver_choices()) {
    if (name == choice.name) return choice;
  }
  throw app::UsageError("--solver: expected one that --list names, found " + name);
}

// The driver's fastest call, each from r = 0 and with a matrix that has been nowhere.
void solve(app::BenchRun& run, LocalDynamics& ldy, const SolverChoice& choice, const app::ChildChannel& channel) {
  do {
    FrictionContactProblem* problem = make_problem(ldy);
    SolverOptions* options = make_options(choice, run.tolerance);
    std::vector<double> reactions(3 * ldy.constraint_count()), velocities(reactions.size());
    channel.solving();
    const app::CallClock clock;
    const int info = fc3d_driver(problem, reactions.data(), velocities.data(), options);
    const app::CallTime time = clock.read();
    channel.judging();
    run.cpu_s = run.repeats == 0 ? time.cpu_s : std::min(run.cpu_s, time.cpu_s);
    run.time_s = run.repeats == 0 ? time.wall_s : std::min(run.time_s, time.wall_s);
    if (run.repeats++ > 0) continue;
    run.iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    run.own_residual = options->dparam[SICONOS_DPARAM_RESIDU];
    run.status = info == 0 ? "converged" : "failed";
    run.reason = info == 0 ? "" : "the driver returns " + std::to_string(info);
    take_reactions(ldy, reactions);
  } while (app::worth_repeating(run.repeats, run.time_s));
  run.residual = evaluate_residual(ldy);
  run.reaction_hash = app::reaction_hash(ldy);
}

int run(const Asked& asked) {
  if (asked.list) {
    for (const SolverChoice& choice : solver_choices()) std::puts(choice.name);
    return 0;
  }
  const SolverChoice& choice = find(asked.solver);
  const app::ChildChannel channel;
  std::unique_ptr<app::LoadedProblem> problem;
  try {
    problem = app::find_problem(asked.what).load();
  } catch (const std::exception& error) {
    channel.say(app::json_text({{"unreadable", error.what()}}));
    return 2;
  }
  if (!is_local_3d(problem->ldy)) {
    channel.say(app::json_text({{"unsupported", "expected contacts in 3D alone"}}));
    return 2;
  }
  app::BenchRun run;
  run.tolerance = asked.tolerance;
  run.contacts = problem->ldy.constraint_count();
  run.blocks = problem->ldy.off_diagonal_count();
  solve(run, problem->ldy, choice, channel);
  channel.say(app::json_text(app::to_json(run)));
  return 0;
}

}  // namespace
}  // namespace locdyn::peer

int main(int argc, char** argv) {
  locdyn::peer::Asked asked;
  CLI::App parser("One run of one of Siconos' solvers", "benchmark_siconos");
  parser.add_option("WHAT", asked.what, "problem file, or builtin:scene[:size]");
  parser.add_option("--solver", asked.solver, "one that --list names");
  parser.add_option("--tol", asked.tolerance, "what the solver means by it");
  parser.add_option("--threads", asked.threads, "of OpenMP, by OMP_NUM_THREADS: not looked at here");
  parser.add_option("--max-time", asked.max_time, "kept by whoever starts this: not looked at here");
  parser.add_flag("--list", asked.list, "name the solvers, the default first");
  CLI11_PARSE(parser, argc, argv);
  try {
    return locdyn::peer::run(asked);
  } catch (const std::exception& error) {
    locdyn::app::complain(error.what());
    return 2;
  }
}
