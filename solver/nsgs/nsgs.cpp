#include <locdyn/solver/nsgs/nsgs.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/nsgs/chosen_sweep.hpp>
#include <locdyn/solver/nsgs/momentum.hpp>
#include <locdyn/solver/patience.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr long kSweepsPerCheck = 25;       // at most
constexpr long kSweepsBetweenChecks = 12;  // at least, after the first few
// Behind a focus, before the next check, and of the change at which the residual would meet the tolerance: beside 0.77
// of the work on eight moving scenes (focus.cpp) 3 and 6 sweeps 0.78 and 0.80; 0.5 and 1 in place of 0.7 0.77 and 0.84.
constexpr long kSweepsBehindFocus = 4;
constexpr double kEnoughInFocus = 0.7;
constexpr double kLargestFloor = 1e-2;  // over the residual, where there may still be momentum

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
  State(LocalDynamics& ldy, const NsgsOptions& options) : sweep(choose_sweep(ldy, options)) {}

  std::unique_ptr<ChosenSweep> sweep;
  Momentum momentum;
  double change = 0;  // of the last sweep
  // Where no R is a solution R runs away, and momentum would only hide the residual behind its rounding.
  bool runs_away = false;
};

GaussSeidel::GaussSeidel(LocalDynamics& ldy, const NsgsOptions& options) : ldy_(ldy), options_(options) {
  check_nsgs(options);
}

GaussSeidel::~GaussSeidel() = default;

bool GaussSeidel::has_momentum(double relaxation) const noexcept {
  return options_.momentum && !options_.symmetric && relaxation <= 1;
}

double GaussSeidel::sweep_once(long number, double relaxation) {
  ChosenSweep& sweep = *state_->sweep;
  if (options_.symmetric) {
    return sweep.run(number % 2 == 1 ? SweepDirection::backward : SweepDirection::forward, relaxation);
  }
  if (!has_momentum(relaxation)) return sweep.run_active(relaxation);
  sweep.carry_on(state_->runs_away ? 0 : state_->momentum.share());
  const double change = sweep.run(SweepDirection::forward, relaxation);
  state_->momentum.after_sweep(change);
  return change;
}

// Sweeps until a residual is worth its cost, at most `most`: the first sweeps may end it; later ones pay for it with
// twelve sweeps each. Returns how many there were.
long GaussSeidel::sweep(long done, long most, double relaxation, double small) {
  long count = 0;
  while (count < most) {
    state_->change = sweep_once(done + count, relaxation);
    ++count;
    if (state_->change <= small && (count >= kSweepsBetweenChecks || done == 0)) break;
  }
  return count;
}

// How many sweeps a focus is worth, at most `most`; 0 where there is none.
long GaussSeidel::focus(double enough, long most) {
  const double worth = state_->sweep->focus(enough, static_cast<double>(most));
  if (worth > 0) state_->momentum.restart();  // which it has of its own
  return std::min(static_cast<long>(std::ceil(worth)), most);
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
    state_->momentum.restart();  // somebody else has changed R
  } else {
    state_ = std::make_unique<State>(ldy_, options_);
  }
  report.stages.setup = watch.seconds() - report.stages.residual;
  Patience patience(Patience::kOnePercentLess, options_.stall_window);
  const double small = stop.tolerance * watch.load_norm();
  long done = 0;
  double residual = 0;  // the last
  double enough = 0;    // of a change in a focus; 0: nobody knows
  // A focus that finds no place, or gains less than 1 %, comes again after as many sweeps as there were: what is left
  // is nowhere in particular, and momentum would begin anew for nothing. A stack of 2000 boxes comes to 1e-4 in 15 200
  // sweeps (21 400 with a focus at each residual, 15 050 without), an arch in 6300 (6600, 6500). Where it has to halve
  // the residual the 99 % step of pile_large at 1e-4 is 5.1 to 6.3 medians, with 10 and 25 % 5.5 and 5.8, here 4.6.
  long next_focus = 0;
  while (!watch.over(done)) {
    const double entered = watch.seconds();
    const double before = state_->sweep->products();
    const auto left = [&](long most) { return std::min(most, stop.max_iterations - done); };
    const bool tries = enough > 0 && done >= next_focus && left(2) > 1;
    const long focused = tries ? focus(enough, left(kSweepsPerCheck + 1) - 1) : 0;
    done += focused;
    done += sweep(done, left(focused > 0 ? kSweepsBehindFocus : kSweepsPerCheck), relaxation, small);
    report.block_products += state_->sweep->products() - before;
    report.stages.sweeps += watch.seconds() - entered;
    const double last = std::exchange(residual, watch.judge(done));
    if (tries && (focused == 0 || residual > Patience::kOnePercentLess * last)) next_focus = 2 * done;
    watch.end_unless_finite();
    patience.note(residual, done);
    if (patience.spent(done, std::max(options_.stall_window, done / 2) + 1)) {
      watch.end(SolveStatus::stalled, patience.reason(done, "sweeps"));
    }
    if (gives_up && !watch.over(done) && gives_up(report)) watch.end(SolveStatus::stalled, "it promised too little");
    const bool may_focus = has_momentum(relaxation) && !state_->runs_away;
    enough = may_focus ? kEnoughInFocus * stop.tolerance * state_->change / residual : 0;
    state_->runs_away = watch.floor() > kLargestFloor * residual;
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
