#pragma once
// A model as its file says it, defaults filled in: bodies in the order of the file, the world first; lengths in metres,
// angles in radians.

#include <Eigen/Core>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <locdyn/contact/shape.hpp>
#include <locdyn/io/scene/mjcf/document.hpp>
#include <locdyn/io/scene/scene.hpp>

namespace locdyn::scene_format::mjcf {

/// A range, least first.
using Span = std::array<double, 2>;

struct Joint {
  enum class Kind { hinge, slide, ball, free };
  Kind kind = Kind::hinge;
  std::string name;
  Node node;
  Eigen::Vector3d position = Eigen::Vector3d::Zero(), axis = Eigen::Vector3d::UnitZ();  // in the body, of length 1
  double reference = 0, spring_reference = 0;
  double stiffness = 0, damping = 0, friction = 0, armature = 0;
  std::optional<Span> range;
  std::size_t coordinate = 0, velocity = 0;  // where its numbers begin in qpos and qvel

  [[nodiscard]] std::size_t coordinates() const { return kind == Kind::free ? 7 : kind == Kind::ball ? 4 : 1; }
  [[nodiscard]] std::size_t freedoms() const { return kind == Kind::free ? 6 : kind == Kind::ball ? 3 : 1; }
};

struct Geom {
  enum class Kind { plane, sphere, capsule, cylinder, box, mesh };
  Kind kind = Kind::sphere;
  std::string name;
  Node node;
  ScenePlacement placement;                        // in the body
  Eigen::Vector3d size = Eigen::Vector3d::Zero();  // radius and half-lengths, as MJCF has them
  std::string mesh;                                // by name
  bool shell = false;                              // of a mesh: its surface weighs
  std::optional<double> mass;
  double density = 1000;
  Eigen::Vector3d friction = {1, 0.005, 0.0001};  // sliding, torsional [m], rolling [m]
  int contact_dimension = 3, type = 1, affinity = 1, priority = 0;
};

struct Body {
  std::string name;
  Node node;
  std::size_t parent = 0;
  ScenePlacement placement;    // in the parent
  bool moved_by_user = false;  // mocap
  std::optional<MassProperties> inertial;
  std::vector<Joint> joints;
  std::vector<Geom> geoms;
};

struct Mesh {
  std::filesystem::path file;
  TriangleMesh triangles;  // scaled and placed
  SceneMeshInertia inertia = SceneMeshInertia::legacy;
  Node node;
};

struct Actuator {
  enum class Kind { motor, position, velocity };
  Kind kind = Kind::motor;
  std::string name;
  Node node;
  std::string joint;
  double gear = 1, stiffness = 0, damping = 0;  // kp, kv
  std::optional<Span> control_range, force_range;
};

struct Equality {
  enum class Kind { connect, weld };
  Kind kind = Kind::connect;
  std::string name;
  Node node;
  std::array<std::size_t, 2> bodies = {0, 0};        // the second is the world where none is named
  Eigen::Vector3d anchor = Eigen::Vector3d::Zero();  // in the first
  std::optional<ScenePlacement> relative;            // of the second in the first
};

struct GeomPair {
  std::array<std::string, 2> geoms;
  Node node;
  std::optional<double> friction;
  std::optional<int> contact_dimension;
};

struct Keyframe {
  std::string name;
  Node node;
  std::vector<double> coordinates, velocities, controls;  // empty: those of the reference, zero
};

struct Model {
  std::vector<Body> bodies;  // the world first
  std::map<std::string, Mesh> meshes;
  std::vector<Actuator> actuators;
  std::vector<Equality> equalities;
  std::vector<GeomPair> pairs;
  std::vector<std::array<std::size_t, 2>> excludes;
  std::vector<Keyframe> keyframes;
  std::optional<Eigen::Vector3d> gravity;
  std::optional<bool> inertia_from_geom;        // none: where a body has no <inertial>
  std::size_t coordinates = 0, velocities = 0;  // of qpos and qvel
  Node root;
};

}  // namespace locdyn::scene_format::mjcf
