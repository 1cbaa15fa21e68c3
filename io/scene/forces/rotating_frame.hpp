#pragma once
// The scene is told in a frame that turns: its bodies feel centrifugal, Coriolis and Euler forces.

#include <Eigen/Core>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <locdyn/forces/rotating_frame.hpp>
#include <locdyn/io/scene/forces/force_parts.hpp>
#include <locdyn/io/scene/time_series.hpp>

namespace locdyn {

struct SceneRotatingFrame {
  static constexpr std::string_view kType = "rotating_frame";
  static constexpr scene_format::ForceBodies kBodies = {0, std::numeric_limits<std::size_t>::max()};
  TimeSeries<Eigen::Vector3d> angular_velocity;
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneRotatingFrame& f) {
  v.required("angular_velocity", f.angular_velocity, "of the frame in inertial space, in the frame's axes [rad/s]");
  v.optional("origin", f.origin, "the point of the frame that stays in inertial space [m]");
}

inline std::unique_ptr<Force> make(const SceneRotatingFrame& f, const ForceMaker& with) {
  FrameRotation rotation;
  rotation.velocity = [series = f.angular_velocity](double t) { return series.at(t); };
  rotation.acceleration = [series = f.angular_velocity](double t) { return series.slope(t); };
  return std::make_unique<RotatingFrame>(std::move(rotation), f.origin, with.bodies);
}

[[nodiscard]] inline const std::vector<double>& corner_times(const SceneRotatingFrame& f) {
  return f.angular_velocity.times;
}

}  // namespace locdyn::scene_format
