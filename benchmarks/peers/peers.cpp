// Time per step, creep and residual of locdyn beside Bullet and MuJoCo, each at its defaults and at ten times its
// iterations: one scene built in each engine, one judge for all, the steps timed in turn on one thread by processor
// time. Sleeping is off everywhere.
//
//   benchmark_peers [--budget SECONDS] [--engines bullet,mujoco,locdyn]
//                   [wall|arch|pile|small-wall|small-pile|grip]…       the first three, 120 s
//
// `grip` instead shakes a block that friction holds for 60 s and prints how far it has slid.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "grip.hpp"
#include "run.hpp"

namespace {

using namespace locdyn::peers;

#ifdef LOCDYN_PEER_MUJOCO
std::vector<MujocoSettings> mujoco_settings(bool grip) {
  if (!grip) return {{}, {.iterations = 1000}, {.cone = "elliptic"}, {.solver = "CG"}};
  return {{}, {.cone = "elliptic"}, {.cone = "elliptic", .noslip = 10}, {.cone = "elliptic", .hard = true}};
}
#endif

std::vector<EngineMaker> makers(const Scene& scene, const std::string& engines) {
  std::vector<EngineMaker> result;
#ifdef LOCDYN_PEER_BULLET
  if (engines.find("bullet") != std::string::npos) {
    for (const BulletSettings& settings :
         {BulletSettings{}, BulletSettings{.iterations = 100}, BulletSettings{.two_directions = true},
          BulletSettings{.iterations = 100, .two_directions = true}}) {
      result.emplace_back([settings](const Scene& built) { return make_bullet(built, settings); });
    }
  }
#endif
#ifdef LOCDYN_PEER_MUJOCO
  if (engines.find("mujoco") != std::string::npos) {
    for (const MujocoSettings& settings : mujoco_settings(scene.name == "grip")) {
      result.emplace_back([settings](const Scene& built) { return make_mujoco(built, settings); });
    }
  }
#endif
  if (engines.find("locdyn") != std::string::npos) {
    for (const double tolerance : scene.tolerances) {
      result.emplace_back([tolerance](const Scene& built) { return make_locdyn(built, {.tolerance = tolerance}); });
      if (scene.name != "grip") continue;
      result.emplace_back(
          [tolerance](const Scene& built) { return make_locdyn(built, {.tolerance = tolerance, .stiffness = 1e6}); });
    }
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, Scene (*)()> scenes = {{"wall", [] { return wall(); }},
                                                     {"arch", arch},
                                                     {"pile", [] { return pile(1000, 1000, 1); }},
                                                     {"small-wall", [] { return wall(10, 10); }},
                                                     {"small-pile", [] { return pile(100, 100, 1); }}};
  RunOptions options;
  std::string engines = "bullet,mujoco,locdyn";
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--budget") == 0 && i + 1 < argc) {
      options.budget = std::atof(argv[++i]);
    } else if (std::strcmp(argv[i], "--engines") == 0 && i + 1 < argc) {
      engines = argv[++i];
    } else if (scenes.contains(argv[i]) || std::strcmp(argv[i], "grip") == 0) {
      names.emplace_back(argv[i]);
    } else {
      std::fprintf(stderr,
                   "usage: benchmark_peers [--budget SECONDS] [--engines bullet,mujoco,locdyn] "
                   "[wall|arch|pile|small-wall|small-pile|grip]...\n");
      return 2;
    }
  }
  if (names.empty()) names = {"wall", "arch", "pile"};
  for (const std::string& name : names) {
    if (name == "grip") {
      print_grip(makers(grip(), engines), 60);
      continue;
    }
    const Scene scene = scenes.at(name)();
    print(scene, run(scene, makers(scene, engines), options));
  }
  return 0;
}
