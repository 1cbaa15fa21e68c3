#pragma once
// A limit on the processor time of a process that steps a scene, for a step that does not end by itself.

namespace locdyn::app {

/// Status of a process that its own limit has ended.
inline constexpr int kOutOfTime = 124;

/// Ends this process with kOutOfTime once it has used that many more seconds of processor time, all threads together;
/// at 0 never. What was told until then stays told.
void limit_processor_time(double seconds);

}  // namespace locdyn::app
