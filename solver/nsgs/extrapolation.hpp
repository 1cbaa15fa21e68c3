#pragma once
// Long steps for slow sweeps. A sweep soon moves R by the same small step again and again: along a mode of W that
// hardly contracts, or along its null space, where U is at rest and R walks until some contact slips or opens. Where
// the steps of two windows of sweeps point the same way, R jumps a multiple of the last one ahead, projected on the
// cones:
//
//   R ← P_K(R + λ ΔR),   λ ≤ q / (1 − q) where the steps shrink by q < 1 (Aitken's limit of a geometric series),
//                        λ ‖ΔR‖ ≤ ‖R‖.
//
// A jump that has made the residual larger after a window of settling is taken back, and λ falls by 4; it doubles where
// the residual took the jump. So the limit is that of the sweeps, and the best iterate is never lost.
//
// Source: Aitken, Proc. R. Soc. Edinb. 46 (1926) 289–305; the safeguards are the project's own.

#include <Eigen/Core>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

class Extrapolation {
 public:
  /// Starts at the R in the graph, which outlives it.
  explicit Extrapolation(LocalDynamics& ldy);

  /// After a window of sweeps, with the residual of the R that the graph holds. True where it has changed that R, by a
  /// jump or back to before one. Cost: three passes over the rows.
  bool after_window(double residual);
  /// Somebody else has changed R: what was learnt of its steps is void, λ stays.
  void restart();

  [[nodiscard]] long jumps() const noexcept { return jumps_; }

 private:
  using Reactions = std::vector<Eigen::Vector3d>;  // by place in the arena

  void read(Reactions& R) const;
  void jump(double length);

  LocalDynamics& ldy_;
  std::vector<double> inverse_rho_;  // by place: makes a velocity of a reaction
  Reactions start_;                  // of the window
  Reactions step_, last_step_;       // this window's and that of the one before, where known_
  Reactions before_jump_;
  bool known_ = false, jumped_ = false;
  double residual_before_jump_ = 0;
  double length_ = 1;  // λ
  double taken_ = 0;   // λ of the last jump
  long jumps_ = 0;
};

}  // namespace locdyn::detail
