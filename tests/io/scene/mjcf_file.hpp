#pragma once
// A model written into a folder of its own, and the scene that it makes.

#ifdef LOCDYN_WITH_MJCF

#include <fstream>
#include <string>

#include <locdyn/io/scene/build_scene.hpp>
#include <locdyn/io/scene/joints.hpp>
#include <locdyn/io/scene/read_scene.hpp>
#include <scratch_folder.hpp>

namespace locdyn::test {

struct MjcfFile {
  ScratchFolder folder;
  explicit MjcfFile(const std::string& inside) { write("r.xml", "<mujoco>" + inside + "</mujoco>"); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder / name) << text; }
  /// `more`: keys of the robot, beginning with a comma.
  [[nodiscard]] Scene scene(const std::string& more = "") const {
    return parse_scene(R"({"step": 1e-3, "duration": 1, "robots": [{"name": "r", "mjcf": "r.xml")" + more + "}]}",
                       folder / "it.json");
  }
  [[nodiscard]] Scene flat(const std::string& more = "") const { return expanded(scene(more)); }
  /// All that is wrong, one line each.
  [[nodiscard]] std::vector<std::string> faults(const std::string& more = "") const {
    try {
      static_cast<void>(flat(more));
    } catch (const SceneError& error) {
      return error.faults();
    }
    return {};
  }
  /// The only fault, without the name of the scene and the folder of the model.
  [[nodiscard]] std::string fault(const std::string& more = "") const {
    const std::vector<std::string> all = faults(more);
    if (all.size() != 1) return std::to_string(all.size()) + " faults";
    const std::size_t at = all[0].rfind("r.xml: ");
    return at == std::string::npos ? all[0] : all[0].substr(at + 7);
  }
};

/// A hinged rod of 1 m and 2 kg that hangs down from the origin; `joint` are attributes of its joint.
inline std::string rod(const std::string& joint) {
  return R"(<worldbody><body name="rod"><joint name="j" axis="0 1 0" )" + joint +
         R"(/><inertial pos="0 0 -0.5" mass="2" diaginertia="0.2 0.2 0.1"/></body></worldbody>)";
}

}  // namespace locdyn::test

#endif
