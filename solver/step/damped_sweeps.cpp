#include <locdyn/solver/step/damped_sweeps.hpp>

#include <locdyn/solver/patience.hpp>
#include <locdyn/solver/step/fresh_start.hpp>

namespace locdyn::detail {

void take_damped_sweeps(LocalDynamics& ldy, GaussSeidel& sweeps, long most, StageSequence& sequence) {
  // Thirty-four pyramids and lattices of balls, each step from the same state, take 0.76 of the time at 1e-3 and 0.77
  // at 1e-4 that they take without (one of 140 balls 0.17, of 204 0.03 to 1.3), with 0.5 0.75 and 0.98, with 0.5 and
  // then 0.3 0.78 and 0.92. From R = 0 to 1e-3 in 3000 sweeps come of eighteen impacts, six to eight layers, friction
  // 0.3 to 0.8, with 1, 0.7, 0.5, 0.4, 0.3, 0.2 and 0.1: 6, 7, 8, 11, 13, 12 and 10. From where the first sweeps have
  // stood the first nine steps of one of 140 balls take 1.1 to 2 s, from R = 0 0.2.
  constexpr double kShareOfTheWay = 0.3;
  // By halves with 300 one of 204 balls takes as long as without, 3.2 s, with this 0.36.
  constexpr long kSweepsToHalve = 1000;
  if (sequence.ended() || sequence.total().residual.scaled <= kFarWhereDamped) return;
  FreshStart start;
  start.take(ldy, sequence.total().own_residual);
  Patience patience(Patience::kHalved, kSweepsToHalve);
  sequence.add(sweeps.solve(sequence.left(most), kShareOfTheWay, [&](const SolveReport& turn) {
    const auto& last = turn.history.back();
    patience.note(last.residual, last.iteration);
    return patience.spent(last.iteration);
  }));
  start.keep_the_better(ldy, sweeps, sequence);
}

}  // namespace locdyn::detail
