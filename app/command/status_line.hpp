#pragma once
// One line of a terminal, on standard error, that is written over while something goes on; nothing where there is no
// terminal.

#include <chrono>
#include <string>

namespace locdyn::app {

class StatusLine {
 public:
  enum class Wish { shown, hidden };
  /// Nothing is `due` before `patience` seconds.
  explicit StatusLine(double patience = 0, Wish wish = Wish::shown);
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Is it time for a new text? At most five times a second.
  [[nodiscard]] bool due();
  /// Writes the text over the last, due or not.
  void show(const std::string& text);
  /// Takes the line away.
  void clear();
  /// Since construction [s].
  [[nodiscard]] double elapsed() const;

 private:
  using Clock = std::chrono::steady_clock;
  double patience_;
  bool terminal_, drawn_ = false;
  Clock::time_point began_ = Clock::now(), last_ = began_;
};

}  // namespace locdyn::app
