#pragma once
// Who touches whom, and with what friction, in the words of a scene.
//
// Two geoms touch where a bit of contype of one is among those of conaffinity of the other, or where they are named as
// a pair: geoms alike in that make a group, which meets the groups that it may touch. Friction coefficients of two
// geoms are the larger ones, or those of the geom with the higher priority; condim 1 is without friction, 3 has
// sliding, 4 torsional friction beside it, 6 rolling friction too: geoms alike in that have a surface, and each two
// surfaces a pair.

#include <map>
#include <string>
#include <vector>

#include <locdyn/io/scene/mjcf/model.hpp>

namespace locdyn::scene_format::mjcf {

class ContactRules {
 public:
  /// Adds surfaces "robot/surface 0", …, unless the robot has one surface for all, and pairs of them to the scene.
  ContactRules(const Model& model, const SceneRobot& robot, Scene& scene);

  /// Group and surface of the geom's shape.
  void apply(const Geom& geom, SceneShape& shape) const;

 private:
  // What geoms are alike in; `pairs`: those that name it.
  struct Group {
    int type, affinity;
    std::vector<std::size_t> pairs;
    auto operator<=>(const Group&) const = default;
  };
  struct Surface {
    double sliding, torsional, rolling;
    int dimension, priority;
    std::vector<std::size_t> pairs;
    auto operator<=>(const Surface&) const = default;
  };
  [[nodiscard]] Group group_of(const Geom& geom) const;
  [[nodiscard]] Surface surface_of(const Geom& geom) const;
  [[nodiscard]] std::vector<std::size_t> pairs_of(const Geom& geom) const;
  [[nodiscard]] SceneMaterial material(const Surface& a, const Surface& b) const;
  void add_surfaces(Scene& scene);

  const Model& model_;
  const SceneRobot& robot_;
  std::map<Group, std::string> groups_;
  std::map<Surface, std::string> surfaces_;
};

}  // namespace locdyn::scene_format::mjcf
