#include "scene_summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "format.hpp"

namespace locdyn::app {
namespace {

std::string shown(const char* format, double value) {
  if (std::isnan(value)) return "–";
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string milliseconds(double seconds) {
  return shown("%.3g", 1e3 * seconds);
}

std::string steps_of(const SceneRun& run) {
  const std::string done = std::to_string(run.steps.size());
  return static_cast<long>(run.steps.size()) == run.wanted ? done : done + " of " + std::to_string(run.wanted);
}

const std::vector<std::string> kHeads = {"solver",   "tol",   "steps",    "total",    "median",   "90 %",
                                         "99 %",     "max",   "tenth",    "contacts", "iter",     "factors",
                                         "products", "flops", "residual", "worst",    "unsolved", ""};

std::vector<std::string> cells_of(const SceneRun& run) {
  const StepStatistics cost = statistics(run);
  const auto total = [&](double StepSample::*member) { return sum_of(run, member); };
  std::string end = run.done() ? "" : run.status;
  if (!run.reason.empty()) end += ": " + shortened(run.reason, 60);
  return {run.trajectory > 1 ? run.full_name() + " #" + std::to_string(run.trajectory) : run.full_name(),
          run.peer ? "" : scientific(run.tolerance),
          steps_of(run),
          duration(cost.total),
          milliseconds(cost.median),
          milliseconds(cost.p90),
          milliseconds(cost.p99),
          milliseconds(cost.largest),
          shown("%.0f %%", 100 * cost.dearest_tenth),
          shown("%.0f", quantile_of(run, &StepSample::contacts, 1)),
          shown("%.3g", total(&StepSample::iterations)),
          shown("%.3g", total(&StepSample::factorisations)),
          shown("%.1e", total(&StepSample::block_products)),
          shown("%.1e", total(&StepSample::flops)),
          shown("%.1e", quantile_of(run, &StepSample::residual, 0.5)),
          shown("%.1e", quantile_of(run, &StepSample::residual, 1)),
          run.peer ? "–" : std::to_string(run.unsolved()),
          end};
}

std::string aligned(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> wide(kHeads.size(), 0);
  for (const auto& line : lines) {
    for (std::size_t k = 0; k < line.size(); ++k) wide[k] = std::max(wide[k], width(line[k]));
  }
  std::string text;
  for (const auto& line : lines) {
    std::string row = left(line[0], wide[0]);
    for (std::size_t k = 1; k + 1 < line.size(); ++k) row += "  " + right(line[k], wide[k]);
    if (!line.back().empty()) row += "  " + line.back();
    text += row + "\n";
  }
  return text;
}

}  // namespace

std::string scene_summary(std::span<const SceneRun> runs) {
  std::string text;
  for (std::size_t from = 0; from < runs.size();) {
    std::vector<std::vector<std::string>> lines = {kHeads};
    std::size_t to = from;
    for (; to < runs.size() && runs[to].scene == runs[from].scene; ++to) lines.push_back(cells_of(runs[to]));
    text += runs[from].scene + ": " + std::to_string(runs[from].bodies) + " bodies, obstacles among them" + "\n";
    text += aligned(lines) + "\n";
    from = to;
  }
  return text +
         "Steps by processor time, with several threads by the wall clock: total; median, 90 %, 99 % and largest in\n"
         "ms; the share of the dearest tenth. Most contacts. Iterations, factorisations, block products and their\n"
         "flops of all steps. Residual (scaled), median and worst of the steps; steps that did not reach their\n"
         "tolerance.\n";
}

}  // namespace locdyn::app
