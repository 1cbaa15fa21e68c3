#pragma once
// What limits, holds and drives the coordinate of each hinge and slide. With gear g, control c and the joint's
// coordinate q, a motor acts with g c, a position servo with g kp (c − g q) − g² kv q̇, a velocity servo with
// g kv (c − g q̇); controls and the forces of motors are kept in their ranges.

#include <map>
#include <string>

#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/io/scene/mjcf/read_model.hpp>
#include <locdyn/io/scene/mjcf/start.hpp>

namespace locdyn::scene_format::mjcf {

class Drives {
 public:
  /// Notes what no drive of such a scene can do. Throws FileError for a control of an actuator that is not there.
  Drives(const Model& model, const SceneRobot& robot, const Start& start, const Scene& scene, LeftOut& left_out);
  /// The drive of a hinge or slide, which counts from where it starts.
  [[nodiscard]] SceneDrive of(const Joint& joint) const;

 private:
  // What the actuators of a joint add up to: −k q − c q̇ + e(t).
  struct Acting {
    double stiffness = 0, damping = 0;
    TimeSeries<double> effort;
  };
  void add(const Actuator& actuator, TimeSeries<double> control);

  const Start& start_;
  bool strikes_;                          // has the scene limits?
  std::map<std::string, Acting> acting_;  // by joint
};

}  // namespace locdyn::scene_format::mjcf
