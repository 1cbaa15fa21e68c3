#include <locdyn/io/scene/check_joint.hpp>

#include <variant>

namespace locdyn::scene_format {

void check_joint(const SceneJoint& joint, FaultList& list) {
  const JointFaults faults{joint.place, joint.bodies.size(), list};
  std::visit([&faults](const auto& j) { check(j, faults); }, joint.type);
}

}  // namespace locdyn::scene_format
