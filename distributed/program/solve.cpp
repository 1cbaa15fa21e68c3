// locdyn_mpi solve: built-in problems and lattices, over all ranks.

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <locdyn/distributed/distributed_sweeps.hpp>
#include <locdyn/distributed/lattice.hpp>
#include <locdyn/distributed/second_order/distributed_admm.hpp>
#include <locdyn/distributed/second_order/distributed_newton.hpp>
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
  std::string mode = "exact", solver = "sweeps", linear = "automatic";
  double relaxation = 0.75, penalty = 0.1, direct_megabytes = 4096;
  std::optional<double> linear_tolerance;
  bool fixed_penalty = false;
  bool json = false;
};

SweepMode mode_of(const std::string& text) {
  if (text == "exact") return SweepMode::exact;
  if (text == "split") return SweepMode::split;
  throw std::invalid_argument("--mode: expected exact or split, found " + text);
}

constexpr std::pair<const char*, LinearMethod> kLinearMethods[] = {{"automatic", LinearMethod::automatic},
                                                                   {"direct", LinearMethod::direct},
                                                                   {"multigrid", LinearMethod::multigrid},
                                                                   {"plain-multigrid", LinearMethod::plain_multigrid},
                                                                   {"blocks", LinearMethod::blocks}};

LinearMethod linear_of(const std::string& text) {
  std::string names;
  for (const auto& [name, method] : kLinearMethods) {
    if (text == name) return method;
    names += std::string(names.empty() ? "" : ", ") + name;
  }
  throw std::invalid_argument("--linear: expected one of " + names + ", found " + text);
}

const char* name_of(LinearMethod wanted) {
  for (const auto& [name, method] : kLinearMethods) {
    if (method == wanted) return name;
  }
  return "";
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

// What is told of ADMM beside the rest.
nlohmann::ordered_json linear_part(const DistributedAdmmReport& report) {
  const double steps = static_cast<double>(std::max(report.sweeps, 1L));
  return {{"method", name_of(report.method)},
          {"unknowns", report.unknowns},
          {"factorisations", report.factorisations},
          {"iterations", report.linear_iterations},
          {"iterations_a_step", static_cast<double>(report.linear_iterations) / steps},
          {"direct_megabytes", report.direct_megabytes},
          {"penalty", report.penalty}};
}

nlohmann::ordered_json linear_part(const DistributedNewtonReport& report) {
  const double steps = static_cast<double>(std::max(report.sweeps, 1L));
  return {{"method", name_of(report.method)},
          {"unknowns", report.unknowns},
          {"iterations", report.linear_iterations},
          {"iterations_a_step", static_cast<double>(report.linear_iterations) / steps},
          {"direct_megabytes", report.direct_megabytes}};
}

void tell(const SolveArguments& arguments, const std::string& name, const DistributedGraph& graph, double shared,
          const DistributedReport& report, const nlohmann::ordered_json& linear, double built, MPI_Comm comm) {
  std::uint64_t memory = memory_of_process();
  MPI_Allreduce(MPI_IN_PLACE, &memory, 1, MPI_UINT64_T, MPI_MAX, comm);
  if (rank_of(comm) != 0) return;
  const double rate = report.sweeps == 0 ? 0 : report.sweep_seconds / static_cast<double>(report.sweeps);
  if (arguments.json) {
    nlohmann::ordered_json out = {{"problem", name},
                                  {"ranks", size_of(comm)},
                                  {"contacts", graph.constraint_count()},
                                  {"colours", graph.colour_count()},
                                  {"solver", arguments.solver},
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
    if (!linear.is_null()) out["linear"] = linear;
    std::printf("%s\n", out.dump().c_str());
    return;
  }
  std::printf("%-24s %9lu constraints %3d colours  shared %.3f  %-14s %7ld %s  scaled %.17g  %.3g s (%.3g ms each)%s\n",
              name.c_str(), static_cast<unsigned long>(graph.constraint_count()), graph.colour_count(), shared,
              to_string(report.status), report.sweeps, linear.is_null() ? "sweeps" : "steps", report.residual.scaled,
              report.seconds, 1e3 * rate, linear.is_null() ? "" : ("  " + linear.dump()).c_str());
}

void set_linear(const SolveArguments& arguments, LinearOptions& linear) {
  linear.method = linear_of(arguments.linear);
  linear.tolerance = arguments.linear_tolerance.value_or(linear.tolerance);
  linear.direct_megabytes = arguments.direct_megabytes;
}

DistributedNewtonOptions newton_options(const SolveArguments& arguments) {
  DistributedNewtonOptions options;
  options.tolerance = arguments.tolerance;
  options.max_steps = arguments.max_sweeps;
  set_linear(arguments, options.linear);
  return options;
}

DistributedAdmmOptions admm_options(const SolveArguments& arguments) {
  DistributedAdmmOptions options;
  options.tolerance = arguments.tolerance;
  options.max_steps = arguments.max_sweeps;
  options.penalty = arguments.penalty;
  options.balance = !arguments.fixed_penalty;
  set_linear(arguments, options.linear);
  return options;
}

int solve(const SolveArguments& arguments, MPI_Comm comm) {
  if (arguments.solver != "sweeps" && arguments.solver != "admm" && arguments.solver != "newton") {
    throw std::invalid_argument("--solver: expected sweeps, admm or newton, found " + arguments.solver);
  }
  (void)linear_of(arguments.linear);
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
    DistributedReport report;
    nlohmann::ordered_json linear;
    if (arguments.solver == "admm") {
      const DistributedAdmmReport admm = solve_distributed_admm(graph, admm_options(arguments));
      linear = linear_part(admm);
      report = admm;
    } else if (arguments.solver == "newton") {
      const DistributedNewtonReport newton = solve_distributed_newton(graph, newton_options(arguments));
      linear = linear_part(newton);
      report = newton;
    } else {
      report = solve_distributed(graph, options);
    }
    tell(arguments, name, graph, shared, report, linear, built, comm);
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
  parser->add_option("--max-iterations", arguments->max_sweeps, "sweeps, or steps of admm or newton, at most (100000)");
  parser->add_option("--mode", arguments->mode, "exact: the bits of one rank; split: one exchange a sweep");
  parser->add_option("--relaxation", arguments->relaxation, "of split sweeps (0.75)");
  parser->add_option("--solver", arguments->solver, "sweeps; admm or newton: linear solves in the space of velocities");
  parser->add_option(
      "--linear", arguments->linear,
      "of admm and newton: automatic, direct (MUMPS), multigrid, plain-multigrid (not told the rigid motions), blocks");
  parser->add_option("--penalty", arguments->penalty, "rho of admm at the start (0.1)");
  parser->add_flag("--fixed-penalty", arguments->fixed_penalty, "rho stays");
  parser->add_option(
      "--linear-tol", arguments->linear_tolerance,
      "of conjugate gradients, over the residual that they begin with (1e-3); of GMRES, over the load (1e-10)");
  parser->add_option("--direct-memory", arguments->direct_megabytes,
                     "MB of a factor on the rank with most, beyond which automatic takes multigrid (4096)");
  parser->add_flag("--json", arguments->json, "one JSON object a problem");
  return {parser, [arguments](MPI_Comm comm) { return solve(*arguments, comm); }};
}

}  // namespace locdyn::distributed
