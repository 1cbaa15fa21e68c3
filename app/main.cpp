// The command line: chooses a subcommand, and turns every fault into one line and an exit status.

#include <csignal>
#include <exception>
#include <functional>
#include <new>
#include <string>

#include "blas_threads.hpp"
#include "command.hpp"
#include "kept_memory.hpp"
#include "machine_facts.hpp"
#include "short_waits.hpp"

namespace locdyn::app {

namespace {

#ifdef LOCDYN_WITH_VIEWER
constexpr const char* kSubcommands = "info, solve, compare, bench, simulate or view";
#else
constexpr const char* kSubcommands = "info, solve, compare, bench or simulate";
#endif

// "0.2.0", and below it what runs with it.
std::string version_text() {
  std::string text = LOCDYN_VERSION "\nwith";
  const nlohmann::ordered_json libraries = libraries_json();
  for (const auto& [name, version] : libraries.items()) {
    text += (text.ends_with("with") ? " " : ", ") + name + " " + version.get<std::string>();
  }
  return text;
}

int run(int argc, char** argv) {
  CLI::App app("Frictional contact between many bodies by sparse local dynamics, U = B + W R", "locdyn");
  app.set_version_flag("--version", std::function<std::string()>(version_text));
  app.require_subcommand(1);
  app.footer(
      "WHAT is a problem file, a folder that is searched for *.hdf5, or builtin[:scene[:size]].\n"
      "Exit status: 0 converged (all), 1 some problem not converged, 2 bad usage or some input unreadable.");
  const Command commands[] = {info_command(app),    solve_command(app),     compare_command(app),
                              bench_command(app),   bench_run_command(app), bench_scene_command(app),
#ifdef LOCDYN_WITH_VIEWER
                              view_command(app),
#endif
                              simulate_command(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // help and version
      app.exit(error);
      flush_output();
      return kConverged;
    }
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty()) {
      throw UsageError(std::string("subcommand: expected ") + kSubcommands + ", found " + argv[1]);
    }
    throw UsageError(std::string(error.what()) + " (locdyn --help lists what there is)");
  }
  int status = kBad;
  for (const Command& command : commands) {
    if (command.parser->parsed()) status = command.run();
  }
  flush_output();
  return status;
}

}  // namespace
}  // namespace locdyn::app

int main(int argc, char** argv) {
  using namespace locdyn::app;
  take_short_waits(argc, argv);
  end_blas_threads();
  keep_freed_memory();
  std::signal(SIGPIPE, SIG_IGN);  // a write that fails is an ordinary error here
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    complain("expected a problem that fits into memory, found a larger one");
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return kBad;
}
