#pragma once
// What all solvers have in common on the way in. Each solver's own options hold one of these as `stop`.

#include <atomic>
#include <functional>
#include <limits>
#include <string_view>

#include <locdyn/solver/solve_report.hpp>

namespace locdyn {

/// When a solve ends.
struct StopOptions {
  double tolerance = 1e-8;            ///< on `measure`, > 0; met also where `scaled` ≤ its rounding floor
  Measure measure = Measure::scaled;  ///< which residual the test looks at
  double max_seconds = std::numeric_limits<double>::infinity();  ///< wall clock of the call, > 0
  long max_iterations = 1'000'000;                               ///< sweeps, Newton steps or pivots, ≥ 0
  /// In `SolveCost::work`: floating point operations at a sweep's speed, counted and the same on any machine; > 0. What
  /// runs when it is reached, some sweeps or a factorisation, comes to its end.
  double max_work = std::numeric_limits<double>::infinity();
  int threads = 1;  ///< OpenMP threads, ≥ 1; the bits do not depend on it
  /// Where it is set to true, by another thread or a signal handler, the solve ends at its next residual as at its time
  /// limit, the best iterate in the graph. nullptr: nobody asks. Outlives the call.
  const std::atomic<bool>* interrupt = nullptr;
  /// Told of every residual as it is taken, by the thread that took it: of the whole, or of an island or a part where
  /// these are solved by themselves, several at once on several threads. nullptr: nobody listens. Outlives the call.
  const std::function<void(const SolveReport::Sample&)>* observer = nullptr;
};

/// Why a solve whose iterations are all done has ended.
inline constexpr const char* kIterationLimit = "the limit of iterations came first";
/// Why one whose work is spent has.
inline constexpr const char* kWorkLimit = "the limit of work came first";

/// Throws std::invalid_argument naming the first field of `stop` out of range, and the solver.
void check_options(const StopOptions& stop, std::string_view solver);

/// The same for a caller whose islands are solved step by step (solve_islands.hpp): `measure` must be `scaled` and
/// `max_seconds` infinite, since nothing of a step may depend on the clock.
void check_step_limits(const StopOptions& stop, std::string_view caller);

/// Throws std::invalid_argument naming the solver and the field where `value` is not a finite number > 0.
void check_positive(double value, std::string_view solver, std::string_view field);

/// The limits of a turn: what so many iterations, seconds and so much work have left of `stop`, time and work still >
/// 0.
[[nodiscard]] StopOptions limits_left(const StopOptions& stop, long iterations, double seconds, double work = 0);

/// Throws std::invalid_argument naming the constraint and the value where W, B or R holds a number that is not finite,
/// the largest of B or of W has no square in double precision, or a row has no solution: W_αα = 0 without neighbours
/// and a law that B does not satisfy.
void check_problem(const LocalDynamics& ldy, std::string_view solver);

}  // namespace locdyn
