// Robots, meshes, checkpoints and trajectories: their bytes.

#include <filesystem>
#include <io/output/scene.hpp>
#include <locdyn/contact/detection/mesh_file.hpp>
#include <locdyn/io/output/checkpoint.hpp>
#include <locdyn/io/output/trajectory_writer.hpp>
#include <locdyn/io/page/write_page.hpp>
#include <locdyn/io/scene/build_scene.hpp>
#include <locdyn/io/scene/read_scene.hpp>
#include <locdyn/simulation/time_stepper.hpp>
#include <string>

#include "refusal.hpp"
#include "scratch_file.hpp"
#include "target_list.hpp"

namespace locdyn::fuzz {
namespace {

test::FloorScene& floor_scene() {
  static test::FloorScene scene;
  return scene;
}

}  // namespace

void run_robot(Bytes bytes) {
  (void)scratch_file("robot.urdf", bytes);
  const std::string scene = R"({"step": 1e-3, "duration": 1, "robots": [{"name": "r", "urdf": "robot.urdf"}]})";
  refused([&] { (void)build(parse_scene(scene, scratch_path("scene.json"))); }, true);
}

std::vector<Input> seeds_of_robot() {
  return {bytes_of(R"(<robot name="r"><link name="base"/><link name="arm"><inertial><origin xyz="0 0 .5" rpy="0 0 0"/>
<mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial><collision><origin xyz="0 0 .5"/>
<geometry><box size=".1 .1 1"/></geometry></collision></link><joint name="hip" type="revolute"><parent link="base"/>
<child link="arm"/><origin xyz="0 0 1" rpy="0 .1 0"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="9" velocity="9"/>
</joint><link name="tip"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<collision><geometry><sphere radius=".1"/></geometry></collision></link><joint name="wrist" type="fixed">
<parent link="arm"/><child link="tip"/><origin xyz="0 0 1"/></joint></robot>)"),
          bytes_of(R"(<robot name="r"><link name="a"/></robot>)")};
}

void run_mesh(Bytes bytes) {
  // The first byte says which format the file has by its name; STL has a text and a binary form.
  const bool stl = !bytes.empty() && bytes[0] % 2 == 0;
  const auto path = scratch_file(stl ? "mesh.stl" : "mesh.obj", bytes.empty() ? bytes : bytes.subspan(1));
  refused([&] {
    const TriangleMesh mesh = read_mesh_file(path);
    for (const auto& triangle : mesh.triangles) {
      for (const int corner : triangle) {
        promise(corner >= 0 && corner < static_cast<int>(mesh.vertices.size()), "expected corners that are vertices");
      }
    }
  });
}

std::vector<Input> seeds_of_mesh() {
  Input binary(1 + 84 + 2 * 50, 0);
  binary[1 + 80] = 2;
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const float place[3] = {static_cast<float>(corner), static_cast<float>(corner == 1), static_cast<float>(k)};
      std::memcpy(binary.data() + 1 + 84 + 50 * k + 12 + 12 * corner, place, sizeof place);
    }
  }
  return {
      bytes_of("1v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nf 1 2 3\nf 1//1 2//1 4//1\nf -4 -3 -2 -1\n"),
      bytes_of("0solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
               "endsolid a\n"),
      binary};
}

void run_checkpoint(Bytes bytes) {
  test::FloorScene& scene = floor_scene();
  const auto path = scratch_file("checkpoint.h5", bytes);
  refused([&] {
    TimeStepper stepper(scene.system, {.step = 2e-3, .stop = {.max_iterations = 50}});
    stepper.restore(read_checkpoint(path, scene.system));
    (void)stepper.step();
  });
}

std::vector<Input> seeds_of_checkpoint() {
  test::FloorScene scene;
  TimeStepper stepper(scene.system, {.step = 2e-3});
  for (int step = 0; step < 3; ++step) (void)stepper.step();
  write_checkpoint(scratch_path("seed.h5"), stepper);
  return {content_of(scratch_path("seed.h5"))};
}

void run_trajectory(Bytes bytes) {
  const auto path = scratch_file("trajectory.h5", bytes);
  refused([&] {
    (void)is_trajectory(path);
    write_run_page(path, scratch_path("page.html"), {.contacts = 1000, .table_rows = 10});
  });
}

std::vector<Input> seeds_of_trajectory() {
  test::FloorScene scene;
  TimeStepper stepper(scene.system, {.step = 2e-3});
  TrajectoryWriter writer(scratch_path("seed.h5"), scene.system, {.points = 30});
  for (int step = 0; step < 3; ++step) {
    writer.append(stepper);
    (void)stepper.step();
  }
  writer.close();
  return {content_of(scratch_path("seed.h5"))};
}

}  // namespace locdyn::fuzz
