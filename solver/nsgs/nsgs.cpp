#include <locdyn/solver/nsgs/nsgs.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/nsgs/extrapolation.hpp>
#include <locdyn/solver/nsgs/sweep.hpp>
#include <locdyn/solver/nsgs/sweep_schedule.hpp>
#include <locdyn/solver/nsgs/velocity_sweep.hpp>

namespace locdyn {
namespace {

constexpr long kSweepsPerCheck = 25;       // at most
constexpr long kSweepsBetweenChecks = 12;  // at least, after the first few
constexpr double kLargestFloor = 1e-4;     // over the residual, where steps may still be lengthened

void check_relaxation(double relaxation) {
  if (!(relaxation > 0 && relaxation < 2)) {
    throw std::invalid_argument("nsgs: relaxation: expected a number in (0, 2), found " + std::to_string(relaxation));
  }
}

void check_nsgs(const NsgsOptions& options) {
  check_relaxation(options.relaxation);
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

SweepForm choose_form(const LocalDynamics& ldy) {
  const bool many = ldy.row_count() >= kVelocityRows && ldy.off_diagonal_count() >= kVelocityBlocks * ldy.row_count();
  return many && VelocitySweep::applies(ldy) ? SweepForm::velocities : SweepForm::blocks;
}

// A sweep of either form; the R of one through velocities lies in the graph when somebody looks.
class GaussSeidel::ChosenSweep {
 public:
  ChosenSweep(LocalDynamics& ldy, const NsgsOptions& options) {
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

  double run(SweepDirection direction, double relaxation) {
    return blocks_ ? blocks_->run(direction, relaxation) : velocities_->run(direction, relaxation, threads_);
  }
  double run_awake(double relaxation) {
    return blocks_ ? blocks_->run_awake(relaxation) : velocities_->run_awake(relaxation, threads_);
  }
  // Takes the R in the graph, which somebody else has changed.
  void read_reactions() {
    if (blocks_) {
      blocks_->wake_all();
    } else {
      velocities_->read_reactions(threads_);
      velocities_->wake_all();
    }
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
  double products_ = 0;
  int threads_ = 1;
  std::optional<GaussSeidelSweep> blocks_;
  std::optional<VelocitySweep> velocities_;
};

struct GaussSeidel::State {
  State(LocalDynamics& ldy, const NsgsOptions& options) : sweep(ldy, options), extrapolation(ldy) {}

  ChosenSweep sweep;
  Extrapolation extrapolation;
};

GaussSeidel::GaussSeidel(LocalDynamics& ldy, const NsgsOptions& options) : ldy_(ldy), options_(options) {
  check_nsgs(options);
}

GaussSeidel::~GaussSeidel() = default;

SolveReport GaussSeidel::solve(const StopOptions& stop, double relaxation) {
  check_relaxation(relaxation);
  IterateWatch watch(ldy_, stop, "nsgs", [this](LocalDynamics& judged, int threads) {
    return state_ ? state_->sweep.judge(judged, threads) : judge_by_residual(judged, threads);
  });
  SolveReport& report = watch.report();
  if (state_) state_->sweep.read_reactions();
  watch.judge(0);
  if (watch.converged()) return watch.finish(SolveStatus::converged, "", 0);

  if (state_) {
    state_->extrapolation.restart();
  } else {
    state_ = std::make_unique<State>(ldy_, options_);
  }
  ChosenSweep& sweep = state_->sweep;
  report.stages.setup = watch.seconds() - report.stages.residual;
  Stall stall;
  long done = 0;
  long judged = 0;
  double entered = watch.seconds();
  while (done < stop.max_iterations) {
    const auto direction = done % 2 == 1 ? SweepDirection::backward : SweepDirection::forward;
    const double before = sweep.products();
    const double change = options_.symmetric ? sweep.run(direction, relaxation) : sweep.run_awake(relaxation);
    ++done;
    report.block_products += sweep.products() - before;

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
    if (stall.watch(residual, done, options_.stall_window)) {
      return watch.finish(SolveStatus::stalled, "no gain of 1 % in " + std::to_string(done - stall.since) + " sweeps",
                          done);
    }
    if (watch.out_of_time()) return watch.finish(SolveStatus::max_time, "the time limit came first", done);
    // Where no R is a solution R runs away, and longer steps would only hide the residual behind its rounding.
    if (watch.floor() > kLargestFloor * residual) continue;
    if (state_->extrapolation.after_window(residual)) sweep.read_reactions();
  }
  return watch.finish(SolveStatus::max_iterations, "the limit of sweeps came first", done);
}

SolveReport solve_nsgs(LocalDynamics& ldy, const NsgsOptions& options) {
  return GaussSeidel(ldy, options).solve(options.stop, options.relaxation);
}

}  // namespace locdyn
