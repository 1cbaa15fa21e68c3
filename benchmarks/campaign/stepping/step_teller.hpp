#pragma once
// How a program that steps a scene for a bench tells of its steps, some at a time: a write and the reader's waking
// between two short steps would double their time.

#include <mutex>
#include <string>

#include "../bench_run.hpp"
#include "../child_channel.hpp"
#include "scene_run.hpp"

namespace locdyn::app {

class StepTeller {
 public:
  explicit StepTeller(const ChildChannel& channel) : channel_(channel) {}
  /// Keeps the sample, and says all that is kept where it has been silent for a twentieth of a second; then the clock
  /// of the reader's time limit starts anew.
  void tell(const StepSample& sample);
  /// Says what is kept, by whichever thread: that of a limit, too.
  void tell_rest();

 private:
  const ChildChannel& channel_;
  std::mutex speaking_;
  CallClock since_;
  std::string waiting_;
};

}  // namespace locdyn::app
