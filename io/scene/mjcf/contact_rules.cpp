#include <locdyn/io/scene/mjcf/contact_rules.hpp>

#include <algorithm>

namespace locdyn::scene_format::mjcf {
namespace {

// Of both lists, the first entry.
const std::size_t* common(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  const auto found = std::find_first_of(a.begin(), a.end(), b.begin(), b.end());
  return found == a.end() ? nullptr : &*found;
}

}  // namespace

ContactRules::ContactRules(const Model& model, const SceneRobot& robot, Scene& scene) : model_(model), robot_(robot) {
  for (const Body& body : model.bodies) {
    for (const Geom& geom : body.geoms) {
      groups_.try_emplace(group_of(geom));
      surfaces_.try_emplace(surface_of(geom));
    }
  }
  std::size_t count = 0;
  for (auto& [group, name] : groups_) {
    const bool plain = group.type == 1 && group.affinity == 1 && group.pairs.empty();
    name = plain ? "default" : robot.name + "/group " + std::to_string(count++);
  }
  if (robot.surface.empty()) add_surfaces(scene);
}

std::vector<std::size_t> ContactRules::pairs_of(const Geom& geom) const {
  std::vector<std::size_t> list;
  for (std::size_t k = 0; k < model_.pairs.size(); ++k) {
    const auto& names = model_.pairs[k].geoms;
    if (!geom.name.empty() && (geom.name == names[0] || geom.name == names[1])) list.push_back(k);
  }
  return list;
}

ContactRules::Group ContactRules::group_of(const Geom& geom) const {
  return {geom.type, geom.affinity, pairs_of(geom)};
}

ContactRules::Surface ContactRules::surface_of(const Geom& geom) const {
  return {geom.friction[0], geom.friction[1], geom.friction[2], geom.contact_dimension, geom.priority, pairs_of(geom)};
}

SceneMaterial ContactRules::material(const Surface& a, const Surface& b) const {
  Surface both{std::max(a.sliding, b.sliding),
               std::max(a.torsional, b.torsional),
               std::max(a.rolling, b.rolling),
               std::max(a.dimension, b.dimension),
               0,
               {}};
  if (a.priority != b.priority) both = a.priority > b.priority ? a : b;
  if (const std::size_t* named = &a == &b ? nullptr : common(a.pairs, b.pairs)) {
    const GeomPair& pair = model_.pairs[*named];
    both.sliding = pair.friction.value_or(both.sliding);
    both.dimension = pair.contact_dimension.value_or(both.dimension);
  }
  SceneMaterial material;
  material.friction = both.dimension >= 3 ? both.sliding : 0;
  if (both.dimension >= 4) material.torsional_friction = both.torsional;
  if (both.dimension >= 6) material.rolling_friction = both.rolling;
  return material;
}

void ContactRules::add_surfaces(Scene& scene) {
  std::size_t count = 0;
  for (auto& [surface, name] : surfaces_) {
    name = robot_.name + "/surface " + std::to_string(count++);
    scene.surfaces[name] = material(surface, surface);
  }
  for (auto b = surfaces_.begin(); b != surfaces_.end(); ++b) {
    for (auto a = surfaces_.begin(); a != b; ++a) {
      scene.pairs.push_back({{a->second, b->second}, material(a->first, b->first)});
    }
  }
}

void ContactRules::apply(const Geom& geom, SceneShape& shape) const {
  if (robot_.surface.empty()) shape.surface = surfaces_.at(surface_of(geom));
  const Group own = group_of(geom);
  if (groups_.at(own) == "default" && groups_.size() == 1) return;
  const auto meets = [](const Group& a, const Group& b) {
    const bool named = common(a.pairs, b.pairs) != nullptr && &a != &b;
    return named || (a.type & b.affinity) != 0 || (b.type & a.affinity) != 0;
  };
  std::vector<std::string> others;
  for (const auto& [group, name] : groups_) {
    if (meets(own, group)) others.push_back(name);
  }
  const Group plain{1, 1, {}};
  if (!groups_.contains(plain) && meets(own, plain)) others.emplace_back("default");
  shape.groups = {{{groups_.at(own)}}, std::move(others)};
}

}  // namespace locdyn::scene_format::mjcf
