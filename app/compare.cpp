// locdyn compare: several solvers side by side on several problems, and which to use when.

#include <iostream>
#include <memory>

#include "advice.hpp"
#include "bench_file.hpp"
#include "campaign.hpp"
#include "command.hpp"
#include "format.hpp"
#include "interrupt.hpp"
#include "plot.hpp"
#include "progress.hpp"

namespace locdyn::app {
namespace {

constexpr std::size_t kProblem = 24, kContacts = 8, kBlocks = 7, kSolver = 14, kStatus = 9, kIterations = 8, kTime = 8,
                      kResidual = 8;  // with two blanks between them: 100 columns

std::string table_row(const std::string& problem, const std::string& contacts, const std::string& blocks,
                      const std::string& solver, const std::string& status, const std::string& iterations,
                      const std::string& time, const std::string& residual) {
  const std::string gap = "  ";
  return left(shortened(problem, kProblem), kProblem) + gap + right(contacts, kContacts) + gap +
         right(blocks, kBlocks) + gap + left(shortened(solver, kSolver), kSolver) + gap + left(status, kStatus) + gap +
         right(iterations, kIterations) + gap + right(time, kTime) + gap + right(residual, kResidual) + '\n';
}

std::string status_word(SolveStatus status) {
  if (status == SolveStatus::max_iterations) return "max iter";
  if (status == SolveStatus::max_time) return "max time";
  return to_string(status);
}

std::string rule() {
  std::string line;
  for (std::size_t column = 0; column < 100; ++column) line += "─";
  return line + '\n';
}

// Prints rows as they come; the problem's own columns on its first row alone.
class Table {
 public:
  void add(const Run& run) {
    if (last_.empty()) {
      std::cout << table_row("problem", "contacts", "blocks", "solver", "status", "iter", "time", "residual") << rule();
    }
    const bool fresh = run.problem != last_;
    last_ = run.problem;
    const double residual = run.pyramid ? run.report.own_residual : run.report.residual.scaled;
    const std::string mark = run.pyramid ? "*" : "";
    pyramids_ = pyramids_ || run.pyramid;
    std::cout << table_row(fresh ? run.problem : "", fresh ? std::to_string(run.contacts) : "",
                           fresh ? std::to_string(run.blocks) : "", run.solver + mark, status_word(run.report.status),
                           std::to_string(run.report.iterations), duration(run.report.seconds), scientific(residual));
    flush_output();
  }
  [[nodiscard]] bool pyramids() const { return pyramids_; }

 private:
  std::string last_;
  bool pyramids_ = false;
};

// "joints of builtin:machine hold to condensed 3.6e-15, nsgs 2.0e-03 m/s", a line for each problem that has joints.
std::string joints_line(const std::vector<Run>& runs) {
  std::string text;
  const std::string* last = nullptr;
  for (const Run& run : runs) {
    if (run.joint_error < 0) continue;
    const bool fresh = last == nullptr || *last != run.problem;
    if (fresh) text += (last == nullptr ? "" : " m/s\n") + ("joints of " + run.problem + " hold to ");
    text += (fresh ? "" : ", ") + run.solver + " " + scientific(run.joint_error);
    last = &run.problem;
  }
  return last == nullptr ? text : text + " m/s\n";
}

// As the drawing reads a run of a bench: one call, its wall clock alone.
BenchRun run_of_bench(const Run& run, const SolverOptions& options) {
  BenchRun one;
  one.problem = one.file = one.key = run.problem;
  one.solver = run.solver;
  one.tolerance = options.tolerance;
  one.status = to_string(run.report.status);
  one.reason = run.report.reason;
  one.pyramid = run.pyramid;
  one.contacts = run.contacts;
  one.blocks = run.blocks;
  one.iterations = run.report.iterations;
  one.time_s = one.cpu_s = run.report.seconds;
  one.repeats = 1;
  one.residual = run.report.residual;
  one.own_residual = run.report.own_residual;
  for (const SolveReport::Sample& sample : run.report.history)
    one.history.emplace_back(sample.seconds, sample.residual);
  one.threads = options.threads;
  return one;
}

struct CompareCommand {
  std::vector<std::string> what;
  std::string plot;
  SolverOptions options;

  int run() const {
    const auto solvers = chosen_solvers(options);
    (void)checked_stop(options);
    (void)checked_choices(options);
    if (!plot.empty()) check_drawing("--plot", plot, kProfilesScript);
    Table table;
    BenchReport drawn;
    CampaignEvents events;
    RunProgress progress;
    events.start = [&](std::size_t at, std::size_t of, const std::string& name) { progress.start(at, of, name); };
    events.done = [&](const Run& run) {
      progress.clear();
      table.add(run);
      if (!plot.empty()) drawn.runs.push_back(run_of_bench(run, options));
    };
    events.fault = [&](const std::string& line) {
      progress.clear();
      complain(line);
    };
    events.interrupted = InterruptGuard::interrupted;
    const InterruptGuard guard;
    const Campaign campaign = run_campaign(find_problems(what), solvers, options, events);
    if (campaign.runs.empty()) return campaign.status();

    std::cout << rule() << "residual: scaled; runs stop at " << options.measure << " ≤ " << plain(options.tolerance)
              << ", " << duration(options.max_seconds) << " or " << options.max_iterations << " iterations; "
              << counted(std::size_t(options.threads), "thread") << '\n';
    std::cout << joints_line(campaign.runs);
    if (table.pyramids()) {
      std::cout << "* a friction pyramid of " << options.facets << " facets: status and residual are its own\n";
    }
    if (!plot.empty()) plot_report(kProfilesScript, bench_json(drawn, {options, {options.tolerance}}), plot, {});
    if (const std::string text = advice(campaign.runs); !text.empty()) std::cout << '\n' << text << '\n';
    flush_output();
    return campaign.status();
  }
};

}  // namespace

Command compare_command(CLI::App& app) {
  auto command = std::make_shared<CompareCommand>();
  command->options.max_seconds = 10;
  CLI::App* parser = app.add_subcommand("compare", "several solvers side by side");
  parser->add_option("WHAT", command->what, "files, folders, builtin[:scene[:size]]")->required();
  add_solver_list(*parser, command->options);
  add_stop_options(*parser, command->options);
  parser->add_option("--plot", command->plot, "draw performance profiles and residuals into this file (.png or .svg)");
  return {parser, [command] { return command->run(); }};
}

}  // namespace locdyn::app
