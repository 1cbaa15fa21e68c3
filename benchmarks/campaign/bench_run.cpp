#include "bench_run.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <span>

namespace locdyn::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostSamples = 100;  // of a history
constexpr int kMostCalls = 5;
constexpr double kShortCall = 0.02;  // [s]

// Source: Fowler, Noll & Vo, FNV-1a.
class Fnv1a {
 public:
  void add(std::span<const char> bytes) {
    for (const char byte : bytes) hash_ = (hash_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  }
  [[nodiscard]] std::string text() const {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash_));
    return digits;
  }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

// A number with four digits: a history is for curves.
double coarse(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3e", value);
  return std::strtod(text, nullptr);
}

// Samples evenly spread over the logarithm of their place, the first and the last among them.
std::vector<std::pair<double, double>> thinned(const std::vector<SolveReport::Sample>& samples) {
  std::vector<std::pair<double, double>> kept;
  std::size_t last = samples.size();
  for (std::size_t k = 0; k < kMostSamples; ++k) {
    const double share = static_cast<double>(k) / (kMostSamples - 1);
    const double place = std::pow(static_cast<double>(samples.size()), share);
    const std::size_t at = samples.size() <= kMostSamples ? k : static_cast<std::size_t>(place + 0.5) - 1;
    if (at >= samples.size() || at == last) continue;
    last = at;
    kept.emplace_back(coarse(samples[at].seconds), coarse(samples[at].residual));
  }
  return kept;
}

double number(const Json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

}  // namespace

Json to_json(const BenchRun& run) {
  Json history = Json::array();
  for (const auto& [seconds, residual] : run.history) history.push_back({seconds, residual});
  return {{"problem", run.problem},
          {"file", run.file},
          {"key", run.key},
          {"contacts", run.contacts},
          {"blocks", run.blocks},
          {"solver", run.solver},
          {"peer", run.peer},
          {"tolerance", run.tolerance},
          {"status", run.status},
          {"reason", run.reason},
          {"finished_by", run.finished_by},
          {"pyramid", run.pyramid},
          {"iterations", run.iterations},
          {"time_s", run.time_s},
          {"cpu_s", run.cpu_s},
          {"repeats", run.repeats},
          {"residual", residual_json(run.residual)},
          {"own_residual", run.own_residual},
          {"history", std::move(history)},
          {"threads", run.threads},
          {"reaction_hash", run.reaction_hash}};
}

BenchRun bench_run_of(const Json& object) {
  BenchRun run;
  object.at("problem").get_to(run.problem);
  object.at("file").get_to(run.file);
  object.at("key").get_to(run.key);
  object.at("contacts").get_to(run.contacts);
  object.at("blocks").get_to(run.blocks);
  object.at("solver").get_to(run.solver);
  object.at("peer").get_to(run.peer);
  object.at("tolerance").get_to(run.tolerance);
  object.at("status").get_to(run.status);
  object.at("reason").get_to(run.reason);
  object.at("finished_by").get_to(run.finished_by);
  object.at("pyramid").get_to(run.pyramid);
  object.at("iterations").get_to(run.iterations);
  run.time_s = number(object.at("time_s"));
  run.cpu_s = number(object.at("cpu_s"));
  object.at("repeats").get_to(run.repeats);
  const Json& residual = object.at("residual");
  run.residual.scaled = number(residual.at("scaled"));
  run.residual.relative = number(residual.at("relative"));
  run.residual.absolute = number(residual.at("absolute"));
  run.residual.floor = number(residual.at("floor"));
  run.own_residual = number(object.at("own_residual"));
  for (const Json& sample : object.at("history")) run.history.emplace_back(number(sample.at(0)), number(sample.at(1)));
  object.at("threads").get_to(run.threads);
  object.at("reaction_hash").get_to(run.reaction_hash);
  return run;
}

CallTime CallClock::now() noexcept {
  const auto seconds = [](clockid_t clock) {
    timespec moment = {};
    ::clock_gettime(clock, &moment);
    return static_cast<double>(moment.tv_sec) + 1e-9 * static_cast<double>(moment.tv_nsec);
  };
  return {seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID)};
}

CallTime CallClock::read() const noexcept {
  const CallTime end = now();
  return {end.wall_s - start_.wall_s, end.cpu_s - start_.cpu_s};
}

bool worth_repeating(int calls, double fastest) noexcept {
  return calls < kMostCalls && fastest < kShortCall;
}

void fill(BenchRun& run, LocalDynamics& ldy, const SolverEntry& solver, const StopOptions& stop,
          const SolverChoices& choices, const std::function<void()>& before, const std::function<void()>& after) {
  do {
    before();
    const CallClock clock;
    const Run done = run_solver(ldy, run.problem, solver, stop, choices);
    const double cpu = clock.read().cpu_s;
    after();
    run.cpu_s = run.repeats == 0 ? cpu : std::min(run.cpu_s, cpu);
    const SolveReport& report = done.report;
    const bool fastest = run.repeats++ == 0 || report.seconds < run.time_s;
    if (!fastest) continue;
    run.status = to_string(report.status);
    run.reason = report.reason;
    run.finished_by = report.solver;
    run.pyramid = done.pyramid;
    run.contacts = done.contacts;
    run.blocks = done.blocks;
    run.iterations = report.iterations;
    run.time_s = report.seconds;
    run.residual = report.residual;
    run.own_residual = report.own_residual;
    run.history = thinned(report.history);
  } while (worth_repeating(run.repeats, run.time_s));
  run.threads = stop.threads;
  run.reaction_hash = reaction_hash(ldy);
}

std::string reaction_hash(const LocalDynamics& ldy) {
  Fnv1a hash;
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    if (!ldy.contains(id)) continue;
    for (int k = 0; k < block_count(ldy.law(id)); ++k) {
      const Eigen::Vector3d& R = ldy.row(id, k).R;
      hash.add({reinterpret_cast<const char*>(R.data()), sizeof R});
    }
  }
  return hash.text();
}

std::string file_hash(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  Fnv1a hash;
  std::vector<char> bytes(1 << 20);
  while (file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())) || file.gcount() > 0) {
    hash.add({bytes.data(), static_cast<std::size_t>(file.gcount())});
  }
  return hash.text();
}

}  // namespace locdyn::app
