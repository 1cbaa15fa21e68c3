#include <locdyn/io/scene/check_scene.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/io/scene/check_body.hpp>
#include <locdyn/io/scene/check_force.hpp>
#include <locdyn/io/scene/check_joint.hpp>
#include <locdyn/io/scene/check_mechanism.hpp>
#include <locdyn/io/scene/forces.hpp>
#include <locdyn/io/scene/joints.hpp>
#include <locdyn/io/scene/read_values.hpp>

namespace locdyn::scene_format {
namespace {

constexpr std::int64_t kMostBodies = 10'000'000;  // of one generator

std::int64_t count_of(const SceneGenerator& generator) {
  struct {
    std::int64_t operator()(const SceneRow& g) { return g.count; }
    std::int64_t operator()(const ScenePile& g) { return g.count; }
    std::int64_t operator()(const SceneArch& g) { return g.voussoirs; }
    std::int64_t operator()(const SceneTower& g) { return std::int64_t{g.layers} * g.planks; }
    // Without half bricks every other course is one brick short, with them one longer.
    std::int64_t operator()(const SceneWall& g) {
      return std::int64_t{g.bricks} * g.courses + (g.half_bricks ? 1 : -1) * (g.courses / 2);
    }
  } count;
  return std::visit(count, generator.type);
}

class Checker {
 public:
  explicit Checker(const Scene& scene) : scene_(scene) {}

  std::vector<std::string> run() {
    collect_names();
    solids_.check_surfaces();
    for (const SceneBody& body : scene_.bodies) solids_.check_body(body);
    check_generators();
    for (std::size_t i = 0; i < scene_.robots.size(); ++i) {
      solids_.check_surface(at("robots", i) + ".surface", scene_.robots[i].surface);
    }
    check_joints();
    check_forces();
    check_loads_and_motions();
    for (std::size_t i = 0; i < scene_.excluded_pairs.size(); ++i) {
      check_two_bodies(at("excluded_pairs", i), scene_.excluded_pairs[i][0], scene_.excluded_pairs[i][1]);
    }
    if (scene_.kinematics) check_driven(*scene_.kinematics);
    check_mechanism(scene_, context_);
    return std::move(context_.faults);
  }

 private:
  static std::string at(const char* list, std::size_t i) { return place_of(std::string(list), i); }
  void fault(const std::string& place, const std::string& expected, const std::string& found) {
    context_.fault(place, expected, found);
  }

  // --- names

  void claim(const std::string& place, const std::string& name, const SceneBody* body) {
    if (!name.empty() && !bodies_.emplace(name, body).second) {
      fault(place, "a name that is not taken", '"' + name + '"');
    }
  }

  void collect_names() {
    for (const SceneBody& body : scene_.bodies) claim(body.place + ".name", body.name, &body);
    for (const SceneGenerator& generator : scene_.generators) {
      if (!prefixes_.insert(generator.name).second) {
        fault(generator.place + ".name", "a name that is not taken", '"' + generator.name + '"');
        continue;
      }
      const auto* row = std::get_if<SceneRow>(&generator.type);
      const std::int64_t count = count_of(generator);
      if (count > kMostBodies) {
        fault(generator.place, "at most 1e7 bodies", std::to_string(count));
        continue;
      }
      for (std::int64_t k = 0; k < count; ++k) {
        claim(generator.place + ".name", generator.name + "[" + std::to_string(k) + "]", row ? &row->body : nullptr);
      }
    }
    for (std::size_t i = 0; i < scene_.robots.size(); ++i) {
      if (!prefixes_.insert(scene_.robots[i].name).second) {
        fault(at("robots", i) + ".name", "a name that is not taken", '"' + scene_.robots[i].name + '"');
      }
    }
  }

  [[nodiscard]] bool is_link(const std::string& name) const {
    return std::any_of(scene_.robots.begin(), scene_.robots.end(),
                       [&name](const SceneRobot& robot) { return name.starts_with(robot.name + "/"); });
  }

  // Is there such a body? It is then looked up in `bodies_`; a link of a robot is not.
  bool check_name(const std::string& place, const std::string& name) {
    if (name.empty() || bodies_.contains(name) || is_link(name)) return !name.empty();
    std::vector<std::string_view> names;
    for (const auto& [known, body] : bodies_) names.push_back(known);
    const std::string_view near = nearest(name, names);
    fault(place, "the name of a body" + (near.empty() ? "" : ", \"" + std::string(near) + "\" maybe"),
          '"' + name + '"');
    return false;
  }

  void check_two_bodies(const std::string& place, const std::string& a, const std::string& b) {
    check_name(place_of(place, std::size_t{0}), a);
    check_name(place_of(place, std::size_t{1}), b);
    if (!a.empty() && a == b) fault(place, "two different bodies", '"' + a + "\" twice");
  }

  [[nodiscard]] const SceneBody* body(const std::string& name) const {
    const auto found = bodies_.find(name);
    return found == bodies_.end() ? nullptr : found->second;
  }

  // --- generators, joints, forces, loads, motions

  void check_generators() {
    for (const SceneGenerator& generator : scene_.generators) {
      solids_.check_surface(generator.place + ".surface", generator.surface);
      if (const auto* row = std::get_if<SceneRow>(&generator.type)) {
        solids_.check_body(row->body);
        if (!row->body.name.empty()) {
          fault(row->body.place + ".name", "no name: that of the row names its bodies", '"' + row->body.name + '"');
        }
      }
      if (const auto* arch = std::get_if<SceneArch>(&generator.type); arch && !(arch->thickness < 2 * arch->radius)) {
        fault(generator.place + ".thickness", "less than twice the radius, " + spelled(2 * arch->radius),
              spelled(arch->thickness));
      }
      if (const auto* pile = std::get_if<ScenePile>(&generator.type); pile && pile->size[0] > pile->size[1]) {
        fault(generator.place + ".size", "least size first", spelled(pile->size[0]) + ", " + spelled(pile->size[1]));
      }
    }
  }

  // They are there, one moves, and two are not one.
  void check_acted_on(const std::string& place, const std::vector<std::string>& names) {
    bool moves = false;
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (!check_name(place_of(place, k), names[k])) moves = true;
      const SceneBody* there = body(names[k]);
      moves = moves || !there || !std::holds_alternative<SceneObstacle>(there->kind);
    }
    if (!names.empty() && !moves) fault(place, "a body that moves", "obstacles alone");
    for (std::size_t k = 1; k < names.size(); ++k) {
      if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(k), names[k]) ==
          names.begin() + static_cast<std::ptrdiff_t>(k))
        continue;
      fault(place, names.size() == 2 ? "two different bodies" : "different bodies", '"' + names[k] + "\" twice");
      return;
    }
  }

  void check_forces() {
    std::set<std::string> names;
    for (const SceneForce& force : scene_.forces) {
      if (!force.name.empty() && !names.insert(force.name).second) {
        fault(force.place + ".name", "a name that is not taken", '"' + force.name + '"');
      }
      check_acted_on(force.place + ".bodies", force.bodies);
      check_force(force, context_);
      for (std::size_t k = 0; k < force.bodies.size() && bodies_of(force).turn; ++k) {
        const SceneBody* there = body(force.bodies[k]);
        if (there && std::holds_alternative<SceneParticle>(there->kind)) {
          fault(place_of(force.place + ".bodies", k), "a body that turns", "a particle");
        }
      }
      const SceneBody* first = bodies_of(force).first && !force.bodies.empty() ? body(force.bodies[0]) : nullptr;
      if (first && std::holds_alternative<SceneObstacle>(first->kind)) {
        fault(force.place + ".bodies[0]", bodies_of(force).first, "an obstacle");
      }
    }
  }

  void check_joints() {
    std::set<std::string> names;
    for (const SceneJoint& joint : scene_.joints) {
      if (!joint.name.empty() && !names.insert(joint.name).second) {
        fault(joint.place + ".name", "a name that is not taken", '"' + joint.name + '"');
      }
      check_acted_on(joint.place + ".bodies", joint.bodies);
      check_joint(joint, context_);
      const auto check_carrier = [&](const auto& j) {
        if constexpr (requires { j.carrier; }) {
          if (!j.carrier.empty()) check_name(joint.place + ".carrier", j.carrier);
        }
        if constexpr (requires { j.axes[0].carrier; }) {
          for (std::size_t k = 0; k < 2; ++k) {
            const std::string& carrier = j.axes[k].carrier;
            if (!carrier.empty()) check_name(place_of(joint.place + ".axes", k) + ".carrier", carrier);
          }
        }
      };
      std::visit(check_carrier, joint.type);
    }
  }

  void check_loads_and_motions() {
    for (std::size_t i = 0; i < scene_.loads.size(); ++i) {
      const SceneLoad& load = scene_.loads[i];
      const std::string place = at("loads", i);
      check_name(place + ".body", load.body);
      const SceneBody* there = body(load.body);
      if (!there) continue;
      if (std::holds_alternative<SceneObstacle>(there->kind))
        fault(place + ".body", "a body that moves", "an obstacle");
      if (std::holds_alternative<SceneParticle>(there->kind) && !load.torque.values.empty()) {
        fault(place + ".torque", "none on a particle", "one");
      }
    }
    std::set<std::string> driven;
    for (std::size_t i = 0; i < scene_.motions.size(); ++i) {
      const SceneMotion& motion = scene_.motions[i];
      const std::string place = at("motions", i);
      check_name(place + ".body", motion.body);
      const SceneBody* there = body(motion.body);
      if (there && !std::holds_alternative<SceneObstacle>(there->kind)) {
        fault(place + ".body", "an obstacle", "a body that moves");
      }
      if (!driven.insert(motion.body).second) fault(place + ".body", "one motion of an obstacle", "a second one");
      require_zero_start(place + ".displacement", motion.displacement, context_);
      require_zero_start(place + ".rotation", motion.rotation, context_);
    }
  }

  void check_driven(const SceneKinematics& kinematics) {
    const auto check_anchors = [this](const std::string& place, const std::array<SceneAnchor, 2>& anchors) {
      for (std::size_t k = 0; k < 2; ++k) check_name(place_of(place_of(place, k), "body"), anchors[k].body);
    };
    if (kinematics.distance) check_anchors("kinematics.distance", *kinematics.distance);
    for (std::size_t k = 0; kinematics.angle && k < 2; ++k) {
      check_anchors(place_of("kinematics.angle.vectors", k), kinematics.angle->vectors[k]);
    }
  }

  const Scene& scene_;
  ReadContext context_;
  BodyChecker solids_{scene_, context_};
  std::map<std::string, const SceneBody*> bodies_;  // by name; null: one that a generator makes
  std::set<std::string> prefixes_;                  // names of generators and robots
};

}  // namespace

std::vector<std::string> find_faults(const Scene& scene) {
  return Checker(scene).run();
}

}  // namespace locdyn::scene_format
