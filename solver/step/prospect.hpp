#pragma once
// Whether there are reactions to be found, by how near Newton's turns have come: what bodies are pressed into, and what
// friction jams, no rounds solve. Where nothing drives the bodies there always are.
//
// Source: Klarbring & Pang, SIAM J. Optim. 8 (1998) 747–769; Acary, Cadoux, Lemaréchal & Malick, ZAMM 91 (2011) 155–175
// (existence).

#include <algorithm>
#include <limits>
#include <optional>

#include <locdyn/solver/step/newton_price.hpp>
#include <locdyn/solver/step/pressed_together.hpp>

namespace locdyn::detail {

class Prospect {
 public:
  /// Both outlive it.
  Prospect(const LocalDynamics& ldy, double tolerance, NewtonPrice& newton)
      : ldy_(ldy), tolerance_(tolerance), newton_(newton) {}

  /// Beyond this scaled residual a solve has come nowhere, and it is asked whether there is a solution at all. A lid on
  /// columns of balls, 160 contacts, which no reactions keep apart: 600 to 1400 ms a step where nobody asks.
  static constexpr double kNowhere = 0.1;

  /// Of sixty moving scenes at 1e-3, 1e-6 and 1e-8 none has a step whose rounds end beyond this; what friction jams,
  /// and no reactions solve, stays there: bricks pushed against a wall took 2.2 to 4.8 s a step where patience doubled
  /// there, too, and all other solvers were tried, rocks between closing jaws 1.7 to 2.3 s.
  static constexpr double kNear = 1e-2;

  /// The scaled residual that a turn of Newton has left.
  void note(double scaled) noexcept { best_ = std::min(best_, scaled); }
  /// Has there been one?
  [[nodiscard]] bool tried() const noexcept { return best_ < std::numeric_limits<double>::infinity(); }
  /// Has any come close to the tolerance?
  [[nodiscard]] bool close() const noexcept;
  /// Has any come so near that there may be a solution? Always, where masses are apart, and where there must be one.
  [[nodiscard]] bool may_be_near();
  /// The same of rounds that creep, which have to have come nearer.
  [[nodiscard]] bool may_be_near_though_creeping();
  /// Is there one in any case: can velocities of the bodies undo what is given, B + σ + H y = 0 but for gaps, as where
  /// nothing drives them? False, too, where laws are others than Coulomb's and bilateral ones. Cost: a factorisation,
  /// once.
  [[nodiscard]] bool must_be_one();
  /// Are bodies of so different masses at their contacts that a solution may come from afar?
  [[nodiscard]] bool masses_are_apart();
  /// Reactions that prove that there is none; nothing where the graph does not know what its bodies respond.
  [[nodiscard]] std::optional<PressingSearch> search(const StopOptions& stop) const;

 private:
  [[nodiscard]] bool knows_responses() const noexcept;

  const LocalDynamics& ldy_;
  double tolerance_;
  NewtonPrice& newton_;
  double best_ = std::numeric_limits<double>::infinity();
  std::optional<MassRange> masses_;  // once they are asked for
  std::optional<bool> must_be_one_;  // the same
};

}  // namespace locdyn::detail
