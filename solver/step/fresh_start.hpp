#pragma once
// A start from R = 0, where what there was is kept: of damped sweeps (damped_sweeps.hpp), and of all rounds, once.
// Newton's turns begin where the one before has ended: on a step of scenes/wall.json at 1e-6 that stands at 1.17e-6
// three of them, twice as long each, gained nothing and took 4.4 s; begun anew it takes 0.7 s. Fifteen runs at 1e-6 and
// 1e-8: 0.96 of the time (wrecking_ball at 1e-6 0.75). Sweeps that go on for long come nowhere from where a turn of
// Newton has stood still: there it is done after the first. 115 steps of the pile in short_turns.cpp take 1.2 s in the
// mean in place of 1.4, the largest 7.5 in place of 18.

#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/stage_sequence.hpp>
#include <locdyn/solver/step/iterate.hpp>

namespace locdyn::detail {

class FreshStart {
 public:
  /// R = 0; what there was has left this residual.
  void take(LocalDynamics& ldy, double residual) {
    kept_ = iterate_of(ldy);
    residual_ = residual;
    for (DiagonalBlock& row : ldy.rows()) row.R.setZero();
  }
  [[nodiscard]] bool taken() const noexcept { return !kept_.R.empty(); }
  /// Of what is kept.
  [[nodiscard]] double residual() const noexcept { return residual_; }
  /// R is the better of what is kept and what has come since.
  void keep_the_better(LocalDynamics& ldy, GaussSeidel& sweeps, StageSequence& sequence) const {
    if (!taken() || !(residual_ < sequence.total().own_residual)) return;
    put_back(kept_, ldy);
    sequence.add(sweeps.solve(sequence.left(0), 1));
  }

 private:
  Iterate kept_;
  double residual_ = 0;
};

}  // namespace locdyn::detail
