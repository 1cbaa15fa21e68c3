#include <locdyn/solver/nsgs/nsgs.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/nsgs/alternation.hpp>
#include <locdyn/solver/nsgs/anderson.hpp>
#include <locdyn/solver/nsgs/chosen_sweep.hpp>
#include <locdyn/solver/nsgs/extrapolation.hpp>
#include <locdyn/solver/patience.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr long kSweepsPerCheck = 25;       // at most
constexpr long kSweepsBetweenChecks = 12;  // at least, after the first few
constexpr long kSweepsPerMixing = 4;
constexpr long kMixingsPerCheck = 6;
constexpr double kLargestFloor = 1e-4;  // over the residual, where steps may still be lengthened

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

}  // namespace

struct GaussSeidel::State {
  State(LocalDynamics& ldy, const NsgsOptions& options) : sweep(choose_sweep(ldy, options)), extrapolation(ldy) {}

  std::unique_ptr<ChosenSweep> sweep;
  Alternation alternation;
  Extrapolation extrapolation;
  std::optional<Anderson> mixture;             // from its first turn on
  std::vector<Eigen::Vector3d> before_mixing;  // R by place, where sweeps left off
};

GaussSeidel::GaussSeidel(LocalDynamics& ldy, const NsgsOptions& options) : ldy_(ldy), options_(options) {
  check_nsgs(options);
}

GaussSeidel::~GaussSeidel() = default;

// Sweeps until a residual is worth its cost, at most `most`: the first sweeps may end it; later ones pay for it with
// twelve sweeps each. Returns how many there were.
long GaussSeidel::sweep(long done, long most, double relaxation, double small) {
  ChosenSweep& sweep = *state_->sweep;
  long count = 0;
  while (count < std::min(most, kSweepsPerCheck)) {
    const auto direction = (done + count) % 2 == 1 ? SweepDirection::backward : SweepDirection::forward;
    const double change = options_.symmetric ? sweep.run(direction, relaxation) : sweep.run_active(relaxation);
    ++count;
    if (change <= small && (count >= kSweepsBetweenChecks || done == 0)) break;
  }
  return count;
}

// Sweeps with a mixing between every few. The last of them leaves what a mixing is to start from.
long GaussSeidel::mix(long most, double relaxation) {
  ChosenSweep& sweep = *state_->sweep;
  Anderson& mixture = *state_->mixture;
  long count = 0;
  for (long mixing = 0; mixing < kMixingsPerCheck && count < most; ++mixing) {
    if (mixing > 0) {
      sweep.write_reactions();
      mixture.after_sweep();
      sweep.read_reactions();
    }
    for (long k = 0; k < kSweepsPerMixing && count < most; ++k, ++count) {
      if (k == kSweepsPerMixing - 1) {
        sweep.write_reactions();
        mixture.before_sweep();
      }
      (void)sweep.run(SweepDirection::forward, relaxation);
    }
  }
  return count;
}

// The long steps that a window of sweeps leads to, or the change from sweeps to mixing and back.
void GaussSeidel::step_on(double residual, IterateWatch& watch) {
  State& state = *state_;
  // Where no R is a solution R runs away, and longer steps would only hide the residual behind its rounding.
  const bool hidden = watch.floor() > kLargestFloor * residual;
  if (hidden && state.alternation.mixing()) {
    state.alternation.sweep_only();
    take_up_sweeps(watch);
  } else if (!hidden && options_.mixing && !options_.symmetric && state.alternation.changes(watch.best())) {
    state.alternation.mixing() ? take_up_mixing() : take_up_sweeps(watch);
  } else if (state.alternation.mixing()) {
    state.mixture->after_sweep();
    state.sweep->read_reactions();
  } else if (!hidden && options_.extrapolation && state.extrapolation.after_window(residual)) {
    state.sweep->read_reactions();
  }
}

void GaussSeidel::take_up_mixing() {
  State& state = *state_;
  state.before_mixing.resize(ldy_.diagonal_arena().size());
  for (std::size_t k = 0; k < state.before_mixing.size(); ++k) state.before_mixing[k] = ldy_.diagonal_arena()[k].R;
  if (state.mixture) {
    state.mixture->restart();
  } else {
    state.mixture.emplace(ldy_, options_.stop.threads);
  }
}

// From where mixing has come to, or where it has gained nothing from where sweeps left off.
void GaussSeidel::take_up_sweeps(IterateWatch& watch) {
  State& state = *state_;
  if (state.alternation.decreased() || state.before_mixing.empty()) {
    watch.restore_best();
  } else {
    for (std::size_t k = 0; k < state.before_mixing.size(); ++k) ldy_.diagonal_arena()[k].R = state.before_mixing[k];
  }
  state.sweep->read_reactions();
  state.extrapolation.restart();
}

SolveReport GaussSeidel::solve(const StopOptions& stop, double relaxation, const GivesUp& gives_up) {
  check_relaxation(relaxation);
  IterateWatch watch(ldy_, stop, "nsgs", [this](LocalDynamics& judged, int threads) {
    return state_ ? state_->sweep->judge(judged, threads) : judge_by_residual(judged, threads);
  });
  SolveReport& report = watch.report();
  if (state_) state_->sweep->read_reactions();
  watch.judge(0);
  if (watch.over(0)) return watch.finish(0);

  if (state_) {
    state_->extrapolation.restart();
    state_->before_mixing.clear();  // somebody else has changed R
    if (state_->mixture) state_->mixture->restart();
  } else {
    state_ = std::make_unique<State>(ldy_, options_);
  }
  report.stages.setup = watch.seconds() - report.stages.residual;
  Patience patience(Patience::kOnePercentLess, options_.stall_window);
  const double small = stop.tolerance * watch.load_norm();
  long done = 0;
  while (!watch.over(done)) {
    const double entered = watch.seconds();
    const double before = state_->sweep->products();
    const long most = stop.max_iterations - done;
    done += state_->alternation.mixing() ? mix(most, relaxation) : sweep(done, most, relaxation, small);
    report.block_products += state_->sweep->products() - before;
    report.stages.sweeps += watch.seconds() - entered;
    const double residual = watch.judge(done);
    watch.end_unless_finite();
    patience.note(residual, done);
    if (patience.spent(done, std::max(options_.stall_window, done / 2) + 1)) {
      watch.end(SolveStatus::stalled, patience.reason(done, "sweeps"));
    }
    if (gives_up && !watch.over(done) && gives_up(report)) watch.end(SolveStatus::stalled, "it promised too little");
    if (!watch.over(done)) step_on(residual, watch);
  }
  return watch.finish(done);
}

double sweeps_to_go(const SolveReport::Sample& from, const SolveReport::Sample& to, double tolerance) {
  const double rate = std::log(from.residual / to.residual) / static_cast<double>(to.iteration - from.iteration);
  return rate > 0 ? std::log(to.residual / tolerance) / rate : std::numeric_limits<double>::infinity();
}

double sweeps_to_go(const SolveReport& turn, double tolerance) {
  const auto& history = turn.history;
  const auto half = std::find_if(history.begin(), history.end(),
                                 [&](const auto& s) { return 2 * s.iteration >= history.back().iteration; });
  if (half == history.end() || half->iteration >= history.back().iteration) {
    return std::numeric_limits<double>::infinity();
  }
  return sweeps_to_go(*half, history.back(), tolerance);
}

SolveReport solve_nsgs(LocalDynamics& ldy, const NsgsOptions& options) {
  return GaussSeidel(ldy, options).solve(options.stop, options.relaxation);
}

}  // namespace locdyn
