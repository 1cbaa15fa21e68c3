#pragma once
// Ctrl-C as a wish: the work ends at its next seam, what was computed is told and written, and the status is 130.

#include <atomic>
#include <csignal>

namespace locdyn::app {

inline constexpr int kInterrupted = 130;  ///< exit status: what a shell calls a command that Ctrl-C ended

/// While it lives, the first SIGINT or SIGTERM is kept for `interrupted`; a second one of the same kind ends the
/// program. A command has one from before its first output to after its last; those within it change nothing. Of the
/// main thread alone. `promise`, of static duration, is what a terminal is told at the first: for work whose next seam
/// may be far.
class InterruptGuard {
 public:
  explicit InterruptGuard(const char* promise = "");
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool interrupted() noexcept;
  /// The same as a flag, for solvers to look at.
  [[nodiscard]] static const std::atomic<bool>& flag() noexcept;

 private:
  struct sigaction interrupt_before_ = {}, terminate_before_ = {};
};

}  // namespace locdyn::app
