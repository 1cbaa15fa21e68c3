#pragma once
// What the file of a joint is written with. Such a file holds, for its struct J:
//
//   kType                      the value of "type" in a scene; a member of J, as is all that a scene says of the joint
//   describe(v, j)             its keys, with ranges and meaning (see describe.hpp)
//   check(j, faults)           what its values must obey together
//   build(j, builder)          adds its constraints to a System
//
// and where it differs from most: `coordinate` (what a drive along a path moves), `check_in_steps`,
// `check_in_mechanism`. A member `drive` (joint_drive.hpp; with `kCoordinate`, angle or length) is limited, moved and
// checked as such; a member `carrier` names a body. joints.hpp lists the joints.

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <locdyn/forces/coordinate_force.hpp>
#include <locdyn/io/scene/faults.hpp>
#include <locdyn/io/scene/joints/joint_drive.hpp>
#include <locdyn/io/scene/ranges.hpp>
#include <locdyn/io/scene/time_series.hpp>
#include <locdyn/ldy/assembly/quantities/coordinate.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn::scene_format {

inline constexpr const char* kOnAxis = "on the axis, in space at start [m]";
inline constexpr const char* kAxis = "in space at start, of any length > 0";
inline constexpr const char* kEnds =
    "its ends in space at start, one for each body; without a second body the second stays in space [m]";

/// Notes the faults of one joint; `key` begins with a dot, and is empty for the joint itself.
struct JointFaults {
  const std::string& place;  ///< of the joint: "joints[2]"
  std::size_t bodies;        ///< how many it names
  FaultList& list;

  void fault(const char* key, const std::string& expected, const std::string& found) const {
    list.fault(place + key, expected, found);
  }
  /// Each notes a fault under `key` where the values are not what its name says.
  void require_direction(const char* key, const Eigen::Vector3d& direction) const;
  void require_across(const char* key, const Eigen::Vector3d& a, const Eigen::Vector3d& b, const char* expected) const;
  void require_different(const char* key, const std::array<Eigen::Vector3d, 2>& points) const;
  void require_not_zero(const char* key, double value) const;
  /// It starts at 0, within its limits; gains and ranges mean something.
  void require_drive(FrictionOf coordinate, const SceneDrive& drive) const;
  /// In a mechanism nothing strikes, sticks or gives way.
  void require_drive_of_mechanism(FrictionOf coordinate, const SceneDrive& drive) const;
  /// Its numbers go together.
  void require_friction(const SceneJointFriction& friction, FrictionOf coordinate) const;
  /// No friction in a mechanism.
  void require_no_friction(const SceneJointFriction& friction) const;
};

/// The bodies of a joint where they lie now: the first is the slave, the second, or space, the master.
struct JointBodies {
  BodyId slave = BodyId{0};
  std::optional<BodyId> master;

  [[nodiscard]] Anchor on_slave(const Eigen::Vector3d& x) const { return {x, slave}; }
  [[nodiscard]] Anchor on_master(const Eigen::Vector3d& x) const { return {x, master}; }
  [[nodiscard]] Axis slave_axis(const Eigen::Vector3d& x, const Eigen::Vector3d& a) const { return {x, a, slave}; }
  [[nodiscard]] Axis master_axis(const Eigen::Vector3d& x, const Eigen::Vector3d& a) const { return {x, a, master}; }
  /// The slave's angle about the axis against the master, and its displacement along it.
  [[nodiscard]] Coordinate turn(const Eigen::Vector3d& x, const Eigen::Vector3d& a) const {
    return axis_angle(master_axis(x, a), slave_axis(x, a));
  }
  [[nodiscard]] Coordinate slide(const Eigen::Vector3d& x, const Eigen::Vector3d& a) const {
    return axis_displacement(master_axis(x, a), on_slave(x));
  }
};

/// How springs and servos act: as rows solved with the contacts of a step, or as forces of the state, in a mechanism.
enum class Springs { rows, forces };

/// Adds the constraints of one joint.
struct JointBuilder : JointBodies {
  System& system;
  const std::string& name;  ///< of the joint
  bool planar = false;      ///< a body of the two moves in the plane
  Springs springs = Springs::rows;

  /// The constraint is called "name" + `part`; a joint without a name has constraints without.
  template <class Kind, class... Args>
  ConstraintId add(const char* part, Args&&... args) const {
    return system.add_constraint(std::make_unique<Kind>(std::forward<Args>(args)...),
                                 name.empty() ? name : name + part);
  }
  /// Of a joint whose friction grows with what it carries: part of its law. Else none.
  [[nodiscard]] static std::optional<JointFriction> friction_of(const SceneDrive& drive) {
    return drive.friction.friction.coefficient > 0 ? std::optional(drive.friction.friction) : std::nullopt;
  }
  /// Limits "name.lower" and "name.upper", a motor "name.motor" (or servo), "name.spring", "name.friction" that is no
  /// part of the joint's law, a rotor "name.rotor" and what couples it, a force "name.force" for an effort. In a
  /// mechanism servo and spring are forces of these names.
  void add_drive(const Coordinate& coordinate, const SceneDrive& drive) const;
  /// Dry friction of a limit, by itself. None of a friction that is not given.
  void add_friction(const char* part, const Coordinate& coordinate, const SceneJointFriction& friction) const;
  /// A rotor of this inertia that moves as the coordinate does.
  void add_rotor(const Coordinate& coordinate, double inertia) const;
  /// Throws std::invalid_argument where the direction of a joint of planar bodies is not z.
  static void require_z(const Eigen::Vector3d& a, const char* what);

 private:
  void add_force_on(const char* part, const Coordinate& coordinate, CoordinateForceProperties properties) const;
  void add_servo(const Coordinate& coordinate, const SceneServo& servo) const;
  void add_spring(const Coordinate& coordinate, const SceneJointSpring& spring) const;
};

// --- what most joints have none of -----------------------------------------------------------------------------------

/// What its values must obey together.
template <class J>
void check(const J&, const JointFaults&) {}
/// What time steps with contacts do not take.
template <class J>
void check_in_steps(const J&, const JointFaults&) {}
/// What a mechanism does not take.
template <class J>
void check_in_mechanism(const J&, const JointFaults&) {}

/// Has it a coordinate that a mechanism can be driven along?
template <class J>
concept HasCoordinate = requires(const J& j, const JointBodies& bodies) {
  coordinate(j, bodies);
};

}  // namespace locdyn::scene_format
