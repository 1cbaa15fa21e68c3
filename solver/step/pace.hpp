#pragma once
// The pace of rounds, by the residuals that they leave.

#include <cmath>
#include <limits>

#include <locdyn/solver/patience.hpp>

namespace locdyn::detail {

class Pace {
 public:
  explicit Pace(double tolerance) : tolerance_(tolerance) {}

  /// That of one more. True where it is 1 % below the last of which that was true.
  bool note(double residual) {
    const bool promises = kRoundsToGo * std::log(level_ / residual) >= std::log(residual / tolerance_);
    creeping_ = promises ? 0 : creeping_ + 1;
    const bool gained = residual < Patience::kOnePercentLess * level_;
    if (gained) level_ = residual;
    return gained;
  }
  [[nodiscard]] bool creeps() const noexcept { return creeping_ >= kCreepingRounds; }

 private:
  // A round creeps where more than so many like it would be needed, and so many one after the other are the last:
  // patience doubles with most. Bodies that a paddle presses against the wall of a bin, 135 to 194 contacts that no
  // reactions solve, stand at 8e-3 and gain 1 to 4 % a round: 7 s a step where that goes on, 1 s here.
  static constexpr double kRoundsToGo = 20;
  static constexpr int kCreepingRounds = 3;

  double tolerance_;
  double level_ = std::numeric_limits<double>::infinity();
  int creeping_ = 0;  // the last so many
};

}  // namespace locdyn::detail
