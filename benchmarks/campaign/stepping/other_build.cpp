#include "other_build.hpp"

#include <signal.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
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
  sample.time_s = sample.wall_s = sample.stages.total();
  return sample;
}

constexpr double kOtherWaits = 20;  // times its limit that a process may take by the clock

// A step that was under way has taken so long.
double seconds_since_written(const std::string& file) {
  std::error_code fault;
  const auto written = std::filesystem::last_write_time(file, fault);
  if (fault) return 0;
  return std::chrono::duration<double>(std::filesystem::file_time_type::clock::now() - written).count();
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

bool run_build(const std::string& program, const std::vector<std::string>& surroundings, double step, int threads,
               double limit_s, const std::function<bool()>& interrupted, SceneRun& run) {
  const TemporaryFolder folder;
  const std::string output = folder.file("run");
  // The shell's limit counts processor time, in whole seconds; ours is for one that waits for ever.
  const std::string limit = std::to_string(std::lround(std::ceil(limit_s)));
  const ChildOutcome outcome =
      run_child({"/bin/sh", "-c", "ulimit -c 0; ulimit -t \"$0\"; exec \"$@\"", limit, program, "simulate", run.file,
                 "-o", output, "--quiet", "--solver", run.solver, "--tol", exact(run.tolerance), "--step", exact(step),
                 "--threads", std::to_string(threads)},
                surroundings, {.preparing_s = kOtherWaits * limit_s}, interrupted);
  if (outcome.end == ChildOutcome::End::interrupted) return false;
  const std::string table = output + "/energies.csv";
  const double unfinished = seconds_since_written(table);
  run.steps = steps_in_table(table);
  const bool ended = outcome.end == ChildOutcome::End::exited && outcome.code <= 1;  // 1: a step was left unsolved
  const bool killed = outcome.end == ChildOutcome::End::crashed && (outcome.code == SIGXCPU || outcome.code == SIGKILL);
  run.status = ended ? "done" : killed ? "time limit" : to_string(outcome);
  if (killed) run.unfinished_s = unfinished;
  if (!ended && !killed) run.reason = outcome.last_line;
  return true;
}

}  // namespace locdyn::app
