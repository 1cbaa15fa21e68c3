// locdyn solve: one problem by one solver, as lines for people or one JSON object, and optionally a solved file.

#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>
#include <utility>

#include <locdyn/solver/convex/minimum_norm.hpp>

#include "command.hpp"
#include "format.hpp"
#include "interrupt.hpp"
#include "problems.hpp"
#include "progress.hpp"
#include "run.hpp"
#include "solver_options.hpp"

namespace locdyn::app {
using namespace locdyn::detail;
namespace {

struct SolveCommand {
  std::string what, output;
  std::string solver = "auto";
  bool json = false;
  bool minimum_norm = false;
  SolverOptions options;

  void print_json(const Run& run) const;
  void print_lines(const Run& run) const;
  static void take_least(LocalDynamics& ldy, Run& run, const StopOptions& stop);
  static void print_global(LoadedProblem& problem);
  int run() const;
};

void SolveCommand::print_json(const Run& run) const {
  const SolveReport& report = run.report;
  nlohmann::ordered_json object = {{"file", what},
                                   {"contacts", run.contacts},
                                   {"solver", report.solver.empty() ? run.solver : report.solver},
                                   {"status", to_string(report.status)},
                                   {"iterations", report.iterations},
                                   {"time_s", report.seconds},
                                   {"residual", residual_json(report.residual)},
                                   {"threads", options.threads}};
  if (minimum_norm) object["minimum_norm"] = report.status == SolveStatus::converged;
  std::cout << json_text(object) << '\n';
}

void SolveCommand::print_lines(const Run& run) const {
  const SolveReport& report = run.report;
  const Residual& residual = report.residual;
  const bool handed_on = !report.solver.empty() && report.solver != run.solver;
  std::cout << "problem     " << what << ", " << counted(run.contacts, "contact") << ", "
            << counted(run.blocks, "off-diagonal block") << '\n'
            << "solver      " << run.solver << (handed_on ? ", finished by " + report.solver : "") << '\n'
            << (minimum_norm && report.status == SolveStatus::converged ? "reactions   those of least norm\n" : "")
            << "status      " << to_string(report.status) << (report.reason.empty() ? "" : ": " + report.reason) << '\n'
            << "iterations  " << report.iterations << '\n'
            << "time        " << duration(report.seconds) << " on " << counted(std::size_t(options.threads), "thread")
            << '\n'
            << "residual    scaled " << scientific(residual.scaled) << ", relative " << scientific(residual.relative)
            << ", absolute " << scientific(residual.absolute) << ", rounding floor " << scientific(residual.floor)
            << '\n';
  if (run.pyramid) {
    std::cout << "pyramid     " << options.facets << " facets, its own residual " << scientific(report.own_residual)
              << "; above are those of the round cone\n";
  }
  std::cout << "worst       cone " << scientific(residual.cone) << ", penetration velocity "
            << scientific(residual.penetration) << ", complementarity " << scientific(residual.complementarity);
  if (residual.worst != kNone) std::cout << ", constraint " << residual.worst;
  std::cout << '\n';
}

// Of all reactions with the velocities found, those of least norm.
void SolveCommand::take_least(LocalDynamics& ldy, Run& run, const StopOptions& stop) {
  SolveReport least = minimise_norm(ldy, limits_left(stop, 0, run.report.seconds));
  least.solver = std::move(run.report.solver);
  least.iterations += run.report.iterations;
  least.seconds += run.report.seconds;
  run.report = std::move(least);
}

// What the velocities and bilateral forces that go with the solution leave of the problem's own equations.
void SolveCommand::print_global(LoadedProblem& problem) {
  const GlobalResidual residual = problem.global->judge(problem.ldy, problem.global->recover(problem.ldy));
  std::cout << "global      scaled " << scientific(residual.scaled) << " from M, H, f, w; dynamics "
            << scientific(residual.dynamics) << ", bilateral " << scientific(residual.bilateral) << '\n';
}

int SolveCommand::run() const {
  StopOptions stop = checked_stop(options);
  const SolverChoices choices = checked_choices(options);
  const SolverEntry& entry = find_solver(solver);
  const auto loaded = find_problem(what).load();
  const InterruptGuard guard;
  stop.interrupt = &InterruptGuard::flag();
  SolveProgress progress(json ? StatusLine::Wish::hidden : StatusLine::Wish::shown);
  stop = progress.watched(stop);
  Run done;
  try {
    done = run_solver(loaded->ldy, what, entry, stop, choices);
    if (minimum_norm && done.report.status == SolveStatus::converged) take_least(loaded->ldy, done, stop);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& fault) {
    throw FileError(what + ": " + fault.what());
  }
  progress.clear();
  json ? print_json(done) : print_lines(done);
  if (!json && loaded->global) print_global(*loaded);
  flush_output();
  if (!output.empty()) save_solved(output, *loaded);
  if (done.report.status == SolveStatus::converged) return kConverged;
  return InterruptGuard::interrupted() ? kInterrupted : kNotConverged;
}

}  // namespace

Command solve_command(CLI::App& app) {
  auto command = std::make_shared<SolveCommand>();
  CLI::App* parser = app.add_subcommand("solve", "solve one problem");
  parser->add_option("FILE", command->what, "problem file, or builtin:scene[:size]")->required();
  parser->add_option("--solver", command->solver, "one of: " + solver_names())->capture_default_str();
  add_stop_options(*parser, command->options);
  parser->add_option("-o,--output", command->output, "write problem and solution to this file (FCLIB, HDF5)");
  parser->add_flag("--minimum-norm", command->minimum_norm,
                   "of all reactions with these velocities, those of least norm");
  parser->add_flag("--json", command->json, "print one JSON object");
  return {parser, [command] { return command->run(); }};
}

}  // namespace locdyn::app
