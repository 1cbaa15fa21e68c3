// Scenes: read, judged, built, and run with the lock of the interpreter given away; many at once over threads.

#include <cmath>
#include <exception>
#include <locdyn/io/output/body_state.hpp>
#include <locdyn/io/output/recorder.hpp>
#include <locdyn/io/scene/build_scene.hpp>
#include <locdyn/io/scene/read_scene.hpp>
#include <locdyn/simulation/time_stepper.hpp>
#include <locdyn/threads/loops.hpp>
#include <memory>
#include <optional>
#include <stdexcept>

#include "scene_source.hpp"
#include "stepper.hpp"

namespace locdyn::python {
namespace {

// What a run has left: a frame every so many steps, a line a step.
struct RunData {
  std::vector<double> times, positions, orientations, velocities, angular_velocities;  // by frame
  std::vector<StepReport> reports;                                                     // by step
  std::size_t bodies = 0;
  std::vector<std::string> names;
  std::string stopped;  // why it ended early
  std::optional<StepReport> failure;
  std::exception_ptr fault;  // of the recorder or of `progress`, which ended it
  StepperState state;
};

struct RunOptions {
  double duration = 0;
  long every = 10;  // steps a frame
  std::string out;  // folder, or empty
  const std::atomic<bool>* interrupt = nullptr;
  std::optional<StepperState> from;
};

void append(const Eigen::Ref<const Eigen::VectorXd>& values, std::vector<double>& to) {
  to.insert(to.end(), values.begin(), values.end());
}

void add_frame(const System& system, double time, RunData& data) {
  data.times.push_back(time);
  for (const BodyId id : system.bodies().ids()) {
    const detail::BodyState body = detail::state_of(system.bodies()[id]);
    append(body.position, data.positions);
    append(coefficients(body.orientation), data.orientations);
    append(body.velocity, data.velocities);
    append(body.angular_velocity, data.angular_velocities);
  }
}

bool goes_on(const TimeStepper& stepper, const RunOptions& options) {
  const bool asked = options.interrupt != nullptr && *options.interrupt;
  return !asked && stepper.time() < options.duration - 0.5 * stepper.options().step;
}

// Steps to the end, an interrupt or a step that cannot be passed; `after(report)` is called after each.
template <class After>
void step_to_end(TimeStepper& stepper, const RunOptions& options, RunData& data, const After& after) {
  while (goes_on(stepper, options)) {
    try {
      data.reports.push_back(stepper.step());
    } catch (const CallbackFault&) {
      throw;
    } catch (const StepFailure& fault) {
      data.stopped = fault.what();
      data.failure = fault.report();
      return;
    } catch (const std::exception& fault) {
      data.stopped = "step " + std::to_string(stepper.steps() + 1) + ": " + fault.what();
      return;
    }
    if (options.every > 0 && stepper.steps() % options.every == 0) add_frame(stepper.system(), stepper.time(), data);
    after(data.reports.back());
  }
}

template <class After>
RunData run(const Scene& scene, const TimeStepperOptions& stepping, const RunOptions& options, const After& after) {
  const std::unique_ptr<System> system = build(scene);
  TimeStepper stepper(*system, stepping);
  if (options.from) stepper.restore(*options.from);
  RunData data;
  data.bodies = system->bodies().size();
  for (const BodyId id : system->bodies().ids()) data.names.push_back(system->name(id));
  std::unique_ptr<Recorder> recorder;
  if (!options.out.empty()) {
    RecorderOptions recording;
    recording.every = options.every;
    recording.trajectory.title = scene.title;
    recorder = std::make_unique<Recorder>(options.out, stepper, recording);
  }
  add_frame(*system, stepper.time(), data);
  try {
    step_to_end(stepper, options, data, [&](const StepReport& report) {
      if (recorder != nullptr) recorder->record(report);
      after(report);
    });
    if (recorder != nullptr) recorder->close();
  } catch (...) {
    data.fault = std::current_exception();
  }
  data.state = stepper.state();
  return data;
}

// --- to Python -------------------------------------------------------------------------------------------------------

Numbers frames(const std::vector<double>& values, const RunData& data, py::ssize_t width) {
  return Numbers({static_cast<py::ssize_t>(data.times.size()), static_cast<py::ssize_t>(data.bodies), width},
                 values.data());
}

template <class Number>
Numbers column(const RunData& data, Number StepReport::*member) {
  Numbers out(static_cast<py::ssize_t>(data.reports.size()));
  std::transform(data.reports.begin(), data.reports.end(), out.mutable_data(),
                 [&](const StepReport& r) { return static_cast<double>(r.*member); });
  return out;
}

py::dict steps_of(const RunData& data) {
  py::dict steps;
  steps["time"] = column(data, &StepReport::time);
  steps["contacts"] = column(data, &StepReport::contacts);
  steps["islands"] = column(data, &StepReport::islands);
  steps["sleeping"] = column(data, &StepReport::sleeping);
  steps["iterations"] = column(data, &StepReport::iterations);
  steps["residual"] = column(data, &StepReport::residual);
  steps["penetration"] = column(data, &StepReport::penetration);
  steps["kinetic_energy"] = column(data, &StepReport::kinetic_energy);
  steps["potential_energy"] = column(data, &StepReport::potential_energy);
  Numbers seconds(static_cast<py::ssize_t>(data.reports.size()));
  std::transform(data.reports.begin(), data.reports.end(), seconds.mutable_data(),
                 [](const StepReport& r) { return r.seconds.total(); });
  steps["seconds"] = seconds;
  return steps;
}

py::dict dict_of(const RunData& data) {
  py::dict out;
  out["times"] = Numbers(static_cast<py::ssize_t>(data.times.size()), data.times.data());
  out["positions"] = frames(data.positions, data, 3);
  out["orientations"] = frames(data.orientations, data, 4);
  out["velocities"] = frames(data.velocities, data, 3);
  out["angular_velocities"] = frames(data.angular_velocities, data, 3);
  out["names"] = data.names;
  out["steps"] = steps_of(data);
  out["unsolved"] =
      std::count_if(data.reports.begin(), data.reports.end(), [](const StepReport& r) { return r.failed(); });
  out["warning"] = [&] {
    const auto first =
        std::find_if(data.reports.begin(), data.reports.end(), [](const StepReport& r) { return r.failed(); });
    return first == data.reports.end() ? std::string() : first->warning;
  }();
  out["state"] = data.state;
  out["stopped"] = data.stopped;
  out["fault"] = py::none();  // else a function that raises it
  if (data.fault) out["fault"] = py::cpp_function([fault = data.fault] { std::rethrow_exception(fault); });
  out["failure"] = data.failure ? py::cast(*data.failure) : py::object(py::none());
  return out;
}

Scene parsed(const SceneSource& source) {
  Scene scene = source.read();
  if (scene.is_mechanism()) {
    throw std::invalid_argument("scene: expected one without \"smooth\" and \"kinematics\", found a mechanism");
  }
  return scene;
}

RunOptions run_options(const Scene& scene, std::optional<double> time, std::optional<long> every,
                       const std::optional<StepperState>& from) {
  RunOptions options;
  options.duration = time.value_or(scene.duration);
  options.every = every.value_or(scene.output.every);
  options.from = from;
  if (!(options.duration > 0) || !std::isfinite(options.duration)) {
    throw std::invalid_argument("time: expected a finite number > 0, found " + std::to_string(options.duration));
  }
  if (options.every < 0)
    throw std::invalid_argument("every: expected at least 0, found " + std::to_string(options.every));
  return options;
}

// (data, interrupted).
py::tuple run_scene(const SceneSource& source, std::optional<double> time, std::optional<long> every,
                    const std::string& out, const std::optional<StepperState>& from,
                    const std::optional<py::function>& progress, const py::kwargs& keywords) {
  const Scene scene = parsed(source);
  RunOptions options = run_options(scene, time, every, from);
  options.out = out;
  const TimeStepperOptions stepping = stepping_options(keywords, scene.stepping);
  const CtrlC interrupt;
  options.interrupt = interrupt.flag();
  RunData data;
  {
    const py::gil_scoped_release unlocked;
    data = run(scene, stepping, options, [&](const StepReport& report) {
      if (!progress) return;
      const py::gil_scoped_acquire lock;
      try {
        (*progress)(report);
      } catch (py::error_already_set& fault) {
        throw CallbackFault(std::move(fault));
      }
    });
  }
  return py::make_tuple(dict_of(data), interrupt.take());
}

// (list of data, interrupted): each on one thread, so that no bit depends on how many there are.
py::tuple rollout(const std::vector<SceneSource>& scenes, const std::vector<std::optional<StepperState>>& from,
                  int threads, std::optional<double> time, std::optional<long> every, const py::kwargs& keywords) {
  if (threads < 1) throw std::invalid_argument("threads: expected at least 1, found " + std::to_string(threads));
  const CtrlC interrupt;
  std::vector<Scene> parsed_scenes;
  std::vector<RunOptions> options;
  std::vector<TimeStepperOptions> stepping;
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    parsed_scenes.push_back(parsed(scenes[i]));
    options.push_back(run_options(parsed_scenes[i], time, every, from[i]));
    options[i].interrupt = interrupt.flag();
    stepping.push_back(stepping_options(keywords, parsed_scenes[i].stepping));
    stepping[i].stop.threads = 1;
  }
  std::vector<RunData> data(scenes.size());
  {
    const py::gil_scoped_release unlocked;
    detail::in_parallel(static_cast<std::int64_t>(scenes.size()), threads, 1, [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      data[at] = run(parsed_scenes[at], stepping[at], options[at], [](const StepReport&) {});
    });
  }
  py::list all;
  for (const RunData& one : data) all.append(dict_of(one));
  return py::make_tuple(all, interrupt.take());
}

}  // namespace

void bind_scene(py::module_& module) {
  using namespace py::literals;
  py::class_<SceneSource>(module, "_SceneSource",
                          "The text of a scene, its file, and whether it may name files anywhere.")
      .def(py::init([](std::string text, std::string file, bool anywhere) {
             return SceneSource{std::move(text), std::move(file), anywhere};
           }),
           "text"_a, "file"_a, "anywhere"_a);
  module.def(
      "_left_out", [](const SceneSource& source) { return expanded(source.read()).left_out; }, "source"_a);
  module.def(
      "_check_scene", [](const SceneSource& source) { (void)source.read(); }, "source"_a);
  module.def(
      "_build_scene", [](const SceneSource& source) { return std::shared_ptr<System>(build(parsed(source))); },
      "source"_a);
  module.def(
      "_scene_stepper",
      [](const std::shared_ptr<System>& system, const SceneSource& source, const py::kwargs& keywords) {
        return std::make_unique<TimeStepper>(*system, stepping_options(keywords, parsed(source).stepping));
      },
      py::keep_alive<0, 1>());
  module.def("_run_scene", &run_scene);
  module.def("_rollout", &rollout);
  module.def(
      "scene_schema", [] { return scene_schema(); }, "The JSON Schema of scenes, as text.");
}

}  // namespace locdyn::python
