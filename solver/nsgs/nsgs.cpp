#include <locdyn/solver/nsgs/nsgs.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/nsgs/sweep.hpp>

namespace locdyn {
namespace {

constexpr long kSweepsPerCheck = 25;    // at most
constexpr long kSweepsBetweenChecks = 12;  // at least, after the first few

void check_nsgs(const NsgsOptions& options) {
  if (!(options.relaxation > 0 && options.relaxation < 2)) {
    throw std::invalid_argument("nsgs: relaxation: expected a number in (0, 2), found " +
                                std::to_string(options.relaxation));
  }
  if (options.stall_window < 1) {
    throw std::invalid_argument("nsgs: stall_window: expected a number >= 1, found " +
                                std::to_string(options.stall_window));
  }
}

// The best residual and the sweep at which it last fell by more than 1 %.
struct Stall {
  double level = INFINITY;
  long since = 0;

  bool watch(double residual, long sweep, long window) {
    if (residual < 0.99 * level) {
      level = residual;
      since = sweep;
    }
    return sweep - since > std::max(window, sweep / 2);
  }
};

}  // namespace

SolveReport solve_nsgs(LocalDynamics& ldy, const NsgsOptions& options) {
  check_nsgs(options);
  const StopOptions& stop = options.stop;
  IterateWatch watch(ldy, stop, "nsgs");
  SolveReport& report = watch.report();
  watch.judge(0);
  if (watch.converged()) return watch.finish(SolveStatus::converged, "", 0);

  GaussSeidelSweep sweep(ldy);
  report.stages.setup = watch.seconds() - report.stages.residual;
  const double blocks = static_cast<double>(ldy.row_count() + ldy.off_diagonal_count());
  Stall stall;
  long done = 0;
  long judged = 0;
  double entered = watch.seconds();
  while (done < stop.max_iterations) {
    const auto direction = done % 2 == 1 ? SweepDirection::backward : SweepDirection::forward;
    const double visited = sweep.visits();
    const double change = options.symmetric ? sweep.run(direction, options.relaxation)
                                            : sweep.run_awake(options.relaxation);
    ++done;
    report.block_products += blocks * (sweep.visits() - visited) / static_cast<double>(ldy.constraint_count());

    // Is it worth a residual? The first sweeps may end it; later ones pay for it with twelve sweeps each.
    const bool small = change <= stop.tolerance * watch.load_norm();
    const long since = done - judged;
    const bool due = since >= kSweepsPerCheck || (small && (since >= kSweepsBetweenChecks || judged == 0));
    if (!due && done < stop.max_iterations) continue;
    judged = done;
    report.stages.sweeps += watch.seconds() - entered;
    const double residual = watch.judge(done);
    entered = watch.seconds();

    if (watch.converged()) return watch.finish(SolveStatus::converged, "", done);
    if (!std::isfinite(residual)) {
      return watch.finish(SolveStatus::diverged, "the iterate is not finite", done);
    }
    if (stall.watch(residual, done, options.stall_window)) {
      return watch.finish(SolveStatus::stalled, "no gain of 1 % in " + std::to_string(done - stall.since) + " sweeps",
                          done);
    }
    if (watch.out_of_time()) return watch.finish(SolveStatus::max_time, "the time limit came first", done);
  }
  return watch.finish(SolveStatus::max_iterations, "the limit of sweeps came first", done);
}

}  // namespace locdyn
