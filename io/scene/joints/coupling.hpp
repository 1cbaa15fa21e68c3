#pragma once
// A coupling: the coordinates of two joints are in proportion, be they angles or lengths (URDF's mimic, rack and
// pinion, a parallel gripper).

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/io/scene/rules.hpp>
#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>

namespace locdyn {

/// What a coupled coordinate is.
enum class SceneAxisKind { hinge, prismatic };

/// The axis of one of the two joints.
struct SceneCoupledAxis {
  SceneAxisKind type = SceneAxisKind::hinge;
  Eigen::Vector3d point = Eigen::Vector3d::Zero(), axis = Eigen::Vector3d::UnitZ();
  std::string carrier;  ///< the body that the joint holds the other to; empty: space
};

/// The first coordinate goes `ratio` times as far as the second; the joints themselves are others.
struct SceneCoupling {
  static constexpr std::string_view kType = "coupling";
  std::array<SceneCoupledAxis, 2> axes;
  double ratio = 0;
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <>
inline constexpr std::array<std::string_view, 2> kEnumerators<SceneAxisKind> = {"hinge", "prismatic"};

template <class V>
void describe(V& v, SceneCoupledAxis& a) {
  v.required("type", a.type, "of the joint whose coordinate it is");
  v.required("point", a.point, kOnAxis);
  v.required("axis", a.axis, kAxis);
  v.optional("carrier", a.carrier, "name of the body that the joint holds to; space where absent");
}

template <class V>
void describe(V& v, SceneCoupling& j) {
  v.required("axes", j.axes, "of the joint of the first body, and of that of the second");
  v.required("ratio", j.ratio, "how far the first coordinate goes over how far the second does; not 0");
}

inline void check(const SceneCoupling& j, const JointFaults& faults) {
  faults.require_direction(".axes[0].axis", j.axes[0].axis);
  faults.require_direction(".axes[1].axis", j.axes[1].axis);
  faults.require_not_zero(".ratio", j.ratio);
  if (faults.bodies == 1) faults.fault(".bodies", "two bodies of a coupling", "one");
}

inline void build(const SceneCoupling& j, const JointBuilder& to) {
  const auto coordinate = [&](BodyId body, const SceneCoupledAxis& a) {
    const std::optional<BodyId> carrier =
        a.carrier.empty() ? std::nullopt : std::optional<BodyId>(to.system.find(a.carrier));
    const JointBodies bodies{body, carrier};
    return a.type == SceneAxisKind::hinge ? bodies.turn(a.point, a.axis) : bodies.slide(a.point, a.axis);
  };
  to.add<Gear>("", coordinate(to.slave, j.axes[0]), coordinate(*to.master, j.axes[1]), j.ratio);
}

}  // namespace locdyn::scene_format
