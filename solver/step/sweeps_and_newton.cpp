#include <locdyn/solver/step/sweeps_and_newton.hpp>

#include <array>
#include <stdexcept>
#include <string>

#include <locdyn/solver/newton/newton.hpp>
#include <locdyn/solver/newton/newton_system.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/patience.hpp>
#include <locdyn/solver/stage_sequence.hpp>

namespace locdyn::detail {
namespace {

// Sweeps before the first look at what they promise, twice as many before each further one: a look costs about two
// residuals. Not measured apart from the shares below, which were measured with 20; 50 in place of 25: the same.
constexpr long kFirstSweeps = 25;
// About how many Newton steps a solve takes: 8 to 50 on steps of a wall of 87 bodies that a ball has hit.
constexpr long kNewtonStepsPerSolve = 25;
// What sweeps may cost, beside what Newton is expected to: so much where they promise nothing, for they find most of
// the states that Newton starts from, and at most so much where they do promise, for they slow down. Wall, tower, pile
// and rubble at 1e-3 and 1e-6: 0.05 and 0.5 take 0.6 to 1.1 of the time of at least 200 sweeps and 0.5; 0.2 in place of
// 0.05 up to 1.8 times, 0.2 in place of 0.5 up to 1.3 times.
constexpr double kLeastShare = 0.05, kMostShare = 0.5;
// Newton steps in which the residual must halve, twice as many in each round.
constexpr long kPatience = 100;
constexpr long kStallWindow = 2000;
constexpr int kIdleRounds = 3;

class Rounds {
 public:
  Rounds(LocalDynamics& ldy, const StopOptions& stop)
      : ldy_(ldy), stop_(stop), sequence_(stop), sweeps_(ldy, {.stop = stop, .stall_window = kStallWindow}) {}

  // The first sweeps, and on while they promise to end before Newton would, but never for longer than that.
  void sweep(double relaxation) {
    long look = kFirstSweeps;
    sequence_.add(sweeps_.solve(sequence_.left(), relaxation, [&](const SolveReport& turn) {
      const long done = turn.history.back().iteration;
      if (done < look) return false;
      look = kFirstSweeps + 2 * done;
      const double to_go = sweeps_to_go(turn, stop_.tolerance);
      const double least = kLeastShare * cost_of_newton(), most = kMostShare * cost_of_newton();
      return static_cast<double>(done) >= least && (to_go > most || static_cast<double>(done) > most);
    }));
  }

  void newton(long patience, double augmentation) {
    NewtonOptions options;
    options.stop = sequence_.left();
    options.first_sweeps = 0;
    options.patience = patience;
    options.augmentation = augmentation;
    sequence_.add(solve_newton(ldy_, options));
  }

  [[nodiscard]] StageSequence& sequence() noexcept { return sequence_; }
  // Of a solve, in sweeps.
  [[nodiscard]] double cost_of_newton() {
    if (newton_step_ == 0) newton_step_ = sweeps_per_newton_step(ldy_);
    return static_cast<double>(kNewtonStepsPerSolve * newton_step_);
  }

 private:
  LocalDynamics& ldy_;
  const StopOptions& stop_;
  StageSequence sequence_;
  GaussSeidel sweeps_;
  long newton_step_ = 0;  // in sweeps
};

}  // namespace

SolveReport solve_sweeps_and_newton(LocalDynamics& ldy, const SweepsAndNewtonOptions& options) {
  constexpr std::array kAugmentations = {10.0, 100.0, 1.0, 30.0};
  constexpr std::array kRelaxations = {1.0, 1.0, 1.3, 1.0, 1.6};
  check_options(options.stop, "sweeps and Newton");
  if (options.rounds < 1) {
    throw std::invalid_argument("sweeps and Newton: rounds: expected a number >= 1, found " +
                                std::to_string(options.rounds));
  }
  Rounds rounds(ldy, options.stop);
  Patience idle(Patience::kOnePercentLess, kIdleRounds);
  std::size_t round = 0;
  for (; round < static_cast<std::size_t>(options.rounds) && !idle.spent(static_cast<long>(round)); ++round) {
    rounds.sweep(kRelaxations[round % kRelaxations.size()]);
    if (rounds.sequence().ended()) break;
    rounds.newton(kPatience << round, kAugmentations[round % kAugmentations.size()]);
    if (rounds.sequence().ended()) break;
    idle.note(rounds.sequence().total().own_residual, static_cast<long>(round) + 1);
  }
  return rounds.sequence().finish(SolveStatus::stalled, "neither sweeps nor Newton steps reached the tolerance in " +
                                                         std::to_string(round) + " rounds");
}

}  // namespace locdyn::detail
