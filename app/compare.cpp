// locdyn compare: several solvers side by side on several problems, and which to use when.

#include <iostream>
#include <memory>

#include "advice.hpp"
#include "campaign.hpp"
#include "command.hpp"
#include "format.hpp"

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

struct CompareCommand {
  std::vector<std::string> what;
  SolverOptions options;

  int run() const {
    const auto solvers = chosen_solvers(options);
    (void)checked_stop(options);
    (void)checked_choices(options);
    Table table;
    CampaignEvents events;
    events.done = [&](const Run& run) { table.add(run); };
    events.fault = complain;
    const Campaign campaign = run_campaign(find_problems(what), solvers, options, events);
    if (campaign.runs.empty()) return campaign.status();

    std::cout << rule() << "residual: scaled; runs stop at " << options.measure << " ≤ " << plain(options.tolerance)
              << ", " << duration(options.max_seconds) << " or " << options.max_iterations << " iterations; "
              << counted(std::size_t(options.threads), "thread") << '\n';
    std::cout << joints_line(campaign.runs);
    if (table.pyramids()) {
      std::cout << "* a friction pyramid of " << options.facets << " facets: status and residual are its own\n";
    }
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
  return {parser, [command] { return command->run(); }};
}

}  // namespace locdyn::app
