#pragma once
// A serial joint: hinges and prismatic joints in succession, with nothing that has mass between them.

#include <Eigen/Core>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <locdyn/io/scene/joints/hinge.hpp>
#include <locdyn/io/scene/joints/prismatic.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/serial_joint.hpp>

namespace locdyn {

/// One of them; the first is next to the second body of the joint, or to space.
struct SceneSerialAxis {
  std::string name;  ///< of its limits and motor
  std::variant<SceneHinge, ScenePrismatic> type;
};

/// Six of them hold nothing: what limits and moves the coordinates is left.
struct SceneSerial {
  static constexpr std::string_view kType = "serial";
  std::vector<SceneSerialAxis> axes;
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneSerialAxis& a) {
  v.optional("name", a.name, "of its limits and motor, \"name.lower\" for one; that of the joint with its place else");
  v.alternative("type", a.type, "kind of axis");
}

template <class V>
void describe(V& v, SceneSerial& j) {
  v.required("axes", j.axes,
             "at most three hinges and three slides, from the second body, or space, to the first; each is carried by "
             "those before it",
             Count{1, 6});
}

void check(const SceneSerial& j, const JointFaults& faults);
/// No limits where nothing strikes, and the like.
void check_in_mechanism(const SceneSerial& j, const JointFaults& faults);
void build(const SceneSerial& j, const JointBuilder& to);

}  // namespace locdyn::scene_format
