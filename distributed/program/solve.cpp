// locdyn_mpi solve: built-in problems and lattices, over all ranks.

#include <charconv>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <locdyn/distributed/distributed_sweeps.hpp>
#include <locdyn/distributed/lattice.hpp>
#include "builtin/builtin.hpp"
#include "builtin_part.hpp"
#include "command.hpp"
#include "problems.hpp"

namespace locdyn::distributed {
namespace {

struct SolveArguments {
  std::string what;
  double tolerance = 1e-8;
  long max_sweeps = 100'000;
  std::string mode = "exact";
  double relaxation = 0.75;
  bool json = false;
};

SweepMode mode_of(const std::string& text) {
  if (text == "exact") return SweepMode::exact;
  if (text == "split") return SweepMode::split;
  throw std::invalid_argument("--mode: expected exact or split, found " + text);
}

std::uint64_t edge_of(const std::string& text) {
  std::uint64_t n = 0;
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (fault != std::errc() || stop != text.data() + text.size()) {
    throw std::invalid_argument("lattice: expected lattice:N with N spheres along an edge, found lattice:" + text);
  }
  return n;
}

std::uint64_t memory_of_process() {
  std::uint64_t kib = 0;
  if (std::FILE* status = std::fopen("/proc/self/status", "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, status) != nullptr) {
      if (std::sscanf(line, "VmHWM: %lu", &kib) == 1) break;
    }
    std::fclose(status);
  }
  return kib * 1024;
}

void tell(const SolveArguments& arguments, const std::string& name, const DistributedGraph& graph, double shared,
          const DistributedReport& report, double built, MPI_Comm comm) {
  std::uint64_t memory = memory_of_process();
  MPI_Allreduce(MPI_IN_PLACE, &memory, 1, MPI_UINT64_T, MPI_MAX, comm);
  if (rank_of(comm) != 0) return;
  const double rate = report.sweeps == 0 ? 0 : report.sweep_seconds / static_cast<double>(report.sweeps);
  if (arguments.json) {
    const nlohmann::ordered_json out = {{"problem", name},
                                        {"ranks", size_of(comm)},
                                        {"contacts", graph.constraint_count()},
                                        {"colours", graph.colour_count()},
                                        {"mode", arguments.mode},
                                        {"shared", shared},
                                        {"status", to_string(report.status)},
                                        {"sweeps", report.sweeps},
                                        {"residual",
                                         {{"scaled", report.residual.scaled},
                                          {"relative", report.residual.relative},
                                          {"absolute", report.residual.absolute},
                                          {"floor", report.residual.floor}}},
                                        {"build_s", built},
                                        {"time_s", report.seconds},
                                        {"sweep_s", rate},
                                        {"memory_bytes", memory}};
    std::printf("%s\n", out.dump().c_str());
    return;
  }
  std::printf(
      "%-24s %9lu constraints %3d colours  shared %.3f  %-14s %7ld sweeps  scaled %.17g  %.3g s (%.3g ms a sweep)\n",
      name.c_str(), static_cast<unsigned long>(graph.constraint_count()), graph.colour_count(), shared,
      to_string(report.status), report.sweeps, report.residual.scaled, report.seconds, 1e3 * rate);
}

int solve(const SolveArguments& arguments, MPI_Comm comm) {
  DistributedOptions options;
  options.tolerance = arguments.tolerance;
  options.max_sweeps = arguments.max_sweeps;
  options.mode = mode_of(arguments.mode);
  options.split_relaxation = arguments.relaxation;
  int status = kConverged;
  for (const auto& [name, part] : problems_of(arguments.what, comm)) {
    const double began = MPI_Wtime();
    ProblemPart own;
    agree_on(comm, [&, &make = part] { own = make(); });
    DistributedGraph graph(comm, std::move(own));
    const double built = MPI_Wtime() - began;
    const double shared = DistributedSweeps(graph).shared_constraints();
    const DistributedReport report = solve_distributed(graph, options);
    tell(arguments, name, graph, shared, report, built, comm);
    if (report.status != SolveStatus::converged) status = kNotConverged;
  }
  return status;
}

}  // namespace

std::vector<std::pair<std::string, std::function<ProblemPart()>>> problems_of(const std::string& what, MPI_Comm comm) {
  constexpr std::string_view kLattice = "lattice:";
  std::vector<std::pair<std::string, std::function<ProblemPart()>>> problems;
  if (what.starts_with(kLattice)) {
    const std::uint64_t n = edge_of(what.substr(kLattice.size()));
    problems.emplace_back(what, [n, comm] { return lattice_part(n, rank_of(comm), size_of(comm)); });
    return problems;
  }
  const auto choices = parse_builtin(what);
  if (!choices) {
    throw std::invalid_argument(what +
                                ": expected builtin[:scene[:size]] or lattice:N, found neither: a file of blocks " +
                                "of W knows no bodies to share out");
  }
  for (const BuiltinChoice& choice : *choices) {
    problems.emplace_back("builtin:" + choice.scene + ":" + std::to_string(choice.size),
                          [choice, comm] { return builtin_part(make_builtin(choice.scene, choice.size), comm); });
  }
  return problems;
}

Command solve_command(CLI::App& app) {
  auto arguments = std::make_shared<SolveArguments>();
  CLI::App* parser = app.add_subcommand("solve", "one contact problem, or all built-in ones, over all ranks");
  parser->add_option("what", arguments->what, "builtin[:scene[:size]], or lattice:N, N³ spheres")->required();
  parser->add_option("--tol", arguments->tolerance, "scaled residual to reach (1e-8)");
  parser->add_option("--max-iterations", arguments->max_sweeps, "sweeps at most (100000)");
  parser->add_option("--mode", arguments->mode, "exact: the bits of one rank; split: one exchange a sweep");
  parser->add_option("--relaxation", arguments->relaxation, "of split sweeps (0.75)");
  parser->add_flag("--json", arguments->json, "one JSON object a problem");
  return {parser, [arguments](MPI_Comm comm) { return solve(*arguments, comm); }};
}

}  // namespace locdyn::distributed
