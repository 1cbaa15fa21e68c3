#include <locdyn/solver/step/wandering_sweeps.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include <locdyn/solver/newton/newton_system.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/step/short_turns.hpp>

namespace locdyn::detail {
namespace {

// Sweeps by which they have left where they began.
constexpr long kAway = 300;
// They have to come within so many tolerances, for which they may take such a share of what was spent until then, and
// this one in all. Of 1520 steps of pyramids and blocks of 55 to 392 balls, friction 0.3 to 0.8, eleven were left by
// all rounds at 1e-3, at 1.01e-3 to 1.3e-2. Of three on which sweeps come to 1.4 to 2.3 tolerances each is ended so,
// in 1.4 to 12 s; all other solvers took 13 and 7 s for two of them and left the third after 184. With momentum 3.3
// to 4.7 s; where 5000 sweeps had to come near the third, 2247 contacts, was left. On four others sweeps come to 7 to
// 15 tolerances, and turns from there end nothing.
constexpr double kNear = 4, kShareToComeNear = 0.15, kShare = 2;
// A turn is due within so many times the least residual so far, which is forgotten by so much at each look, and after
// so many sweeps more. 20 to 34 turns ended each of those three.
constexpr double kNearTheLeast = 1.3, kForgotten = 1.0005;
constexpr long kSweepsBetween = 100;

}  // namespace

void take_wandering_sweeps(LocalDynamics& ldy, StageSequence& sequence) {
  if (sequence.ended()) return;
  const StopOptions stop = sequence.left();
  const double spent = sequence.total().work();
  GaussSeidel sweeps(ldy, {.stop = stop, .stall_window = std::numeric_limits<long>::max() / 2, .momentum = false});
  ShortTurns turns(ldy);
  std::unique_ptr<NewtonSystem> system;  // once there is a turn
  double least = std::numeric_limits<double>::infinity();
  long next = kAway;
  SolveReport swept = sweeps.solve(stop, 1, [&](const SolveReport& turn) {
    const auto& last = turn.history.back();
    const double work = turn.work() + turns.cost().work();
    if (work > kShare * spent) return true;
    if (last.iteration < kAway) return false;
    least = std::min(kForgotten * least, last.residual);
    const double near = kNear * stop.tolerance;
    if (least > near) return work > kShareToComeNear * spent;
    if (last.iteration < next || last.residual > std::min(near, kNearTheLeast * least)) return false;
    next = last.iteration + kSweepsBetween;
    if (!system) system = make_newton_system(ldy);
    return turns.take(*system, stop, turn);
  });
  turns.add_to(sequence, std::move(swept));
}

}  // namespace locdyn::detail
