// Several ways of solving the same steps: each step of a scene by all of them from the same state, the first one's
// result followed. Runs of their own part after some impacts, and which steps of which run are dear is then chance: a
// solver against itself with another rounding comes to 0.7 to 1.7 in a scene. From the same states it comes to 0.98
// to 1.02, but for the few steps that take thousands of iterations.
//
//   benchmark_same_state TOLERANCE SECONDS WAYS SCENE…
//
// WAYS with commas between them: a solver, or `auto` without stages: auto,newton,auto/path,auto/path/schwarz. SECONDS
// of processor time for each scene, all ways together. One thread.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/io/scene/build_scene.hpp>
#include <locdyn/io/scene/read_scene.hpp>
#include <locdyn/simulation/time_stepper.hpp>

#include "measure.hpp"

using namespace locdyn;

namespace {

std::vector<std::string> parts_of(const std::string& text, char between) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, between);) parts.push_back(part);
  return parts;
}

double number_in(const char* text, const char* what) {
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (*end == '\0' && value > 0 && std::isfinite(value)) return value;
  throw std::invalid_argument(std::string(what) + ": expected a finite number > 0, found " + text);
}

// What a way took for the steps that had contacts.
struct Cost {
  double seconds = 0, largest = 0, logarithms = 0;
  long factorisations = 0, unsolved = 0;

  void add(double step, const StepReport& report) {
    seconds += step;
    largest = std::max(largest, step);
    logarithms += std::log(step);
    factorisations += report.factorisations;
    unsolved += report.failed() ? 1 : 0;
  }
};

// A way has the scene for itself, and takes the state of the step from the first.
class Way {
 public:
  Way(const Scene& scene, const std::string& name, double tolerance) : system_(build(scene)) {
    std::vector<std::string> words = parts_of(name, '/');
    TimeStepperOptions options = scene.stepping;
    options.solver = words.empty() ? name : words.front();
    options.without.assign(words.begin() + (words.empty() ? 0 : 1), words.end());
    options.stop.tolerance = tolerance;
    options.stop.threads = 1;
    stepper_ = std::make_unique<TimeStepper>(*system_, options);
  }

  [[nodiscard]] StepperState state() const { return stepper_->state(); }
  // Returns its time [s].
  double step_from(const StepperState& state, StepReport& report) {
    stepper_->restore(state);
    const double start = benchmark::thread_seconds_now();
    report = stepper_->step();
    return benchmark::thread_seconds_now() - start;
  }

 private:
  std::unique_ptr<System> system_;
  std::unique_ptr<TimeStepper> stepper_;
};

struct Compared {
  long steps = 0;
  std::vector<Cost> costs;  // of each way
};

Compared compare(const Scene& scene, const std::vector<std::string>& names, double tolerance, double seconds) {
  std::vector<Way> ways;
  for (const std::string& name : names) ways.emplace_back(scene, name, tolerance);
  Compared all;
  all.costs.resize(ways.size());
  double spent = 0;
  const long most = std::lround(scene.duration / scene.stepping.step);
  for (long step = 0; step < most && spent < seconds; ++step) {
    const StepperState state = ways.front().state();
    // In turn: the first to step finds the caches cold.
    for (std::size_t turn = 0; turn < ways.size(); ++turn) {
      const std::size_t k = (static_cast<std::size_t>(step) + turn) % ways.size();
      StepReport report;
      const double time = ways[k].step_from(state, report);
      spent += time;
      if (report.contacts == 0) continue;
      all.costs[k].add(time, report);
      all.steps += k == 0 ? 1 : 0;
    }
  }
  return all;
}

double mean_ratio(const Cost& cost, const Cost& first, long steps) {
  return std::exp((cost.logarithms - first.logarithms) / static_cast<double>(steps));
}

int run(int argc, char** argv) {
  if (argc < 5) throw std::invalid_argument("expected TOLERANCE SECONDS WAYS SCENE…");
  const double tolerance = number_in(argv[1], "TOLERANCE"), seconds = number_in(argv[2], "SECONDS");
  const std::vector<std::string> names = parts_of(argv[3], ',');
  if (names.empty()) throw std::invalid_argument("WAYS: expected solvers with commas between them, found none");
  std::vector<double> sums(names.size());
  int scenes = 0;
  for (int k = 4; k < argc; ++k) {
    const Scene scene = read_scene(argv[k]);
    const Compared all = compare(scene, names, tolerance, seconds);
    if (all.steps == 0) continue;
    if (++scenes == 1) {
      std::printf("%-18s %6s  %-20s %8s %6s %10s %8s %8s %12s\n", "scene", "steps", "way", "time [s]", "ratio",
                  "step ratio", "unsolved", "max [ms]", "factorised");
    }
    const Cost& first = all.costs.front();
    for (std::size_t way = 0; way < names.size(); ++way) {
      const Cost& cost = all.costs[way];
      sums[way] += std::log(cost.seconds / first.seconds);
      std::printf("%-18s %6ld  %-20s %8.2f %6.2f %10.2f %8ld %8.1f %12ld\n", scene.file.stem().c_str(), all.steps,
                  names[way].c_str(), cost.seconds, cost.seconds / first.seconds, mean_ratio(cost, first, all.steps),
                  cost.unsolved, 1e3 * cost.largest, cost.factorisations);
    }
    std::fflush(stdout);
  }
  if (scenes == 0) throw std::invalid_argument("SCENE: expected one with contacts, found none");
  for (std::size_t way = 0; way < names.size(); ++way)
    std::printf("geometric mean of %d scenes: %-20s %.3f\n", scenes, names[way].c_str(), std::exp(sums[way] / scenes));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "benchmark_same_state: %s\n", error.what());
    return 2;
  }
}
