#include "settings.hpp"

namespace locdyn::peers {
namespace {

std::vector<EngineSetting> make_settings() {
  std::vector<EngineSetting> all;
#ifdef LOCDYN_PEER_BULLET
  const auto bullet = [&all](const std::string& name, const BulletSettings& settings) {
    all.push_back({"bullet", name, [settings](const Scene& scene) { return make_bullet(scene, settings); }});
  };
  // One direction of friction leaves a residual of some per cent at any number of iterations: the ladder takes two.
  bullet("default", {});
  for (const int iterations : {10, 30, 100, 300, 1000, 3000, 10'000, 30'000}) {
    bullet(std::to_string(iterations), {.iterations = iterations, .two_directions = true});
  }
#endif
#ifdef LOCDYN_PEER_MUJOCO
  const auto mujoco = [&all](const std::string& name, const MujocoSettings& settings) {
    all.push_back({"mujoco", name, [settings](const Scene& scene) { return make_mujoco(scene, settings); }});
  };
  mujoco("elliptic", {.cone = "elliptic"});
  mujoco("elliptic-hard", {.cone = "elliptic", .iterations = 1000, .hard = true});
#endif
  return all;
}

}  // namespace

const std::vector<EngineSetting>& engine_settings() {
  static const std::vector<EngineSetting> all = make_settings();
  return all;
}

}  // namespace locdyn::peers
