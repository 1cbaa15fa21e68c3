#pragma once
// A model as part of a scene. A body with joints is a rigid body; those within it that have none are part of it, with
// their mass and shapes. Bodies that nothing moves are obstacles. One hinge, slide or ball is the joint of that name;
// several between two bodies are a serial joint.

#include <locdyn/io/scene/mjcf/read_model.hpp>

namespace locdyn::scene_format::mjcf {

/// Appends bodies, joints, surfaces, pairs and groups of contacts; where the robot starts, and how it is driven, is
/// told by `robot`. Notes in `left_out` what the scene cannot say. Throws FileError and SceneError.
void append_model(const Model& model, const SceneRobot& robot, Scene& scene, LeftOut& left_out);

/// Bodies that move and have lost all mass with what was left out: without what moves within them they stay where they
/// are, without joints, which is noted.
void drop_empty_bodies(Model& model, LeftOut& left_out);

}  // namespace locdyn::scene_format::mjcf
