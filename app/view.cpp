// locdyn view: one HTML file that shows a run, a scene that is run first, or a contact problem.

#include "view.hpp"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>

#include <locdyn/io/page/write_page.hpp>

#include "builtin_problems.hpp"
#include "command.hpp"
#include "format.hpp"
#include "interrupt.hpp"
#include "problems.hpp"
#include "run.hpp"
#include "solver_options.hpp"

namespace locdyn::app {
namespace fs = std::filesystem;
namespace {

struct ViewCommand {
  std::string what, output, solver = "auto";
  bool given = false, files_anywhere = false;
  PageOptions page;
  SolverOptions options;

  [[nodiscard]] int run() const;
  [[nodiscard]] int view_scene() const;
  [[nodiscard]] int view_problem() const;
  void tell() const;
};

// A folder of its own below the system's, gone with it.
class PassingFolder {
 public:
  PassingFolder() : path_((fs::temp_directory_path() / "locdyn-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw FileError(path_, "", "room for the run", "none");
  }
  PassingFolder(const PassingFolder&) = delete;
  PassingFolder& operator=(const PassingFolder&) = delete;
  ~PassingFolder() {
    std::error_code none;
    fs::remove_all(path_, none);
  }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

void ViewCommand::tell() const {
  std::error_code none;
  const auto bytes = fs::file_size(output, none);
  std::cout << "page         " << output << ", " << plain(double(bytes / 10'000) / 100) << " MB\n";
  flush_output();
}

int ViewCommand::view_scene() const {
  const PassingFolder folder;
  const int status = simulate_into(what, folder.path(), files_anywhere ? SceneFiles::anywhere : SceneFiles::own_folder);
  if (status == kBad) return status;
  write_run_page(folder.path(), output, page);
  tell();
  return status;
}

// The file's own solution into the graph.
void take_given(LoadedProblem& problem, const std::string& what) {
  if (!problem.solution) throw FileError(what + ": --given: expected a file with a solution, found none");
  if (problem.bilateral || problem.solution->R.size() != problem.ldy.row_count()) {
    throw FileError(what + ": --given: expected a solution of the contacts alone, found one with bilateral rows");
  }
  std::size_t at = 0;
  for (ConstraintId id{0}; id < problem.ldy.id_bound(); ++id) {
    if (!problem.ldy.contains(id)) continue;
    for (int k = 0; k < block_count(problem.ldy.law(id)); ++k) problem.ldy.row(id, k).R = problem.solution->R[at++];
  }
}

int ViewCommand::view_problem() const {
  StopOptions stop = checked_stop(options);
  const SolverChoices choices = checked_choices(options);
  const SolverEntry& entry = find_solver(solver);
  const auto loaded = find_problem(what).load();
  std::string note = "the solution that the file holds";
  int status = kConverged;
  if (given) {
    take_given(*loaded, what);
  } else {
    stop.interrupt = &InterruptGuard::flag();
    const Run done = run_solver(loaded->ldy, what, entry, stop, choices);
    note = solver + ", " + std::string(to_string(done.report.status)) + ", " + duration(done.report.seconds);
    if (done.report.status != SolveStatus::converged) status = kNotConverged;
    if (InterruptGuard::interrupted()) status = kInterrupted;
  }
  PageOptions named = page;
  if (named.title.empty()) named.title = names_builtin(what) ? what : fs::path(what).stem().string();
  write_graph_page(loaded->ldy, note, output, named);
  tell();
  return status;
}

int ViewCommand::run() const {
  const InterruptGuard guard;
  if (names_builtin(what)) return view_problem();
  if (fs::path(what).extension() == ".json") return view_scene();
  std::error_code none;
  if (!fs::is_directory(what, none) && !is_trajectory(what)) return view_problem();
  write_run_page(what, output, page);
  tell();
  return kConverged;
}

}  // namespace

Command view_command(CLI::App& app) {
  auto command = std::make_shared<ViewCommand>();
  CLI::App* parser = app.add_subcommand("view", "write one HTML file that shows a run or a problem in a browser");
  parser
      ->add_option(
          "WHAT", command->what,
          "folder of a run, its trajectory.h5, a scene (*.json, run first), a problem file or builtin:scene[:size]")
      ->required();
  parser->add_option("-o,--output", command->output, "the page to write (HTML)")->required();
  parser->add_option("--title", command->page.title, "above the picture; that of the run without");
  parser
      ->add_option("--contacts", command->page.contacts,
                   "rows of contacts at most: of longer runs every k-th frame has them")
      ->capture_default_str();
  parser->add_option("--solver", command->solver, "for a problem, one of: " + solver_names())->capture_default_str();
  parser->add_flag("--given", command->given, "for a problem file: the solution that it holds, instead of solving");
  parser->add_flag("--files-anywhere", command->files_anywhere, kFilesAnywhereHelp);
  add_stop_options(*parser, command->options);
  return {parser, [command] { return command->run(); }};
}

}  // namespace locdyn::app
