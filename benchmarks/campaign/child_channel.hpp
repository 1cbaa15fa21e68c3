#pragma once
// The other end of `run_child`: how a program that is run apart speaks to the one that started it.

#include <string_view>

namespace locdyn::app {

/// Takes standard output for itself: what a solver prints goes to standard error. The process dies with its parent, and
/// is the first that the system ends where memory runs out. One a process.
class ChildChannel {
 public:
  ChildChannel();
  ~ChildChannel();
  ChildChannel(const ChildChannel&) = delete;
  ChildChannel& operator=(const ChildChannel&) = delete;

  void solving() const { say("solving"); }  ///< the clock of the time limit starts
  void judging() const { say("judging"); }  ///< and stops
  void say(std::string_view line) const;    ///< one line of text; ends the process where nobody reads it

 private:
  int file_ = -1;
};

}  // namespace locdyn::app
