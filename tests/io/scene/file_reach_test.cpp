// Files that a scene and its robots name: within the scene's folder, or elsewhere where the reader has asked for it.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <locdyn/io/scene/build_scene.hpp>
#include <locdyn/io/scene/file_reach.hpp>
#include <locdyn/io/scene/read_scene.hpp>
#include <scratch_folder.hpp>

using namespace locdyn;
namespace fs = std::filesystem;

namespace {

// project/scene.json, with project/parts/mesh.obj inside it and secret/mesh.obj beside it.
struct Project {
  test::ScratchFolder root;

  Project() {
    for (const char* folder : {"project/parts", "project/robot", "secret", "project-2"}) {
      fs::create_directories(root / folder);
    }
    for (const char* folder : {"project/parts", "secret", "project-2"}) {
      std::ofstream(root / folder / "mesh.obj")
          << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    }
    fs::create_symlink(root / "secret", root / "project/link");
  }
  void robot(const std::string& name, const std::string& text) const {
    std::ofstream(root / "project/robot" / name) << text;
  }
  // All faults as one line; empty where there are none.
  [[nodiscard]] std::string fault(const std::string& objects, SceneFiles files = SceneFiles::own_folder) const {
    try {
      const Scene scene =
          parse_scene(R"({"step": 1e-3, "duration": 1, )" + objects + "}", root / "project/scene.json", files);
      static_cast<void>(build(scene, nullptr));
    } catch (const FileError& error) {
      return error.what();
    }
    return {};
  }
  [[nodiscard]] std::string mesh_fault(const std::string& file, SceneFiles files = SceneFiles::own_folder) const {
    return fault(R"("bodies": [{"density": 6, "shape": {"type": "convex_hull", "file": ")" + file + "\"}}]", files);
  }
};

const std::string kRefused = std::string("expected ") + scene_format::kFileInside + ", found ";

bool reach_has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a path lies in a folder by what it leads to, not by how it is spelled") {
  const Project project;
  const fs::path folder = project.root / "project";
  CHECK(scene_format::lies_in(folder, folder / "parts/mesh.obj"));
  CHECK(scene_format::lies_in(folder, folder / "none/at/all"));
  CHECK(scene_format::lies_in(folder, folder / "parts/../parts/mesh.obj"));
  CHECK(!scene_format::lies_in(folder, folder / "../secret/mesh.obj"));
  CHECK(!scene_format::lies_in(folder, project.root / "project-2/mesh.obj"));  // the same first letters
  CHECK(!scene_format::lies_in(folder, folder / "link/mesh.obj"));
  CHECK(scene_format::lies_in("", "here.obj"));
  CHECK(!scene_format::lies_in("", "../here.obj"));
}

#ifdef LOCDYN_WITH_ASSIMP
TEST_CASE("meshes of a scene: inside its folder, outside on request") {
  const Project project;
  CHECK(project.mesh_fault("parts/mesh.obj") == "");
  CHECK(project.mesh_fault("link/../project/parts/mesh.obj") == "");  // above where the link leads, and inside again
  for (const std::string& outside : {std::string("../secret/mesh.obj"), (project.root / "secret/mesh.obj").string(),
                                     std::string("link/mesh.obj"), std::string("parts/../../project-2/mesh.obj")}) {
    CAPTURE(outside);
    CHECK(reach_has(project.mesh_fault(outside), "bodies[0].shape.file: " + kRefused + '"' + outside.substr(0, 20)));
    CHECK(project.mesh_fault(outside, SceneFiles::anywhere) == "");
  }
  CHECK(reach_has(project.mesh_fault("../none.obj"), kRefused));  // whether it is there is not told
  CHECK(reach_has(project.mesh_fault("../none.obj", SceneFiles::anywhere), "expected a file that is there"));
}

#ifdef LOCDYN_WITH_URDF
TEST_CASE("meshes of a URDF: in the scene's folder, though not in the robot's own") {
  const Project project;
  const auto fault = [&](const std::string& mesh, SceneFiles files = SceneFiles::own_folder) {
    project.robot("r.urdf", R"(<robot name="r"><link name="base"><collision><geometry><mesh filename=")" + mesh +
                                R"("/></geometry></collision></link></robot>)");
    return project.fault(R"("robots": [{"name": "r", "urdf": "robot/r.urdf"}])", files);
  };
  CHECK(fault("../parts/mesh.obj") == "");
  CHECK(fault("package://any/../parts/mesh.obj") == "");
  CHECK(fault("file://" + (project.root / "project/parts/mesh.obj").string()) == "");
  for (const std::string& outside :
       {std::string("../../secret/mesh.obj"), "file://" + (project.root / "secret/mesh.obj").string(),
        std::string("../link/mesh.obj"), std::string("package://any/../../secret/mesh.obj")}) {
    CAPTURE(outside);
    CHECK(reach_has(fault(outside), "link \"base\": " + kRefused + outside.substr(0, 20)));
    CHECK(fault(outside, SceneFiles::anywhere) == "");
  }
  CHECK(reach_has(project.fault(R"("robots": [{"name": "r", "urdf": "../project/link/r.urdf"}])"), kRefused));
}
#endif

#ifdef LOCDYN_WITH_MJCF
TEST_CASE("meshes of an MJCF, by any folder that it names") {
  const Project project;
  const auto fault = [&](const std::string& folder, const std::string& mesh,
                         SceneFiles files = SceneFiles::own_folder) {
    project.robot("r.xml", "<mujoco><compiler meshdir=\"" + folder + R"("/><asset><mesh name="m" file=")" + mesh +
                               R"("/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>)");
    return project.fault(R"("robots": [{"name": "r", "mjcf": "robot/r.xml"}])", files);
  };
  CHECK(fault("../parts", "mesh.obj") == "");
  for (const auto& [folder, mesh] : {std::pair<std::string, std::string>("../../secret", "mesh.obj"),
                                     {(project.root / "secret").string(), "mesh.obj"},
                                     {".", "../../secret/mesh.obj"},
                                     {"../link", "mesh.obj"}}) {
    const std::string& path = folder;
    CAPTURE(path);
    CHECK(reach_has(fault(folder, mesh), kRefused + mesh));
    CHECK(fault(folder, mesh, SceneFiles::anywhere) == "");
  }
}
#endif
#endif

TEST_CASE("a scene put together by a program reads robots' meshes in the robot's folder") {
  const Project project;
  Scene scene;
  const fs::path robot = project.root / "project/robot/r.urdf";
  CHECK(scene_format::within_reach(scene, robot, project.root / "project/robot/mesh.obj"));
  CHECK(!scene_format::within_reach(scene, robot, project.root / "project/parts/mesh.obj"));
  scene.file = project.root / "project/scene.json";
  CHECK(scene_format::within_reach(scene, robot, project.root / "project/parts/mesh.obj"));
  CHECK(!scene_format::within_reach(scene, robot, project.root / "secret/mesh.obj"));
  scene.files = SceneFiles::anywhere;
  CHECK(scene_format::within_reach(scene, robot, project.root / "secret/mesh.obj"));
}
