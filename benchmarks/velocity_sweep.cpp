// Sweeps through the velocities of the bodies beside sweeps over the blocks of W.
//
//   benchmark_velocity_sweep forms [CONTACTS]      time of a sweep of either form and the difference of their iterates:
//                                                  wall, tower and rocks. Goal: ≥ 2.5 times faster, ≤ 1e-12 apart
//   benchmark_velocity_sweep threads [CONTACTS]    dissected sweeps on 1 and 2 threads (≥ 1.7 times faster), and the
//                                                  sweeps to 1e-6 of either order (≤ 1.3 times those of the serial one)
//   benchmark_velocity_sweep scaling [MOST]        walls of 1e3, 1e4, … contacts: time and memory a contact a sweep
//
// The first is processor time of one thread; the second, wall-clock time, wants a quiet machine
// and OMP_WAIT_POLICY=passive where there is none.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <time.h>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/nsgs/dissection.hpp>
#include <locdyn/solver/nsgs/sweep.hpp>
#include <locdyn/solver/nsgs/sweep_schedule.hpp>
#include <locdyn/solver/nsgs/velocity_sweep.hpp>
#include "builtin/builtin.hpp"

#include "measure.hpp"
#include "rocks.hpp"

namespace {

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::benchmark;

BuiltinProblem make(const std::string& name, std::size_t size) {
  return name == "rocks" ? make_rocks(size) : make_builtin(name, size);
}

// The largest difference of R over the largest R.
double apart(const LocalDynamics& a, const LocalDynamics& b) {
  double difference = 0, size = 0;
  auto other = b.rows().begin();
  for (const DiagonalBlock& row : a.rows()) {
    difference = std::max(difference, (row.R - other->R).lpNorm<Eigen::Infinity>());
    size = std::max(size, row.R.lpNorm<Eigen::Infinity>());
    ++other;
  }
  return difference / size;
}

void compare_forms(std::size_t size) {
  for (const char* name : {"wall", "tower", "rocks"}) {
    const BuiltinProblem problem = make(name, size);
    LocalDynamics& ldy = *problem.ldy;
    LocalDynamics by_blocks = ldy;
    GaussSeidelSweep blocks(by_blocks);
    VelocitySweep velocities(ldy, serial_schedule(ldy));
    for (int k = 0; k < 50; ++k) {
      blocks.run(SweepDirection::forward, 1);
      velocities.run(SweepDirection::forward, 1);
    }
    velocities.write_reactions();
    const double difference = apart(ldy, by_blocks);
    VelocitySweep grouped(ldy, grouped_schedule(ldy));
    for (int k = 0; k < 50; ++k) grouped.run(SweepDirection::forward, 1);
    const std::array<std::function<void()>, 3> work = {[&] { keep(blocks.run(SweepDirection::forward, 1)); },
                                                       [&] { keep(velocities.run(SweepDirection::forward, 1)); },
                                                       [&] { keep(grouped.run(SweepDirection::forward, 1)); }};
    const auto [explicit_time, free_time, grouped_time] =
        best_times(work, 40, std::max<int>(2, static_cast<int>(40'000 / ldy.row_count())), thread_seconds_now);
    const auto rows = static_cast<double>(ldy.row_count());
    std::printf(
        "%-14s %7zu contacts %5.1f blocks a row | explicit %6.1f ns a row, matrix-free %5.1f: %.2f times faster, "
        "four at once %5.1f: %.2f "
        "| %4.0f bytes a row | apart %.1e after 50 sweeps\n",
        name, ldy.row_count(), static_cast<double>(ldy.off_diagonal_count()) / rows, 1e9 * explicit_time / rows,
        1e9 * free_time / rows, explicit_time / free_time, 1e9 * grouped_time / rows, explicit_time / grouped_time,
        grouped.bytes() / rows, difference);
    std::fflush(stdout);
  }
}

// The residual after 10, 20, … sweeps from R = 0.
std::vector<double> descent(LocalDynamics& ldy, const SweepSchedule& schedule, int sweeps, double enough) {
  for (DiagonalBlock& row : ldy.rows()) row.R.setZero();
  VelocitySweep sweep(ldy, schedule);
  std::vector<double> residuals;
  for (int k = 1; k <= sweeps; ++k) {
    sweep.run(SweepDirection::forward, 1);
    if (k % 10 != 0) continue;
    sweep.write_reactions();
    sweep.write_velocities();
    residuals.push_back(residual_of_velocities(ldy).scaled);
    if (residuals.back() <= enough) break;
  }
  return residuals;
}

double process_seconds_now() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void compare_threads(std::size_t size) {
  for (const char* name : {"wall", "tower", "rocks", "spheres"}) {
    const BuiltinProblem problem = make(name, size);
    LocalDynamics& ldy = *problem.ldy;
    const SweepSchedule dissected = dissected_schedule(ldy);
    VelocitySweep one(ldy, serial_schedule(ldy)), parts(ldy, dissected);
    const std::array<std::function<void()>, 3> work = {[&] { keep(one.run(SweepDirection::forward, 1)); },
                                                       [&] { keep(parts.run(SweepDirection::forward, 1, 1)); },
                                                       [&] { keep(parts.run(SweepDirection::forward, 1, 2)); }};
    // Many at a time: the first sweep on two threads finds its half in the other one's cache.
    const auto [plain, single, both] = best_times(work, 15, 20);
    // On a busy machine: the processor time of both threads, half of which each takes where the work is even.
    const auto [plain_work, single_work, both_work] = best_times(work, 40, 4, process_seconds_now);
    const auto rows = static_cast<double>(ldy.row_count());
    const auto seams = static_cast<double>(dissected.first.back() - dissected.first[dissected.colour[1]]);
    std::printf(
        "%-8s %7zu contacts %4u domains, %4.1f %% in their seams | serial %5.1f ns a row, dissected "
        "%5.1f, on 2 threads %5.1f: %.2f times faster (processor time: %.2f)\n",
        name, ldy.row_count(), dissected.colour[1], 100 * seams / rows, 1e9 * plain / rows, 1e9 * single / rows,
        1e9 * both / rows, single / both, 2 * single_work / both_work);
    std::fflush(stdout);
    (void)plain_work;
  }
  // Sizes that sweeps alone bring to 1e-6.
  const std::array<std::pair<const char*, std::size_t>, 4> soluble = {
      {{"wall", 500}, {"tower", 600}, {"tower", 1500}, {"spheres", 6000}}};
  for (const auto& [name, contacts] : soluble) {
    const BuiltinProblem problem = make(name, contacts);
    LocalDynamics& ldy = *problem.ldy;
    constexpr int kMost = 60'000;
    const auto serial = descent(ldy, serial_schedule(ldy), kMost, 1e-6);
    const auto dissected = descent(ldy, dissected_schedule(ldy), 2 * kMost, 1e-6);
    std::printf("%-8s %7zu contacts | serial %zu sweeps to %.1e, dissected %zu to %.1e: %.2f times as many\n", name,
                ldy.row_count(), 10 * serial.size(), serial.back(), 10 * dissected.size(), dissected.back(),
                static_cast<double>(dissected.size()) / static_cast<double>(serial.size()));
    std::fflush(stdout);
  }
}

// The most memory that the process ever had [bytes].
double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return 1024 * std::strtod(line.c_str() + 6, nullptr);
  }
  return 0;
}

void compare_sizes(std::size_t most) {
  for (std::size_t size = 1000; size <= most; size *= 10) {
    const double start = seconds_now();
    const BuiltinProblem problem = make_builtin("wall", size);
    const double built = seconds_now();
    LocalDynamics& ldy = *problem.ldy;
    VelocitySweep sweep(ldy, grouped_schedule(ldy));
    const double prepared = seconds_now();
    const std::array<std::function<void()>, 1> work = {[&] { keep(sweep.run(SweepDirection::forward, 1)); }};
    const auto [time] = best_times(work, 20, std::max(1, static_cast<int>(100000 / size)), thread_seconds_now);
    const auto rows = static_cast<double>(ldy.row_count());
    std::printf(
        "wall %8zu contacts | %5.1f ns and %4.0f bytes a contact a sweep | scene %.2f s, sweep prepared %.2f s | peak "
        "memory of the process "
        "%.2f GB\n",
        ldy.row_count(), 1e9 * time / rows, sweep.bytes() / rows, built - start, prepared - built,
        1e-9 * peak_memory());
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "forms";
  const std::size_t size = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  if (mode == "forms") {
    compare_forms(size > 0 ? size : 20'000);
  } else if (mode == "threads") {
    compare_threads(size > 0 ? size : 30'000);
  } else if (mode == "scaling") {
    compare_sizes(size > 0 ? size : 1'000'000);
  } else {
    std::fprintf(stderr, "expected forms, threads or scaling, found %s\n", mode.c_str());
    return 2;
  }
  return 0;
}
