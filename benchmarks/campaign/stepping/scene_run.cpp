#include "scene_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "run.hpp"

namespace locdyn::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kStageNames[] = {"detection", "assembly", "solve", "correction", "other"};
constexpr double StepReport::Stages::*kStages[] = {&StepReport::Stages::detection, &StepReport::Stages::assembly,
                                                   &StepReport::Stages::solve, &StepReport::Stages::correction,
                                                   &StepReport::Stages::other};
constexpr double StepSample::*kNumbers[] = {
    &StepSample::time_s,         &StepSample::wall_s,         &StepSample::contacts, &StepSample::iterations,
    &StepSample::factorisations, &StepSample::block_products, &StepSample::flops,    &StepSample::residual};

constexpr double kApart = 1e-3;  // of h, from one trajectory to the next

double told(const Json& value) {
  return value.is_null() ? StepSample::kUntold : value.get<double>();
}

// Microseconds with four digits are enough for a distribution.
double four_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3e", value);
  return std::strtod(text, nullptr);
}

std::vector<double> told_by_steps(const SceneRun& run, double StepSample::*member) {
  std::vector<double> values;
  for (const StepSample& step : run.steps) {
    if (!std::isnan(step.*member)) values.push_back(step.*member);
  }
  return values;
}

Json stages_json(const SceneRun& run) {
  Json object = Json::object();
  for (std::size_t k = 0; k < std::size(kStages); ++k) {
    double sum = 0;
    for (const StepSample& step : run.steps) sum += step.stages.*kStages[k];
    object[kStageNames[k]] = sum;
  }
  return object;
}

}  // namespace

double step_of(double scene_step, int trajectory) noexcept {
  return scene_step * (1 + kApart * (trajectory - 1));
}

std::string line_of(const StepSample& sample) {
  Json line = Json::array();
  for (const auto number : kNumbers) line.push_back(sample.*number);
  line.push_back(sample.solved);
  for (const auto stage : kStages) line.push_back(sample.stages.*stage);
  return json_text(line);
}

StepSample sample_of(const Json& line) {
  StepSample sample;
  std::size_t at = 0;
  for (const auto number : kNumbers) sample.*number = told(line.at(at++));
  line.at(at++).get_to(sample.solved);
  for (const auto stage : kStages) line.at(at++).get_to(sample.stages.*stage);
  return sample;
}

long SceneRun::unsolved() const noexcept {
  return std::count_if(steps.begin(), steps.end(), [](const StepSample& step) { return !step.solved; });
}

std::vector<double> step_seconds(const SceneRun& run) {
  std::vector<double> seconds = told_by_steps(run, &StepSample::time_s);
  if (run.unfinished_s > 0) seconds.push_back(run.unfinished_s);
  return seconds;
}

double total_seconds(const SceneRun& run) {
  const std::vector<double> seconds = step_seconds(run);
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

double time_ratio(const SceneRun& run, const SceneRun& other) {
  const std::vector<double> own = step_seconds(run), others = step_seconds(other);
  const auto both = static_cast<std::ptrdiff_t>(std::min(own.size(), others.size()));
  if (both == 0) return std::nan("");
  return std::accumulate(own.begin(), own.begin() + both, 0.0) /
         std::accumulate(others.begin(), others.begin() + both, 0.0);
}

StepStatistics statistics(const SceneRun& run) {
  return step_statistics(step_seconds(run));
}

StepStatistics statistics_under_load(const SceneRun& run) {
  const double most = quantile_of(run, &StepSample::contacts, 1);
  std::vector<double> seconds;
  for (const StepSample& step : run.steps) {
    if (step.contacts >= most / 2) seconds.push_back(step.time_s);
  }
  if (run.unfinished_s > 0) seconds.push_back(run.unfinished_s);
  return step_statistics(seconds);
}

double sum_of(const SceneRun& run, double StepSample::*member) {
  const std::vector<double> values = told_by_steps(run, member);
  double sum = values.empty() ? StepSample::kUntold : 0;
  for (const double value : values) sum += value;
  return sum;
}

double quantile_of(const SceneRun& run, double StepSample::*member, double share) {
  return quantile(told_by_steps(run, member), share);
}

Json to_json(const SceneRun& run) {
  const StepStatistics cost = statistics(run);
  Json seconds = Json::array();
  for (const double one : step_seconds(run)) seconds.push_back(four_digits(one));
  return {{"scene", run.scene},
          {"file", run.file},
          {"key", run.key},
          {"bodies", run.bodies},
          {"program", run.program},
          {"peer", run.peer},
          {"solver", run.solver},
          {"tolerance", run.tolerance},
          {"trajectory", run.trajectory},
          {"status", run.status},
          {"reason", run.reason},
          {"steps_wanted", run.wanted},
          {"steps", run.steps.size()},
          {"unsolved", run.unsolved()},
          {"total_s", cost.total},
          {"unfinished_s", run.unfinished_s},
          {"median_s", cost.median},
          {"p90_s", cost.p90},
          {"p99_s", cost.p99},
          {"largest_s", cost.largest},
          {"dearest_tenth", cost.dearest_tenth},
          {"wall_s", sum_of(run, &StepSample::wall_s)},
          {"stages_s", stages_json(run)},
          {"contacts",
           {{"median", quantile_of(run, &StepSample::contacts, 0.5)},
            {"most", quantile_of(run, &StepSample::contacts, 1)}}},
          {"iterations", sum_of(run, &StepSample::iterations)},
          {"factorisations", sum_of(run, &StepSample::factorisations)},
          {"block_products", sum_of(run, &StepSample::block_products)},
          {"factorisation_flops", sum_of(run, &StepSample::flops)},
          {"residual",
           {{"median", quantile_of(run, &StepSample::residual, 0.5)},
            {"worst", quantile_of(run, &StepSample::residual, 1)}}},
          {"step_s", std::move(seconds)}};
}

}  // namespace locdyn::app
