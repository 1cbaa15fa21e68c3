#pragma once
// A limit on the processor time of a process that steps a scene, for a step that does not end by itself.

#include <functional>
#include <thread>

namespace locdyn::app {

/// Status of a process that its own limit has ended.
inline constexpr int kOutOfTime = 124;

/// While it lives: ends this process with kOutOfTime once it has used that many more seconds of processor time, all
/// threads together; at 0 never. `before_end`, called by a thread of its own, says what is still to be said.
class ProcessorLimit {
 public:
  ProcessorLimit(double seconds, std::function<void()> before_end);

 private:
  std::jthread watch_;
};

}  // namespace locdyn::app
