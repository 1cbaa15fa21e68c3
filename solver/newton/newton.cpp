#include <locdyn/solver/newton/newton.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/solver/newton/anchored_weight.hpp>
#include <locdyn/solver/newton/newton_system.hpp>
#include <locdyn/solver/newton/proximal_newton.hpp>
#include <locdyn/solver/newton/whole_graph.hpp>
#include <locdyn/solver/patience.hpp>

namespace locdyn {
using namespace detail;
namespace {

void check_newton(const NewtonOptions& options) {
  check_positive(options.augmentation, "newton", "augmentation");
  check_positive(options.first_proximal, "newton", "first_proximal");
  check_positive(options.least_proximal, "newton", "least_proximal");
  if (!(options.far > 0)) {
    throw std::invalid_argument("newton: far: expected a number > 0, found " + std::to_string(options.far));
  }
  if (options.long_walk < 0) {
    throw std::invalid_argument("newton: long_walk: expected >= 0, found " + std::to_string(options.long_walk));
  }
  if (options.first_sweeps < 0 || options.patience < 1 || options.patience_where_far < 1) {
    throw std::invalid_argument("newton: first_sweeps, patience, patience_where_far: expected >= 0, 1, 1, found " +
                                std::to_string(options.first_sweeps) + ", " + std::to_string(options.patience) + ", " +
                                std::to_string(options.patience_where_far));
  }
}

// The proximal weight. It falls fast until a centre is missed for the first time, and gently from then on: one too
// small for the inner loop costs more than many that are too large, and what failed lately is not tried again until it
// has been forgotten: a fifth of it a centre. Steps of eleven scenes, each from the same state, three trajectories: 0.9
// in place of 0.8 takes 1.04 to 1.10 times as long at 1e-8, 0.7 and 0.6 1.07 and 1.13 times; at 1e-6 and 1e-4 0.98 to
// 1.01 all of them.
//
// A turn of many steps is a long walk along what W hardly resists: each centre leads as far as 1/a, and nearly all that
// are missed are missed for a few rows. From `long_walk` steps on those are held (held_rows.hpp), the weight falls
// after each easy centre, more are easy, and no number of steps is too many, since some are taken before rows are held.
// Steps of scenes at 1e-8, each by both ways from the same state, fourteen scenes with and fourteen without a part in
// the choice: 0.86 and 0.78 of the time, the dearest steps a third (wall 3.1 s to 1.1, bin 2.4 to 0.1, castle 0.6 to
// 0.1); at 1e-6 0.96. Fifteen piles of 450 to 800 rocks, cold: 12 or 13 are solved within a minute in place of 11. The
// weight's fall alone 0.96, holding alone 0.96; holding from the first step on 1.02, for a first weight that is too
// small hinders many; from 60 and 150 on 0.88 and 0.84 where 100 takes 0.80.
//
// Where it is small and below the residual it falls by no more than a half: far below, where W hardly resists, R runs
// away, and the factor by blocks has no pivots left, which makes a step four times as dear. The same way, ten scenes at
// 1e-8: 0.96 of the time (bins and piles 0.9), and as much where small is 1e-5 or 1e-7. Small or not 0.93 and 0.96, the
// dearest steps of a pile 0.4, but then a chain of 2000 bodies takes more steps; and where it does not fall at all
// 0.94, and a block on ten that are a thousand times lighter takes a hundred times the steps.
constexpr double kSmallWeight = 1e-6;

class ProximalWeight {
 public:
  ProximalWeight(double first, double least) : value_(first), least_(least) {}

  [[nodiscard]] double value() const noexcept { return value_; }

  /// The centre was reached in so many steps, on a long walk or before, and has that residual.
  void reached(long steps, double residual, bool walks) {
    constexpr long kEasySteps = 3, kEasyStepsOfWalk = 5, kHardSteps = 6, kTooManySteps = 8;
    constexpr int kEasyCentres = 3, kEasyCentresOfWalk = 1;
    const double before = value_;
    easy_ = steps <= (walks ? kEasyStepsOfWalk : kEasySteps) ? easy_ + 1 : 0;
    if (failed_ == 0) {
      value_ *= steps <= kEasySteps ? 0.1 : steps <= kHardSteps ? 0.5 : 1;
    } else if (easy_ >= (walks ? kEasyCentresOfWalk : kEasyCentres)) {
      value_ = std::max(0.5 * value_, failed_);
      easy_ = 0;
    } else if (!walks && steps > kTooManySteps) {
      value_ = std::min(1.3 * value_, 1.0);
    }
    value_ = std::max({value_, std::min({0.5 * before, residual, kSmallWeight}), least_});
    failed_ *= 0.8;
  }
  void failed() {
    failed_ = 2 * value_;
    value_ = std::min(4 * value_, 1.0);
    easy_ = 0;
  }
  /// As large as it gets: sweeps do as well.
  [[nodiscard]] bool spent() const noexcept { return value_ >= 0.5; }

 private:
  double value_, least_;
  double failed_ = 0;
  int easy_ = 0;
};

// In the space of velocities, where warm starts come from time steps, the first weight follows the residual down to
// this. Steps of fourteen scenes, each from the same state: 1 in place of 2 1.02 times the time at 1e-6, 0.5 1.03; 4
// 1.00 at 1e-6 and 1.02 at 1e-8 (Jenga 1.05, dominoes 0.92). Where a loose tolerance has at most so much of the
// residual to go it is larger: a safe centre or two are enough, and one that fails costs as many steps as the rest.
// Twenty-eight runs of moving scenes, most of them at 1e-3 and 1e-4: 8 in place of 1 takes 0.89 of the steps, 16 and 30
// 0.92; with 30 and 300 in place of 100 0.93 and 0.90.
constexpr double kWarmProximal = 1e-6, kLooseTolerance = 1e-5, kNearTheTolerance = 100, kTimes = 2, kTimesWhereNear = 8;

double first_weight(const LocalDynamics& ldy, const NewtonOptions& options, double residual) {
  if (!works_in_velocities(ldy)) return options.first_proximal;
  const double tolerance = options.stop.tolerance;
  const bool near = tolerance >= kLooseTolerance && residual < kNearTheTolerance * tolerance;
  return std::min(options.first_proximal, std::max((near ? kTimesWhereNear : kTimes) * residual, kWarmProximal));
}

// The regularised problem is solved to this share of the residual at its centre. Steps of fourteen scenes, each from
// the same state: 0.2 and 0.3 take 1.03 and 1.02 times as long at 1e-6, 0.3 1.06 times at 1e-8, 0.7 as long.
constexpr double kInner = 0.5;
// The same where the weight falls about one centre, of the best: 0.02 and 0.5 as many steps.
constexpr double kInnerWhereAnchored = 0.1;

// About what a step will take [s]: `sweeps_per_newton_step` counts for small problems, where memory is fast; the
// larger ones measured, of 5000 to 20 000 contacts, take a third of that. A residual costs as much as a sweep.
constexpr std::size_t kManyRows = 5000;  // with fewer no step takes a second
constexpr double kShareOfCounted = 0.35;

double expected_seconds(const LocalDynamics& ldy, const NewtonSystem& system, const SolveReport& report) {
  if (ldy.row_count() < kManyRows) return 0;
  const double residual = report.stages.residual / static_cast<double>(report.history.size());
  return kShareOfCounted * static_cast<double>(sweeps_per_newton_step(ldy, system)) * residual;
}

// The R that the proximal term is centred on.
class Centre {
 public:
  explicit Centre(LocalDynamics& ldy) : ldy_(ldy), R_(ldy.diagonal_arena().size()) { take(); }

  void take() {
    for (std::size_t place = 0; place < R_.size(); ++place) R_[place] = ldy_.diagonal_arena()[place].R;
  }
  void restore() {
    for (std::size_t place = 0; place < R_.size(); ++place) ldy_.diagonal_arena()[place].R = R_[place];
  }

 private:
  LocalDynamics& ldy_;
  std::vector<Eigen::Vector3d> R_;  // by place in the arena
};

constexpr const char* kNoLess = "the regularised problem is solved where it stands, the residual is not";

// From centre to centre, the residual at the last of which is `reached`.
class Walk {
 public:
  Walk(LocalDynamics& ldy, WholeGraph& whole, ProximalNewton& newton, const NewtonOptions& options, IterateWatch& watch,
       double reached)
      : ldy_(ldy),
        whole_(whole),
        newton_(newton),
        options_(options),
        watch_(watch),
        last_(ldy),
        patience_(Patience::kHalved, options.patience + 1, watch.best()),
        reached_(reached) {}

  // The centre moves to each regularised solution, even where the residual grows a little on the way: a long walk along
  // the null space of W is made of such steps. What fails with one augmentation is tried with the next, and what fails
  // with a whole first step without one: both, for dominoes at 1e-8, take fewer steps than a whole one each time
  // (0.85).
  void with_the_centre() {
    constexpr std::array kAugmentations = {1.0, 10.0, 0.3};
    ProximalWeight weight(first_weight(ldy_, options_, reached_), options_.least_proximal);
    std::size_t failures = 0;
    while (goes_on()) {
      const long before = newton_.steps();
      if (newton_.solve({.weight = weight.value(),
                         .target = kInner * reached_,
                         .augmentation = options_.augmentation * kAugmentations[failures % kAugmentations.size()],
                         .whole_first_step = failures % 2 == 0,
                         .holds_rows = before >= options_.long_walk})) {
        if (newton_.steps() == before) {  // at its centre already: R runs away, and the residual cannot tell
          watch_.end(SolveStatus::stalled, kNoLess);
          break;
        }
        arrive();
        weight.reached(newton_.steps() - before, reached_, newton_.steps() >= options_.long_walk);
        continue;
      }
      last_.restore();
      weight.failed();
      ++failures;
      if (weight.spent()) sweep();
    }
  }

  // The weight falls about the same centre as long as it can.
  void anchored() {
    AnchoredWeight weight;
    while (goes_on()) {
      const long before = newton_.steps();
      if (newton_.solve({.weight = weight.trial(),
                         .target = kInnerWhereAnchored * watch_.best(),
                         .augmentation = options_.augmentation,
                         .whole_first_step = false,
                         .holds_rows = false,
                         .keeps_centre = !weight.first()})) {
        arrive();
        weight.reached(newton_.steps() - before);
        if (weight.trial() < options_.least_proximal) watch_.end(SolveStatus::stalled, kNoLess);
        continue;
      }
      last_.restore();
      if (weight.spent()) watch_.end(SolveStatus::stalled, "no regularised problem about the centre is solved");
      weight.missed();
    }
  }

 private:
  [[nodiscard]] bool goes_on() {
    const long steps = newton_.steps();
    const bool far = watch_.best() > options_.far;
    const long window = far ? std::min(options_.patience, options_.patience_where_far) : options_.patience;
    if (patience_.spent(steps, window + 1)) watch_.end(SolveStatus::stalled, patience_.reason(steps, "Newton steps"));
    patience_.note(watch_.best(), steps);
    return !watch_.over(steps) && watch_.allows(steps, newton_.seconds_of_step());
  }
  void arrive() {
    reached_ = watch_.judge(newton_.steps());
    last_.take();
  }
  // Where the weight is spent.
  void sweep() {
    constexpr long kSweepsWhereSpent = 200;
    whole_.sweep(kSweepsWhereSpent, watch_);
    arrive();
    patience_where_spent_.note(watch_.best(), ++spells_);
    if (patience_where_spent_.spent(spells_)) {
      watch_.end(SolveStatus::stalled, patience_where_spent_.reason(spells_, "turns of Newton steps and sweeps"));
    }
  }

  static constexpr int kFruitlessSpells = 5;  // sweeps where spent, one after the other, without a gain of 1 %

  LocalDynamics& ldy_;
  WholeGraph& whole_;
  ProximalNewton& newton_;
  const NewtonOptions& options_;
  IterateWatch& watch_;
  Centre last_;  // that was reached
  Patience patience_, patience_where_spent_{Patience::kOnePercentLess, kFruitlessSpells};
  long spells_ = 0;
  double reached_;
};

// `make` gives the linear system, once it is known that one is needed.
SolveReport solve_by(LocalDynamics& ldy, WholeGraph& whole, const std::function<NewtonSystem&()>& make,
                     const NewtonOptions& options) {
  check_newton(options);
  const StopOptions& stop = options.stop;
  const auto evaluate = [&whole] { return whole.residual(); };
  IterateWatch watch(ldy, stop, "newton", [&](LocalDynamics&, int) { return judgement_of(evaluate()); });
  SolveReport& report = watch.report();
  watch.judge(0);
  if (watch.converged()) return watch.finish(0, evaluate);

  NewtonSystem& system = make();
  ProximalNewton newton(ldy, whole, system, options, watch);
  report.stages.setup = watch.seconds() - report.stages.residual;
  // A few sweeps find most of the active set.
  if (options.first_sweeps > 0) whole.sweep(options.first_sweeps, watch);
  report.stages.sweeps = watch.seconds() - report.stages.setup - report.stages.residual;
  const double reached = watch.judge(0);
  if (watch.over(0) || !watch.allows(0, expected_seconds(ldy, system, report))) return watch.finish(0, evaluate);

  Walk walk(ldy, whole, newton, options, watch, reached);
  options.anchored ? walk.anchored() : walk.with_the_centre();
  return watch.finish(newton.steps(), evaluate);
}

}  // namespace

SolveReport solve_newton(LocalDynamics& ldy, const NewtonOptions& options) {
  std::unique_ptr<NewtonSystem> system;
  WholeOfOne whole(ldy, options.stop);
  const auto make = [&]() -> NewtonSystem& { return *(system = make_newton_system(ldy)); };
  return solve_by(ldy, whole, make, options);
}

SolveReport detail::solve_newton(LocalDynamics& ldy, NewtonSystem& system, const NewtonOptions& options) {
  WholeOfOne whole(ldy, options.stop);
  return detail::solve_newton(ldy, whole, system, options);
}

SolveReport detail::solve_newton(LocalDynamics& ldy, WholeGraph& whole, NewtonSystem& system,
                                 const NewtonOptions& options) {
  return solve_by(
      ldy, whole, [&system]() -> NewtonSystem& { return system; }, options);
}

}  // namespace locdyn
