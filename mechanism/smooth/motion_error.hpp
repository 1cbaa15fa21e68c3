#pragma once
// Why a motion cannot be computed, or not any further: one type for all of it. Nothing is integrated on; the bodies
// stay where the last good step left them.

#include <stdexcept>
#include <string>

namespace locdyn {

class MotionError : public std::runtime_error {
 public:
  /// What went wrong.
  enum class Reason {
    does_not_close,  ///< positions or velocities at the start do not meet the constraints
    contradictory,   ///< rows that ask different things of the same motion
    bad_function,    ///< a force, drive or constraint of the user's gave no number
    no_solution,     ///< the equations of motion were not solved
    step_limit,      ///< `max_steps` taken
    step_too_small   ///< the tolerances cannot be met: the motion has a jump, or no end
  };

  /// `at_fault`: the constraint's row, or empty.
  MotionError(Reason reason, double time, const std::string& message, std::string at_fault = {});

  /// What went wrong.
  [[nodiscard]] Reason reason() const noexcept { return reason_; }
  [[nodiscard]] double time() const noexcept { return time_; }  ///< [s]
  /// The constraint's row, or empty.
  [[nodiscard]] const std::string& at_fault() const noexcept { return at_fault_; }

 private:
  Reason reason_;
  double time_;
  std::string at_fault_;
};

}  // namespace locdyn
