#include <locdyn/io/output/recorder.hpp>

#include <cstdio>
#include <optional>
#include <stdexcept>

#include <locdyn/io/output/checkpoint.hpp>
#include <locdyn/io/output/energy_table.hpp>
#include <locdyn/io/output/output_folder.hpp>
#include <locdyn/io/output/problem_dump.hpp>

namespace locdyn {
using namespace detail;
namespace fs = std::filesystem;
namespace {

// Of a run that goes on from a checkpoint files get names of their own.
std::string suffix(long first_step) {
  return first_step > 0 ? "_from_" + std::to_string(first_step) : "";
}

bool due(long step, long every) {
  return every > 0 && step % every == 0;
}

}  // namespace

void validate(const RecorderOptions& options) {
  const auto require = [](const char* field, long value) {
    if (value < 0) {
      throw std::invalid_argument("recorder: " + std::string(field) + ": expected at least 0, found " +
                                  std::to_string(value));
    }
  };
  require("every", options.every);
  require("dump_every", options.dump_every);
  require("checkpoint_every", options.checkpoint_every);
}

struct Recorder::Parts {
  Parts(const fs::path& into, TimeStepper& of, const RecorderOptions& wanted)
      : stepper(of),
        options(wanted),
        folder(made_folder(into)),
        energies(folder / ("energies" + suffix(of.steps()) + ".csv")),
        next(of.steps() + 1) {
    if (options.dump_every > 0) {
      made_folder(folder / "problems");
      stepper.on_solved([this](const LocalDynamics& graph) {
        if (due(next, options.dump_every)) problem = graph;
      });
    }
    if (options.every == 0) return;
    trajectory.emplace(folder / ("trajectory" + suffix(of.steps()) + ".h5"), of.system(), options.trajectory);
    trajectory->append(stepper);
  }
  ~Parts() {
    if (options.dump_every > 0) stepper.on_solved({});
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  void dump(const StepReport& report) {
    char name[48];
    std::snprintf(name, sizeof name, "step_%08ld.hdf5", report.step);
    const FclibInfo info = info_of(stepper, report, options.trajectory.title);
    if (dump_problem(folder / "problems" / name, problem, info)) ++problems;
    problem = {};
  }

  TimeStepper& stepper;
  RecorderOptions options;
  fs::path folder;
  EnergyTable energies;
  std::optional<TrajectoryWriter> trajectory;
  LocalDynamics problem;  // of the step that is due, as it was solved
  long next;              // step
  std::size_t problems = 0;
  bool open = true;
};

Recorder::Recorder(const fs::path& folder, TimeStepper& stepper, const RecorderOptions& options) {
  validate(options);
  parts_ = std::make_unique<Parts>(folder, stepper, options);
}

Recorder::~Recorder() = default;

void Recorder::record(const StepReport& report) {
  Parts& p = *parts_;
  if (!p.open) throw std::logic_error("recorder: a step after it was closed");
  p.next = report.step + 1;
  p.energies.append(report);
  if (p.trajectory && due(report.step, p.options.every)) p.trajectory->append(p.stepper);
  if (due(report.step, p.options.dump_every)) p.dump(report);
  if (due(report.step, p.options.checkpoint_every)) write_checkpoint(p.folder / "checkpoint.h5", p.stepper);
}

void Recorder::close() {
  Parts& p = *parts_;
  if (!p.open) return;
  p.open = false;
  p.energies.close();
  if (p.trajectory) {
    if (p.trajectory->last_step() != p.stepper.steps()) p.trajectory->append(p.stepper);
    p.trajectory->close();
  }
  write_checkpoint(p.folder / "checkpoint.h5", p.stepper);
}

std::size_t Recorder::frames() const noexcept {
  return parts_->trajectory ? parts_->trajectory->frames() : 0;
}

std::size_t Recorder::problems() const noexcept {
  return parts_->problems;
}

}  // namespace locdyn
