#pragma once
// Whether there are reactions to be found, by how near Newton's turns have come: what bodies are pressed into, and what
// friction jams, no rounds solve.

#include <algorithm>
#include <limits>
#include <optional>

#include <locdyn/solver/step/pressed_together.hpp>

namespace locdyn::detail {

class Prospect {
 public:
  /// The graph outlives it.
  Prospect(const LocalDynamics& ldy, double tolerance) : ldy_(ldy), tolerance_(tolerance) {}

  /// Beyond this scaled residual a solve has come nowhere, and it is asked whether there is a solution at all. A lid on
  /// columns of balls, 160 contacts, which no reactions keep apart: 600 to 1400 ms a step where nobody asks.
  static constexpr double kNowhere = 0.1;

  /// Of sixty moving scenes at 1e-3, 1e-6 and 1e-8 none has a step whose rounds end beyond this; what friction jams,
  /// and no reactions solve, stays there: bricks pushed against a wall took 2.2 to 4.8 s a step where patience doubled
  /// there, too, and all other solvers were tried, rocks between closing jaws 1.7 to 2.3 s.
  static constexpr double kNear = 1e-2;

  /// The scaled residual that a turn of Newton has left.
  void note(double scaled) noexcept { best_ = std::min(best_, scaled); }
  /// Has any come close to the tolerance?
  [[nodiscard]] bool close() const noexcept;
  /// Has any come so near that there may be a solution? Always, where masses are apart.
  [[nodiscard]] bool may_be_near();
  /// The same of rounds that creep, which have to have come nearer.
  [[nodiscard]] bool may_be_near_though_creeping();
  /// Are bodies of so different masses at their contacts that a solution may come from afar?
  [[nodiscard]] bool masses_are_apart();
  /// Reactions that prove that there is none; nothing where the graph does not know what its bodies respond.
  [[nodiscard]] std::optional<PressingSearch> search(const StopOptions& stop) const;

 private:
  [[nodiscard]] bool knows_responses() const noexcept;

  const LocalDynamics& ldy_;
  double tolerance_;
  double best_ = std::numeric_limits<double>::infinity();
  std::optional<MassRange> masses_;  // once they are asked for
};

}  // namespace locdyn::detail
