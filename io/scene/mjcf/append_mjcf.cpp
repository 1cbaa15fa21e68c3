#include <locdyn/io/scene/mjcf/append_mjcf.hpp>

#include <locdyn/ldy/file_error.hpp>
#ifdef LOCDYN_WITH_MJCF
#include <locdyn/io/scene/mjcf/model_to_scene.hpp>
#include <locdyn/io/scene/read_scene.hpp>
#endif

namespace locdyn::scene_format {

#ifndef LOCDYN_WITH_MJCF

void append_mjcf(const SceneRobot& robot, Scene&) {
  throw FileError(robot.mjcf, "", "a build with tinyxml2 (LOCDYN_WITH_MJCF)", "one without");
}

#else

namespace {

void refuse(const mjcf::LeftOut& left_out) {
  if (left_out.lines().empty()) return;
  std::vector<std::string> faults;
  for (const std::string& line : left_out.lines()) {
    faults.push_back(line + ": expected what is taken of MJCF, or \"leave_out\", found this");
  }
  throw SceneError(std::move(faults));
}

}  // namespace

void append_mjcf(const SceneRobot& robot, Scene& scene) {
  mjcf::Document document(robot.mjcf);
  mjcf::LeftOut left_out;
  mjcf::Model model = mjcf::read_model(document, scene, robot.mesh_inertia, left_out);
  if (!robot.leave_out) refuse(left_out);  // a body may have no mass for want of it
  if (robot.leave_out) mjcf::drop_empty_bodies(model, left_out);
  mjcf::append_model(model, robot, scene, left_out);
  if (!robot.leave_out) refuse(left_out);
  scene.left_out.insert(scene.left_out.end(), left_out.lines().begin(), left_out.lines().end());
}

#endif

}  // namespace locdyn::scene_format
