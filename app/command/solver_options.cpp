#include "solver_options.hpp"

#include <cmath>
#include <limits>
#include <sstream>

#include <locdyn/solver/auto.hpp>

#include "command.hpp"

namespace locdyn::app {
namespace {

constexpr int kMostThreads = 1024;
constexpr int kMostFacets = 1'000'000;

template <class Number>
void require(bool holds, const char* option, const char* expected, Number found) {
  if (holds) return;
  std::ostringstream line;
  line << option << ": expected " << expected << ", found " << found;
  throw UsageError(line.str());
}

}  // namespace

void add_solver_list(CLI::App& parser, SolverOptions& options) {
  parser.add_option("--solvers", options.solvers, "names with commas between them, of: " + solver_names());
}

void add_stop_options(CLI::App& parser, SolverOptions& options) {
  parser.add_option("--tol", options.tolerance, "tolerance on the residual, > 0")->capture_default_str();
  parser.add_option("--measure", options.measure, "residual that decides: scaled, relative or absolute")
      ->capture_default_str();
  auto* limit =
      parser.add_option("--max-time,--time-limit", options.max_seconds, "time limit of each run in seconds, > 0");
  if (options.max_seconds > 0) limit->capture_default_str();
  limit->check([](const std::string& value) {
    double seconds = 0;
    const bool fits = CLI::detail::lexical_cast(value, seconds) && seconds > 0;
    return fits ? std::string() : "expected a number of seconds > 0, found " + value;
  });
  parser.add_option("--max-iterations", options.max_iterations, "most sweeps, Newton steps or pivots, at least 0")
      ->capture_default_str();
  parser.add_option("--threads", options.threads, "threads, 1 to 1024; the result does not depend on it")
      ->capture_default_str();
  parser.add_option("--facets", options.facets, "facets of a friction pyramid, at least 3")->capture_default_str();
  parser.add_option("--without", options.without, "stages that auto leaves out, with commas between them");
}

StopOptions checked_stop(const SolverOptions& options) {
  StopOptions stop;
  require(options.tolerance > 0 && std::isfinite(options.tolerance), "--tol", "a finite number > 0", options.tolerance);
  require(options.max_iterations >= 0, "--max-iterations", "a number of at least 0", options.max_iterations);
  require(options.threads >= 1 && options.threads <= kMostThreads, "--threads", "a number from 1 to 1024",
          options.threads);
  require(options.facets >= 3 && options.facets <= kMostFacets, "--facets", "a number from 3 to 1000000",
          options.facets);
  stop.tolerance = options.tolerance;
  stop.max_iterations = options.max_iterations;
  stop.threads = options.threads;
  if (options.max_seconds > 0) stop.max_seconds = options.max_seconds;

  if (options.measure == "scaled") {
    stop.measure = Measure::scaled;
  } else if (options.measure == "relative") {
    stop.measure = Measure::relative;
  } else if (options.measure == "absolute") {
    stop.measure = Measure::absolute;
  } else {
    throw UsageError("--measure: expected scaled, relative or absolute, found " + options.measure);
  }
  return stop;
}

std::vector<std::string> names_of(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream parts(list);
  for (std::string name; std::getline(parts, name, ',');) names.push_back(name);
  return names;
}

SolverChoices checked_choices(const SolverOptions& options) {
  SolverChoices choices(options.facets);
  choices.without = names_of(options.without);
  try {
    check_auto_parts(choices.without);
  } catch (const std::invalid_argument& fault) {
    throw UsageError(fault.what());
  }
  return choices;
}

std::vector<const SolverEntry*> chosen_solvers(const SolverOptions& options) {
  std::vector<const SolverEntry*> chosen;
  for (const std::string& name : names_of(options.solvers)) chosen.push_back(&find_solver(name));
  if (chosen.empty()) {
    for (const SolverEntry& entry : solvers()) {
      if (!entry.by_name_only) chosen.push_back(&entry);
    }
  }
  return chosen;
}

std::string solver_names() {
  std::string names;
  for (const SolverEntry& entry : solvers()) names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

}  // namespace locdyn::app
