#include <locdyn/solver/step/anchored_turns.hpp>

#include <array>

#include <locdyn/solver/newton/newton.hpp>

namespace locdyn::detail {

void take_anchored_turns(LocalDynamics& ldy, NewtonSystem& system, StageSequence& sequence) {
  // Which one leads there is chance. Nine impacts of such pyramids, cold, to 1e-3 in 6 s each: the first alone solves
  // four, the second alone and both six, 25 and 29 s in all, a third with 1 six in 30; without any five in 32. The
  // first steps of one of 140 balls at 1e-4 take 5 s with both, 24 and 3 with the first and the second alone, of one of
  // 204 at 1e-3 3.5, 3.6 and more than 25.
  constexpr std::array kAugmentations = {10.0, 3.0};
  // Newton steps in which the residual must halve. 400 and 600: four to five of those nine in 29 to 33 s.
  constexpr long kStepsToHalve = 200;
  for (const double augmentation : kAugmentations) {
    if (sequence.ended()) return;
    for (DiagonalBlock& row : ldy.rows()) row.R.setZero();
    NewtonOptions options;
    options.stop = sequence.left();
    options.first_sweeps = 0;
    options.patience = kStepsToHalve;
    options.augmentation = augmentation;
    options.anchored = true;
    sequence.add(solve_newton(ldy, system, options));
  }
}

}  // namespace locdyn::detail
