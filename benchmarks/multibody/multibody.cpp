// The multibody benchmark set A01–A05 (González, Dopico, Lugrís & Cuadrado, Multibody Syst. Dyn. 16 (2006) 179–190):
// what each tolerance costs and what error it leaves, one curve for each problem and integrator; and the fixed steps,
// which halve towards themselves at the order of their scheme. The data of a problem stand at the head of its file in
// tests/mechanism/smooth/problems.
//
//   benchmark_multibody [A01 … A05 A02x40 double]        writes multibody.svg: log₁₀ error over log₁₀ seconds,
//                                                        Runge-Kutta black, Adams blue, BDF red
//
// error: A01 the largest |E| over 10 s [J]; A02 distance of the first tip to the reference after 10 s [m]; A02x40 the
// same, of 40 four-bars, against the tightest run; A03 largest angle off the reference after 0.03 s [rad]; A04 the
// largest change of energy over 10 s [J]; A05 slider height after 10 s against the tightest run [m]. C: the largest
// constraint error at ends of steps [m].

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <locdyn/mechanism/smooth/fixed_step.hpp>
#include <locdyn/mechanism/smooth/integrate/integrate.hpp>

#include "mechanism/smooth/problems/bricard_loop.hpp"
#include "mechanism/smooth/problems/four_bars.hpp"
#include "mechanism/smooth/problems/governor.hpp"
#include "mechanism/smooth/problems/pendulum.hpp"
#include "mechanism/smooth/problems/squeezer.hpp"
#include "svg.hpp"

namespace {

using namespace locdyn;
using namespace locdyn::test;

struct Outcome {
  MotionReport report;
  double error = 0;
};

constexpr long kMostSteps = 20000;

using Run = std::function<Outcome(IntegrateOptions)>;
using FixedRun = std::function<Eigen::VectorXd(FixedStepOptions)>;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// --- error control ---------------------------------------------------------------------------------------------------

// The largest change of energy at a hundred times.
template <class Problem>
Outcome energy_error(IntegrateOptions options) {
  Problem problem;
  const double start = problem.energy();
  Outcome outcome;
  options.until = Problem::kDuration;
  for (int k = 1; k <= 100; ++k) options.output_times.push_back(options.until * k / 100);
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

Outcome forty_four_bars(IntegrateOptions options) {
  static const Vector3d reference = [] {
    FourBars tight(40);
    integrate(tight.mechanism, tight.loads, {.until = FourBars::kDuration, .rtol = 1e-11, .atol = 1e-13});
    return tight.first_tip();
  }();
  FourBars problem(40);
  options.until = FourBars::kDuration;
  const MotionReport report = integrate(problem.mechanism, problem.loads, options);
  return {report, (problem.first_tip() - reference).norm()};
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
    integrate(tight.mechanism, tight.loads, {.until = Governor::kDuration, .rtol = 1e-11, .atol = 1e-13});
    return tight.slider_height();
  }();
  Governor problem;
  options.until = Governor::kDuration;
  const MotionReport report = integrate(problem.mechanism, problem.loads, options);
  return {report, std::abs(problem.slider_height() - reference)};
}

example::Line curve(const char* problem, const char* name, Integrator integrator, const char* colour, const Run& run) {
  example::Line line{{}, colour, 1.5, true};
  for (const double rtol : {1e-5, 1e-7, 1e-9, 1e-11, 1e-12}) {
    if (integrator == Integrator::bdf && rtol < 1e-11) break;  // an order of 5 gets no further in time
    const auto start = std::chrono::steady_clock::now();
    try {
      const Outcome outcome =
          run({.rtol = rtol, .atol = rtol / 100, .integrator = integrator, .max_steps = kMostSteps});
      const double seconds = seconds_since(start);
      std::printf("%-6s %-12s %7.0e %9ld %10ld %9.3f  %9.2e  %9.2e  %8.1e at %.3f\n", problem, name, rtol,
                  outcome.report.steps, outcome.report.evaluations, seconds, outcome.error,
                  outcome.report.position_error, outcome.report.weakest, outcome.report.weakest_time);
      line.points.emplace_back(std::log10(seconds), std::log10(std::max(outcome.error, 1e-17)));
    } catch (const MotionError& error) {
      std::printf("%-6s %-12s %7.0e  %s\n", problem, name, rtol, error.what());
    }
    std::fflush(stdout);
  }
  return line;
}

// --- fixed steps -----------------------------------------------------------------------------------------------------

// q where the motion ends, of the moving bodies.
template <class Problem, class... Arguments>
Eigen::VectorXd end(FixedStepOptions options, Arguments... arguments) {
  Problem problem(arguments...);
  step_through(problem.mechanism, problem.loads, options);
  std::vector<double> all;
  const BodySet& bodies = problem.mechanism.bodies();
  for (const BodyId id : bodies.ids()) {
    if (bodies[id].freedoms() == 0) continue;
    const Eigen::VectorXd q = bodies[id].configuration();
    all.insert(all.end(), q.begin(), q.end());
  }
  return Eigen::Map<Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

// Differences between a step and its half, and the order that they fall with.
void print_orders(const char* problem, const char* name, FixedStepScheme scheme, double until, double step,
                  const FixedRun& run) {
  Eigen::VectorXd last;
  double before = 0;
  for (int k = 0; k < 5; ++k, step /= 2) {
    const auto start = std::chrono::steady_clock::now();
    try {
      const Eigen::VectorXd q = run({.until = until, .step = step, .scheme = scheme});
      std::printf("%-6s %-18s %9.2e %9.3f", problem, name, step, seconds_since(start));
      const double difference = last.size() > 0 ? (q - last).norm() : 0;
      if (difference > 0) std::printf("  %9.2e", difference);
      if (before > 0) std::printf("  %5.2f", std::log2(before / difference));
      std::puts("");
      before = difference;
      last = q;
    } catch (const MotionError& error) {
      std::printf("%-6s %-18s %9.2e  %s\n", problem, name, step, error.what());
    }
    std::fflush(stdout);
  }
}

// --- what is kept over a long time -----------------------------------------------------------------------------------

void print_double_pendulum() {
  std::printf("\ndouble pendulum, 100 s: change of energy at 1000 times over its potential range\n");
  for (const double rtol : {1e-9, 1e-11}) {
    DoublePendulum pendulum(2.0, 2.5);
    const double start = pendulum.energy();
    double worst = 0;
    IntegrateOptions options{.until = 100, .rtol = rtol, .atol = rtol / 100};
    for (int k = 1; k <= 1000; ++k) options.output_times.push_back(0.1 * k);
    const auto begin = std::chrono::steady_clock::now();
    const MotionReport report = integrate(pendulum.mechanism, pendulum.loads, options, [&](const MotionPoint&) {
      worst = std::max(worst, std::abs(pendulum.energy() - start));
    });
    std::printf("rtol %.0e: %.1e, |C| <= %.1e m, %ld steps, %.2f s\n", rtol, worst / DoublePendulum::kPotentialRange,
                report.position_error, report.steps, seconds_since(begin));
  }
}

void print_bricard() {
  BricardLoop loop;
  const double start = loop.energy();
  const MotionReport report = integrate(loop.mechanism, loop.loads, {.until = BricardLoop::kDuration});
  std::printf(
      "\nA04, 10 s at the default tolerances: |C| <= %.1e m, |G u| <= %.1e m/s, energy off by %.1e J, redundant:",
      report.position_error, report.velocity_error, std::abs(loop.energy() - start));
  for (const std::string& row : report.redundant) std::printf(" %s", row.c_str());
  std::puts("");
}

struct Problem {
  const char* name;
  Run run;
  FixedRun fixed;        // empty: none
  double until = 0;      // [s], of the fixed steps
  double step = 0;       // [s], the longest; generalised-α
  double half_step = 0;  // [s], the longest; explicit in springs and dampers
  bool stiff = false;
};

}  // namespace

int main(int count, char** arguments) {
  const std::vector<Problem> problems = {
      {"A01", energy_error<Pendulum>, [](auto options) { return end<Pendulum>(options); }, 2, 8e-3, 8e-3},
      {"A02", four_bars, [](auto options) { return end<FourBars>(options, 2); }, 0.6, 4e-3, 4e-3},
      {"A02x40", forty_four_bars, {}},
      {"A03", squeezer, [](auto options) { return end<Squeezer>(options); }, 0.03, 2e-5, 2e-5},
      {"A04", energy_error<BricardLoop>, [](auto options) { return end<BricardLoop>(options); }, 2, 4e-3, 4e-3},
      {"A05", governor, [](auto options) { return end<Governor>(options); }, 1, 1e-3, 2.5e-5, true}};
  example::Svg picture;
  const auto asked = [&](const char* name) {
    return count == 1 || std::any_of(arguments + 1, arguments + count,
                                     [&](const char* argument) { return std::string_view(argument) == name; });
  };
  std::printf("       integrator      rtol     steps      evals  time [s]      error          C  weakest row\n");
  for (const Problem& problem : problems) {
    if (!asked(problem.name)) continue;
    std::vector<example::Line> lines;
    if (problem.stiff) {  // explicit steps are as short as stability asks: the reference alone takes them
      lines.push_back(curve(problem.name, "bdf", Integrator::bdf, "#c33", problem.run));
    } else {
      lines.push_back(curve(problem.name, "runge_kutta", Integrator::runge_kutta, "black", problem.run));
    }
    if (!problem.stiff && problem.fixed) {
      lines.push_back(curve(problem.name, "adams", Integrator::adams, "#36c", problem.run));
      lines.push_back(curve(problem.name, "bdf", Integrator::bdf, "#c33", problem.run));
    }
    picture.panel(std::string(problem.name) + ": lg error over lg seconds", lines);
  }
  std::printf("\n       scheme                 step  time [s]  to half it  order\n");
  for (const Problem& problem : problems) {
    if (!asked(problem.name) || !problem.fixed) continue;
    print_orders(problem.name, "generalised_alpha", FixedStepScheme::generalised_alpha, problem.until, problem.step,
                 problem.fixed);
    print_orders(problem.name, "half_step", FixedStepScheme::half_step, problem.until, problem.half_step,
                 problem.fixed);
  }
  if (asked("A04")) print_bricard();
  if (asked("double")) print_double_pendulum();
  return picture.save("multibody.svg") ? 0 : 1;
}
