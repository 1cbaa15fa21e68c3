#pragma once
// Joints that break: after each step what they carried in it is compared with what they bear, and those that carried
// more are removed, with all that acts on their coordinate. A reaction is the mean over a step, so that an impact
// counts as its impulse over h.

#include <limits>
#include <string>
#include <vector>

#include <locdyn/ldy/assembly/constraint.hpp>

namespace locdyn {

/// What a joint bears; it breaks beyond one of the two.
struct BreakingLoad {
  double force = std::numeric_limits<double>::infinity();   ///< ‖F‖ > 0 [N]
  double moment = std::numeric_limits<double>::infinity();  ///< ‖M‖ > 0 [N m]
};
/// Throws std::invalid_argument naming the load that is not above 0, and where neither is finite.
void validate(const BreakingLoad& load);

class System;

/// What a constraint for life carried in the last step: the mean reaction, friction and motors of its own law included.
/// 0 before the first step. Throws std::out_of_range where it is not there.
[[nodiscard]] ConstraintLoad load_of(const System& system, ConstraintId constraint);

/// One of a System (`System::set_breaking`).
struct BreakableJoint {
  std::string name;   ///< of the joint; empty where it has none
  BreakingLoad load;  ///< that it bears
  /// The joint, and what goes with it, until they are removed.
  std::vector<ConstraintId> constraints;
  bool broken = false;  ///< else it holds, or was removed by its owner
};

/// One that broke in a step.
struct BrokenJoint {
  std::string name;     ///< of the joint; empty where it had none
  ConstraintId joint;   ///< that it had
  double time;          ///< at the end of the step [s]
  ConstraintLoad load;  ///< what it carried in it
};

}  // namespace locdyn
