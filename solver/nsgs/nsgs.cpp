#include <locdyn/solver/nsgs/nsgs.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>

#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/nsgs/sweep.hpp>
#include <locdyn/solver/nsgs/sweep_schedule.hpp>
#include <locdyn/solver/nsgs/velocity_sweep.hpp>

namespace locdyn {
namespace {

constexpr long kSweepsPerCheck = 25;       // at most
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

// A sweep of either form; the R of one through velocities lies in the graph when somebody looks.
class ChosenSweep {
 public:
  ChosenSweep(LocalDynamics& ldy, const NsgsOptions& options) : relaxation_(options.relaxation) {
    const SweepForm form = options.form == SweepForm::automatic ? choose_form(ldy) : options.form;
    if (form == SweepForm::velocities) {
      const bool coloured = ldy.constraint_count() >= options.coloured_from;
      threads_ = coloured ? options.stop.threads : 1;
      velocities_.emplace(ldy, coloured ? coloured_schedule(ldy) : grouped_schedule(ldy));
      products_ = velocities_->products_per_visit();
    } else {
      blocks_.emplace(ldy);
      products_ =
          static_cast<double>(ldy.row_count() + ldy.off_diagonal_count()) / static_cast<double>(ldy.constraint_count());
    }
  }

  double run(SweepDirection direction) {
    return blocks_ ? blocks_->run(direction, relaxation_) : velocities_->run(direction, relaxation_, threads_);
  }
  double run_awake() {
    return blocks_ ? blocks_->run_awake(relaxation_) : velocities_->run_awake(relaxation_, threads_);
  }
  [[nodiscard]] double products() const { return products_ * (blocks_ ? blocks_->visits() : velocities_->visits()); }
  [[nodiscard]] Judgement judge(LocalDynamics& ldy, int threads) {
    if (blocks_) return judge_by_residual(ldy, threads);
    velocities_->write_reactions();
    velocities_->read_reactions(threads_);
    velocities_->write_velocities();
    return judgement_of(residual_of_velocities(ldy, threads));
  }

 private:
  double relaxation_, products_ = 0;
  int threads_ = 1;
  std::optional<GaussSeidelSweep> blocks_;
  std::optional<VelocitySweep> velocities_;
};

}  // namespace

SweepForm choose_form(const LocalDynamics& ldy) {
  const bool many = ldy.row_count() >= kVelocityRows && ldy.off_diagonal_count() >= kVelocityBlocks * ldy.row_count();
  return many && VelocitySweep::applies(ldy) ? SweepForm::velocities : SweepForm::blocks;
}

SolveReport solve_nsgs(LocalDynamics& ldy, const NsgsOptions& options) {
  check_nsgs(options);
  const StopOptions& stop = options.stop;
  std::optional<ChosenSweep> sweep;
  IterateWatch watch(ldy, stop, "nsgs", [&sweep](LocalDynamics& judged, int threads) {
    return sweep ? sweep->judge(judged, threads) : judge_by_residual(judged, threads);
  });
  SolveReport& report = watch.report();
  watch.judge(0);
  if (watch.converged()) return watch.finish(SolveStatus::converged, "", 0);

  sweep.emplace(ldy, options);
  report.stages.setup = watch.seconds() - report.stages.residual;
  Stall stall;
  long done = 0;
  long judged = 0;
  double entered = watch.seconds();
  while (done < stop.max_iterations) {
    const auto direction = done % 2 == 1 ? SweepDirection::backward : SweepDirection::forward;
    const double before = sweep->products();
    const double change = options.symmetric ? sweep->run(direction) : sweep->run_awake();
    ++done;
    report.block_products += sweep->products() - before;

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
