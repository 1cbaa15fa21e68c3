#pragma once
// What <compiler> says of how the rest is to be read, and placements read by it.

#include <string>

#include <locdyn/io/scene/mjcf/attributes.hpp>
#include <locdyn/io/scene/mjcf/model.hpp>

namespace locdyn::scene_format::mjcf {

struct Settings {
  double angle_unit = 0.017453292519943295;  ///< [rad]: a degree, or 1
  std::string euler_sequence = "xyz";        ///< lower case: about axes that turn along
  std::filesystem::path mesh_folder;
  bool strip_path = false, auto_limits = true;
  std::optional<bool> inertia_from_geom;                     ///< none: where there is no <inertial>
  SceneMeshInertia mesh_inertia = SceneMeshInertia::legacy;  ///< of those that do not say

  /// Another <compiler> adds to it. Throws FileError.
  void read(const Node& node, LeftOut& left_out);
};

/// quat, axisangle, euler, xyaxes or zaxis; the identity where none is given. Throws FileError for more than one and
/// for directions of length 0.
[[nodiscard]] Orientation orientation_of(Attributes& attributes, const Settings& settings);
/// The same with pos.
[[nodiscard]] ScenePlacement placement_of(Attributes& attributes, const Settings& settings);
/// The least rotation that brings z to the direction.
[[nodiscard]] Orientation z_turned_to(const Eigen::Vector3d& direction);
/// A range where one is in force: `limited`, or by itself where it is given.
[[nodiscard]] std::optional<Span> range_of(Attributes& attributes, const char* limited, const char* range,
                                           const Settings& settings);

}  // namespace locdyn::scene_format::mjcf
