#pragma once
// Where bodies and joints lie in space for given coordinates. A body lies in its parent as the file says; then each of
// its joints moves it in turn, a hinge about the place where the joints before have carried it.

#include <span>
#include <vector>

#include <locdyn/io/scene/mjcf/model.hpp>

namespace locdyn::scene_format::mjcf {

/// A joint in space.
struct JointPlace {
  Eigen::Vector3d anchor = Eigen::Vector3d::Zero(), axis = Eigen::Vector3d::UnitZ();
};

/// A body in space.
struct BodyState {
  ScenePlacement placement;
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();          // of its origin [m/s]
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();  // in space [rad/s]
  std::vector<JointPlace> joints;                              // in order
};

/// The coordinates that the file's own placements have (nq): the reference of hinges and slides.
[[nodiscard]] std::vector<double> reference_coordinates(const Model& model);

/// For qpos (nq) and qvel (nv); quaternions are made unit. `base` is where the world of the model lies.
[[nodiscard]] std::vector<BodyState> bodies_at(const Model& model, std::span<const double> qpos,
                                               std::span<const double> qvel, const ScenePlacement& base);

}  // namespace locdyn::scene_format::mjcf
