// The multibody benchmark set A01–A05 (González, Dopico, Lugrís & Cuadrado, Multibody Syst. Dyn. 16 (2006) 179–190):
// what each tolerance costs and what error it leaves, one curve for each problem and integrator. The data of a problem
// stand at the head of its file in tests/dynamics/smooth/problems.
//
//   benchmark_multibody [A01 A02 …]
//
// error: A01 the largest |E| over 10 s [J]; A02 distance of the first tip to the reference after 10 s [m]; A03 largest
// angle off the reference after 0.03 s [rad]; A04 the largest change of energy over 10 s [J]; A05 slider height after
// 10 s against the tightest run [m]. C: the largest constraint error at ends of steps [m].

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <locdyn/dynamics/smooth/fixed_step.hpp>
#include <locdyn/dynamics/smooth/integrate/integrate.hpp>

#include "dynamics/smooth/problems/bricard_loop.hpp"
#include "dynamics/smooth/problems/four_bars.hpp"
#include "dynamics/smooth/problems/governor.hpp"
#include "dynamics/smooth/problems/pendulum.hpp"
#include "dynamics/smooth/problems/squeezer.hpp"

namespace {

using namespace locdyn;
using namespace locdyn::test;

struct Outcome {
  MotionReport report;
  double error = 0;
};

using Run = std::function<Outcome(IntegrateOptions)>;

std::vector<double> grid(double until, int count) {
  std::vector<double> times;
  for (int k = 1; k <= count; ++k) times.push_back(until * k / count);
  return times;
}

// The largest change of energy at a hundred times.
template <class Problem>
Outcome energy_error(IntegrateOptions options) {
  Problem problem;
  const double start = problem.energy();
  Outcome outcome;
  options.until = Problem::kDuration;
  options.output_times = grid(options.until, 100);
  outcome.report = integrate(problem.mechanism, problem.loads, options, [&](const MotionPoint&) {
    outcome.error = std::max(outcome.error, std::abs(problem.energy() - start));
  });
  return outcome;
}

Outcome four_bars(IntegrateOptions options) {
  FourBars problem(2);
  options.until = FourBars::kDuration;
  const MotionReport report = integrate(problem.mechanism, problem.loads, options);
  return {report, (problem.first_tip() - FourBars::reference()).norm()};
}

Outcome squeezer(IntegrateOptions options) {
  Squeezer problem;
  options.until = Squeezer::kDuration;
  const MotionReport report = integrate(problem.mechanism, problem.loads, options);
  return {report, (problem.angles() - Squeezer::reference()).cwiseAbs().maxCoeff()};
}

Outcome governor(IntegrateOptions options) {
  static const double reference = [] {
    Governor tight;
    integrate(tight.mechanism, tight.loads,
              {.until = Governor::kDuration, .rtol = 1e-11, .atol = 1e-13, .integrator = Integrator::runge_kutta});
    return tight.slider_height();
  }();
  Governor problem;
  options.until = Governor::kDuration;
  const MotionReport report = integrate(problem.mechanism, problem.loads, options);
  return {report, std::abs(problem.slider_height() - reference)};
}

void print_curve(const char* problem, const char* name, Integrator integrator, const Run& run) {
  for (const double rtol : {1e-5, 1e-7, 1e-9, 1e-11, 1e-12}) {
    const auto start = std::chrono::steady_clock::now();
    try {
      const Outcome outcome = run({.rtol = rtol, .atol = rtol / 100, .integrator = integrator});
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      std::printf("%s  %-12s %7.0e %9ld %10ld %9.3f  %9.2e  %9.2e  %8.1e at %.3f\n", problem, name, rtol,
                  outcome.report.steps, outcome.report.evaluations, seconds, outcome.error,
                  outcome.report.position_error, outcome.report.weakest, outcome.report.weakest_time);
    } catch (const MotionError& error) {
      std::printf("%s  %-12s %7.0e  %s\n", problem, name, rtol, error.what());
    }
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** arguments) {
  struct Problem {
    const char* name;
    Run run;
    bool stiff;
  };
  const std::vector<Problem> problems = {{"A01", energy_error<Pendulum>, false},
                                         {"A02", four_bars, false},
                                         {"A03", squeezer, false},
                                         {"A04", energy_error<BricardLoop>, false},
                                         {"A05", governor, true}};
  std::printf("     integrator      rtol     steps      evals  time [s]      error          C  weakest row\n");
  for (const Problem& problem : problems) {
    const auto asked = [&](const char* argument) { return std::string_view(argument) == problem.name; };
    if (count > 1 && std::none_of(arguments + 1, arguments + count, asked)) continue;
    print_curve(problem.name, "runge_kutta", Integrator::runge_kutta, problem.run);
    print_curve(problem.name, "adams", Integrator::adams, problem.run);
    print_curve(problem.name, "bdf", Integrator::bdf, problem.run);
  }
}
