#include "other_build.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "../child.hpp"
#include "../temporary_folder.hpp"

namespace locdyn::app {
namespace {

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream text(line);
  for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
  return fields;
}

// A line of the table by the names of its columns.
class EnergyLine {
 public:
  EnergyLine(const std::vector<std::string>& names, const std::vector<std::string>& fields) {
    for (std::size_t k = 0; k < names.size(); ++k) fields_[names[k]] = fields[k];
  }
  [[nodiscard]] double number(const char* name) const { return std::strtod(fields_.at(name).c_str(), nullptr); }
  [[nodiscard]] const std::string& text(const char* name) const { return fields_.at(name); }

 private:
  std::map<std::string, std::string> fields_;
};

StepSample sample_in(const EnergyLine& line) {
  StepSample sample;
  sample.contacts = line.number("contacts");
  sample.iterations = line.number("iterations");
  sample.residual = line.number("residual");
  sample.solved = line.text("status") == "converged";
  sample.stages = {.detection = line.number("detection [s]"),
                   .assembly = line.number("assembly [s]"),
                   .solve = line.number("solve [s]"),
                   .correction = line.number("correction time [s]"),
                   .other = line.number("other [s]")};
  sample.cpu_s = sample.wall_s = sample.stages.total();
  return sample;
}

std::string seventeen_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

}  // namespace

std::vector<StepSample> steps_in_table(const std::string& file) {
  std::vector<StepSample> steps;
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> names = fields_of(line);
  try {
    while (std::getline(in, line) && !in.eof()) {  // a line without its end was cut short
      const std::vector<std::string> fields = fields_of(line);
      if (fields.size() == names.size()) steps.push_back(sample_in(EnergyLine(names, fields)));
    }
  } catch (const std::out_of_range&) {  // another table
    steps.clear();
  }
  return steps;
}

bool run_other_build(const std::string& program, const std::vector<std::string>& surroundings, int threads,
                     double limit_s, const std::function<bool()>& interrupted, SceneRun& run) {
  const TemporaryFolder folder;
  const std::string output = folder.file("run");
  const ChildOutcome outcome =
      run_child({program, "simulate", run.file, "-o", output, "--quiet", "--solver", run.solver, "--tol",
                 seventeen_digits(run.tolerance), "--threads", std::to_string(threads)},
                surroundings, {.preparing_s = limit_s}, interrupted);
  if (outcome.end == ChildOutcome::End::interrupted) return false;
  run.steps = steps_in_table(output + "/energies.csv");
  const double share = outcome.seconds > 0 ? outcome.cpu_s / outcome.seconds : 1;
  for (StepSample& step : run.steps) step.cpu_s *= std::min(share, static_cast<double>(threads));
  const bool ended = outcome.end == ChildOutcome::End::exited && outcome.code <= 1;  // 1: a step was left unsolved
  run.status = ended ? "done" : outcome.end == ChildOutcome::End::timed_out ? "time limit" : to_string(outcome);
  if (!ended) run.reason = outcome.last_line;
  return true;
}

}  // namespace locdyn::app
