// locdyn bench: a matrix of problems and solvers, kept as JSON and drawn as performance profiles.

#include <unistd.h>

#include <chrono>
#include <iostream>
#include <memory>

#include <locdyn/ldy/replace_file.hpp>

#include "advice.hpp"
#include "bench_report.hpp"
#include "command.hpp"
#include "format.hpp"
#include "interrupt.hpp"
#include "plot.hpp"

namespace locdyn::app {
namespace {

// One line on standard error, written over, where that is a terminal.
class BenchProgress {
 public:
  void start(std::size_t problem, std::size_t of, const std::string& name, const std::string& solver) const {
    if (!terminal_) return;
    const std::string count = "[" + std::to_string(problem) + "/" + std::to_string(of) + "] ";
    std::cerr << "\r\033[K" << count << shortened(name, 40) << "  " << solver << std::flush;
  }
  void clear() const {
    if (terminal_) std::cerr << "\r\033[K" << std::flush;
  }

 private:
  bool terminal_ = ::isatty(STDERR_FILENO) != 0;
};

// The runs so far, in the file: whatever ends the program, what was measured is there.
class ReportFile {
 public:
  ReportFile(const std::string& path, const SolverOptions& options) : path_(path), options_(options) {}

  // At most once a second. The file at the end says what is wrong with the disk.
  void keep(const Campaign& so_far) {
    const auto now = std::chrono::steady_clock::now();
    if (path_.empty() || now - last_ < std::chrono::seconds(1)) return;
    last_ = now;
    Campaign part = so_far;
    part.interrupted = true;
    try {
      replace_file(path_, text(part));
    } catch (const FileError&) {
    }
  }
  [[nodiscard]] std::string text(const Campaign& campaign) const {
    return json_text(bench_report(campaign, options_), 1) + "\n";
  }

 private:
  const std::string& path_;
  const SolverOptions& options_;
  std::chrono::steady_clock::time_point last_ = {};
};

void print_summary(const Campaign& campaign) {
  std::size_t wide = 6;
  for (const SolverSummary& summary : summaries(campaign.runs)) wide = std::max(wide, width(summary.solver) + 1);
  std::cout << left("solver", wide) << "  converged      fastest on  time of all\n";
  for (const SolverSummary& summary : summaries(campaign.runs)) {
    std::cout << left(summary.solver + (summary.pyramid ? "*" : ""), wide) << "  "
              << left(std::to_string(summary.converged) + " of " + std::to_string(summary.runs), 13) << "  "
              << left(std::to_string(summary.fastest), 10) << "  " << duration(summary.seconds) << '\n';
  }
  if (const std::string text = advice(campaign.runs); !text.empty()) std::cout << '\n' << text << '\n';
  flush_output();
}

struct BenchCommand {
  std::vector<std::string> what;
  std::string output, plot, peers;
  SolverOptions options;

  int run() const {
    if (!peers.empty()) throw UsageError("--peers: expected a build with peers, found one without");
    if (!plot.empty()) {
      const auto extension = std::filesystem::path(plot).extension();
      if (extension != ".png" && extension != ".svg") {
        throw UsageError("--plot: expected a name that ends in .png or .svg, found " + plot);
      }
      (void)plot_script();
    }
    const auto solvers = chosen_solvers(options);
    const BenchProgress progress;
    ReportFile file(output, options);
    CampaignEvents events;
    events.start = [&](auto... where) { progress.start(where...); };
    events.fault = [&](const std::string& line) {
      progress.clear();
      complain(line);
    };
    events.kept = [&](const Campaign& so_far) { file.keep(so_far); };
    events.interrupted = InterruptGuard::interrupted;
    const ProblemList problems = find_problems(what);
    const InterruptGuard guard;
    const Campaign campaign = run_campaign(problems, solvers, options, events);
    progress.clear();

    // The file first: what follows may fail.
    const std::string report = file.text(campaign);
    if (!output.empty()) replace_file(output, report);
    if (!campaign.runs.empty()) print_summary(campaign);
    if (!plot.empty() && !campaign.runs.empty()) plot_profiles(report, plot);
    if (campaign.interrupted) complain("interrupted after " + counted(campaign.runs.size(), "run"));
    return campaign.status();
  }
};

}  // namespace

Command bench_command(CLI::App& app) {
  auto command = std::make_shared<BenchCommand>();
  command->options.max_seconds = 10;
  CLI::App* parser = app.add_subcommand("bench", "time solvers on problems: JSON and performance profiles");
  parser->add_option("WHAT", command->what, "files, folders, builtin[:scene[:size]]")->required();
  add_solver_list(*parser, command->options);
  add_stop_options(*parser, command->options);
  parser->add_option("-o,--output", command->output, "write all runs to this file (JSON)");
  parser->add_option("--plot", command->plot, "draw performance profiles into this file (.png or .svg)");
  parser->add_option("--peers", command->peers, "other programs to run beside")->group("");
  return {parser, [command] { return command->run(); }};
}

}  // namespace locdyn::app
