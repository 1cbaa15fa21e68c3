#pragma once
// The joints of a scene. Each has a file of its own; a new one is a file, its #include and its place in the variant,
// whose order is that of the schema.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <locdyn/io/scene/joints/bushing.hpp>
#include <locdyn/io/scene/joints/coupling.hpp>
#include <locdyn/io/scene/joints/cylindrical.hpp>
#include <locdyn/io/scene/joints/fixed_direction.hpp>
#include <locdyn/io/scene/joints/fixed_point.hpp>
#include <locdyn/io/scene/joints/gear.hpp>
#include <locdyn/io/scene/joints/hinge.hpp>
#include <locdyn/io/scene/joints/planar.hpp>
#include <locdyn/io/scene/joints/point_on_line.hpp>
#include <locdyn/io/scene/joints/point_on_plane.hpp>
#include <locdyn/io/scene/joints/prescribed_velocity.hpp>
#include <locdyn/io/scene/joints/prismatic.hpp>
#include <locdyn/io/scene/joints/rigid_link.hpp>
#include <locdyn/io/scene/joints/rolling_wheel.hpp>
#include <locdyn/io/scene/joints/screw.hpp>
#include <locdyn/io/scene/joints/serial.hpp>
#include <locdyn/io/scene/joints/spring_damper.hpp>
#include <locdyn/io/scene/joints/universal.hpp>
#include <locdyn/io/scene/joints/weld.hpp>

namespace locdyn {

/// Points and directions are in space, where the bodies lie at start.
using SceneJointType = std::variant<SceneFixedPoint, SceneFixedDirection, ScenePrescribedVelocity, SceneRigidLink,
                                    SceneSpringDamper, SceneHinge, ScenePrismatic, SceneCylindrical, SceneScrew,
                                    SceneUniversal, SceneWeld, ScenePointOnLine, ScenePointOnPlane, SceneGear,
                                    SceneRollingWheel, ScenePlaneOnPlane, SceneSerial, SceneCoupling, SceneBushing>;

/// What it bears; it breaks beyond one of the two.
struct SceneBreaking {
  bool given = false;
  std::optional<double> force, torque;  ///< [N], [N m]
};

struct SceneJoint {
  std::string name;
  SceneJointType type;
  std::vector<std::string> bodies;  ///< one, tied to space, or two, the first to the second
  bool collide = true;              ///< may the two bodies touch?
  SceneBreaking breaking = {};
  std::string place;  ///< in the file, for messages: "joints[2]"
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneJoint& j) {
  v.optional("name", j.name, "unique among joints");
  v.alternative("type", j.type, "kind of joint");
  v.required("bodies", j.bodies, "one, held to space, or two, the first held to the second", Count{1, 2});
  v.optional("collide", j.collide, "may the two touch?");
  v.object("breaks", "when its reaction, the mean of a step, is more than", [&j](auto& o) {
    j.breaking.given = true;
    o.optional("force", j.breaking.force, "[N]", kPositive);
    o.optional("torque", j.breaking.torque, "[N m]", kPositive);
    o.at_least_one({"force", "torque"});
  });
}

/// What limits and moves the joint's own coordinate; null where it has none. Valid as long as the joint.
[[nodiscard]] inline const SceneDrive* drive_of(const SceneJoint& joint) {
  return std::visit(
      [](const auto& j) -> const SceneDrive* {
        if constexpr (requires { j.drive; }) return &j.drive;
        return nullptr;
      },
      joint.type);
}

}  // namespace locdyn::scene_format
