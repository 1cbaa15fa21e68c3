#include <locdyn/solver/auto.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <locdyn/solver/convex/admm.hpp>
#include <locdyn/solver/convex/cone_program.hpp>
#include <locdyn/solver/convex/interior.hpp>
#include <locdyn/solver/newton/newton.hpp>
#include <locdyn/solver/newton/newton_system.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/path/path.hpp>
#include <locdyn/solver/patience.hpp>
#include <locdyn/solver/schwarz/schwarz.hpp>
#include <locdyn/solver/solve_apart.hpp>
#include <locdyn/solver/step/sweeps_and_newton.hpp>
#include <locdyn/solver/turns.hpp>

namespace locdyn {
namespace {

// Newton steps in which the residual must halve, twice as many in each round.
constexpr long kFirstPatience = 40;
// About how many Newton steps a solve takes: sweeps are given up where their contraction asks for more than it costs.
constexpr long kNewtonStepsPerSolve = 25;
// Patches are for a residual that a tenth of the constraints cover, and for graphs where a Newton step on the whole
// costs more than a round of them; it may take a few rounds to halve the residual.
constexpr double kMostSpread = 0.1;
constexpr long kSweepsPerRound = 40;
// Sweeps without a gain after which another method has its turn.
constexpr long kStallWindow = 2000;
constexpr int kIdleRounds = 6;
// Newton steps in which the residual must halve, else alternating directions have their turn first: where Newton is
// quick they are not.
constexpr long kNewtonFirst = 5;
// Below this alternating directions are slow, and Newton is not.
constexpr double kSlowDigits = 1e-6;
// In sweeps: interior points factorise all rows, hundreds of times.
constexpr long kDearestFactor = 2000;
constexpr long kPatience = 10;
constexpr long kInteriorPatience = 6;

// Sweeps still needed by the contraction over the second half of the last turn; infinite where there is none, and after
// a short turn: where Newton steps are cheap, ten sweeps are enough.
double sweeps_to_go(const SolveReport& turn, double tolerance) {
  if (turn.history.size() < 3) return std::numeric_limits<double>::infinity();
  const auto& first = turn.history[turn.history.size() / 2];
  const auto& last = turn.history.back();
  const double rate = std::log(first.residual / last.residual) / static_cast<double>(last.iteration - first.iteration);
  if (!(rate > 0)) return std::numeric_limits<double>::infinity();
  return std::log(last.residual / tolerance) / rate;
}

// The central path is the surest way and the dearest. It has a turn when the others have spent a share of what it is
// expected to take, and another when they have spent as much as it has.
class PathTurns {
 public:
  PathTurns(LocalDynamics& ldy, const StopOptions& stop) : ldy_(ldy), stop_(stop), path_(ldy) {}

  /// After so much work, its own turns included.
  [[nodiscard]] bool is_due(double work) {
    if (path_.stuck() || !suits_convex(ldy_)) return false;
    if (expected_ == 0) {
      expected_ = kFactorisationsPerRow * static_cast<double>(ldy_.row_count()) * cost_of_all_rows(ldy_);
    }
    return work - spent_ >= std::max(kShareOfPath * expected_, spent_);
  }

  void turn(Turns& turns) {
    const double before = turns.total().work();
    const auto rows = static_cast<long>(ldy_.row_count());
    turns.add(path_.solve({.stop = turns.left(stop_.max_iterations), .patience = std::max(kLeastPatience, rows / 4)}));
    spent_ += turns.total().work() - before;
  }

 private:
  static constexpr double kFactorisationsPerRow = 0.2;  // measured on walls and piles of 400 to 2400 contacts
  static constexpr double kShareOfPath = 0.2;
  static constexpr long kLeastPatience = 100;

  LocalDynamics& ldy_;
  const StopOptions& stop_;
  PathFollower path_;
  double expected_ = 0, spent_ = 0;
};

// Within a hundred times the tolerance, and small.
bool near_the_end(const SolveReport& report, const StopOptions& stop) {
  return report.own_residual <= std::min(1e2 * stop.tolerance, 1e-6);
}

struct Sweeping {
  long budget, first;  // sweeps in all, and in the first slice; each slice is twice the last
  double relaxation;
  double promise, waiting;  // beyond the budget as long as they ask for at most `promise` times what they have taken,
                            // and for at most `waiting`
};

void sweep_while_promising(GaussSeidel& sweeps, Turns& turns, double tolerance, const Sweeping& sweeping) {
  long done = 0;
  for (long slice = sweeping.first; !turns.ended(); slice *= 2) {
    SolveReport turn = sweeps.solve(turns.left(slice), sweeping.relaxation);
    const bool lost = turn.status == SolveStatus::stalled || turn.status == SolveStatus::diverged;
    const double to_go = sweeps_to_go(turn, tolerance);
    turns.add(std::move(turn));
    done += slice;
    if (lost ||
        (done >= sweeping.budget && to_go > std::min(sweeping.waiting, sweeping.promise * static_cast<double>(done)))) {
      return;
    }
  }
}

// Alternating directions as far as they are quick.
SolveReport solve_directions(LocalDynamics& ldy, const StopOptions& stop) {
  AdmmOptions options;
  options.stop = stop;
  options.stop.tolerance = std::max(stop.tolerance, kSlowDigits);
  SolveReport turn = solve_admm(ldy, options);
  if (turn.status == SolveStatus::converged && turn.own_residual > stop.tolerance) turn.status = SolveStatus::stalled;
  return turn;
}

// Turns of sweeps, patches, Newton, alternating directions and interior points on the whole graph.
SolveReport escalate(LocalDynamics& ldy, const AutoOptions& options) {
  constexpr std::array kAugmentations = {10.0, 100.0, 1.0, 30.0};
  constexpr std::array kRelaxations = {1.0, 1.0, 1.3, 1.0, 1.6};
  const StopOptions& stop = options.stop;
  long newton_cost = sweeps_per_newton_step(ldy);
  const long first_sweeps = std::clamp(newton_cost / 2, 10L, 100L);
  Turns turns(stop);
  GaussSeidel sweeps(ldy, {.stop = stop, .stall_window = kStallWindow});
  PathTurns path(ldy, stop);
  double interior_level = std::numeric_limits<double>::infinity();  // where interior points left it last
  Patience idle(Patience::kOnePercentLess, kIdleRounds);
  std::size_t round = 0;
  for (; round < static_cast<std::size_t>(options.rounds) && !turns.ended() && !idle.spent(static_cast<long>(round));
       ++round) {
    const long patience = kFirstPatience << std::min<std::size_t>(round, 8);
    const double waiting = static_cast<double>(kNewtonStepsPerSolve * newton_cost);
    const bool patching = newton_cost > kSweepsPerRound;
    Sweeping sweeping{.budget = round == 0 ? first_sweeps : newton_cost * patience,
                      .first = first_sweeps,
                      .relaxation = kRelaxations[round % kRelaxations.size()],
                      .promise = patching ? 1 : std::numeric_limits<double>::infinity(),
                      .waiting = waiting};
    sweep_while_promising(sweeps, turns, stop.tolerance, sweeping);
    if (turns.ended()) break;
    newton_cost = sweeps_per_newton_step(ldy);  // of what presses now
    if (patching) {
      SchwarzOptions patches;
      patches.stop = turns.left();
      patches.patience = kPatience;
      patches.most_spread = kMostSpread;
      turns.add(solve_schwarz(ldy, patches));
      if (turns.ended()) break;
      if (round == 0) {
        sweeping.promise = std::numeric_limits<double>::infinity();
        sweep_while_promising(sweeps, turns, stop.tolerance, sweeping);
        if (turns.ended()) break;
      }
    }
    NewtonOptions direct;
    direct.first_sweeps = round == 0 ? first_sweeps : 0;
    direct.augmentation = kAugmentations[round % kAugmentations.size()];
    if (round == 0 && newton_cost <= kDearestFactor && suits_convex(ldy)) {
      direct.stop = turns.left();
      direct.patience = kNewtonFirst;
      turns.add(solve_newton(ldy, direct));
      if (turns.ended()) break;
      turns.add(solve_directions(ldy, turns.left()));
      if (turns.ended()) break;
      direct.first_sweeps = 0;
    }
    direct.stop = turns.left();
    direct.patience = patience;
    turns.add(solve_newton(ldy, direct));
    // Near the end it may creep along the null space of W, where interior points do not; from afar they seldom do
    // better. They have another turn when the residual has come down since.
    if (!turns.ended() && near_the_end(turns.total(), stop) && turns.total().own_residual < 0.25 * interior_level &&
        newton_cost <= kDearestFactor && suits_convex(ldy)) {
      InteriorOptions cones;
      cones.stop = turns.left();
      cones.patience = kInteriorPatience;
      turns.add(solve_interior(ldy, cones));
      interior_level = turns.total().own_residual;
    }
    if (!turns.ended() && path.is_due(turns.total().work())) path.turn(turns);
    idle.note(turns.total().own_residual, static_cast<long>(round) + 1);
  }
  return turns.finish(SolveStatus::stalled,
                      "neither sweeps nor Newton steps reached the tolerance in " + std::to_string(round) + " rounds");
}

// A graph that knows its bodies by sweeps and Newton in the space of their velocities; what they leave, and other
// graphs, by everything there is.
SolveReport solve_whole(LocalDynamics& ldy, const AutoOptions& options) {
  if (!works_in_velocities(ldy)) return escalate(ldy, options);
  Turns turns(options.stop);
  turns.add(solve_sweeps_and_newton(ldy, {.stop = options.stop}));
  if (turns.ended()) return turns.finish(SolveStatus::stalled, "");
  AutoOptions rest = options;
  rest.stop = turns.left();
  turns.add(escalate(ldy, rest));
  return turns.finish(turns.total().status, turns.total().reason);
}

bool none_holds_most(const Islands& islands) {
  for (Index i = 0; i < islands.count; ++i) {
    if (2 * islands.island(i).size() > islands.members.size()) return false;
  }
  return true;
}

}  // namespace

SolveReport solve_auto(LocalDynamics& ldy, const AutoOptions& options) {
  check_options(options.stop, "auto");
  if (options.rounds < 1) {
    throw std::invalid_argument("auto: rounds: expected a number >= 1, found " + std::to_string(options.rounds));
  }
  if (ldy.constraint_count() >= options.apart_from) {
    const Islands islands = find_islands(ldy);
    if (islands.count > 1 && none_holds_most(islands)) {
      return solve_apart(ldy, islands, options.stop, [&options](LocalDynamics& island, const StopOptions& stop) {
        AutoOptions own = options;
        own.stop = stop;
        return solve_whole(island, own);
      });
    }
  }
  return solve_whole(ldy, options);
}

}  // namespace locdyn
