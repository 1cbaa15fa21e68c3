#include <locdyn/io/scene/build_scene.hpp>

#include <algorithm>
#include <cmath>

#include <locdyn/io/scene/add_force.hpp>
#include <locdyn/io/scene/add_joint.hpp>
#include <locdyn/io/scene/check_scene.hpp>
#include <locdyn/io/scene/generators.hpp>
#include <locdyn/io/scene/make_body.hpp>
#include <locdyn/io/scene/mjcf/append_mjcf.hpp>
#include <locdyn/io/scene/start_overlap.hpp>
#include <locdyn/io/scene/time_dependence.hpp>
#include <locdyn/io/scene/urdf.hpp>
#ifdef LOCDYN_WITH_BULLET
#include <locdyn/contact/detection/bullet_detector.hpp>
#include <locdyn/io/scene/forces.hpp>
#include <locdyn/io/scene/joints.hpp>
#endif

namespace locdyn {
namespace {

using namespace scene_format;

// Faults of all parts, each once: a generator makes the same one many times.
class Faults {
 public:
  explicit Faults(const Scene& scene) : file_(scene.file.empty() ? "scene" : scene.file.string()) {}

  void add(const std::string& line) {
    const std::string fault = file_ + ": " + line;
    if (std::find(lines_.begin(), lines_.end(), fault) == lines_.end()) lines_.push_back(fault);
  }
  void add(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) add(line);
  }
  /// Does something whose faults belong to `place`.
  template <class Do>
  void guard(const std::string& place, Do&& act) {
    try {
      act();
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const SceneError& error) {
      for (const std::string& line : error.faults()) add(place + ": " + line);
    } catch (const std::exception& error) {
      add(place + ": " + error.what());
    }
  }
  void throw_if_any() {
    if (!lines_.empty()) throw SceneError(std::move(lines_));
  }

 private:
  std::string file_;
  std::vector<std::string> lines_;
};

PairMaterial material_of(const SceneMaterial& material) {
  constexpr double kHard = std::numeric_limits<double>::infinity();
  return {.static_friction = material.friction.value_or(material.static_friction.value_or(0)),
          .kinetic_friction = material.friction.value_or(material.kinetic_friction.value_or(0)),
          .cross_friction = material.cross_friction,
          .restitution = material.restitution,
          .rolling = material.rolling_friction,
          .torsional = material.torsional_friction,
          .stiffness = material.stiffness.value_or(kHard),
          .hertz_stiffness = material.hertz_stiffness.value_or(kHard),
          .damping = material.damping,
          .tangential_stiffness = material.tangential_stiffness.value_or(kHard),
          .tangential_damping = material.tangential_damping};
}

class Builder {
 public:
  Builder(const Scene& flat, std::unique_ptr<ContactDetector> detector)
      : scene_(flat), detects_(detector != nullptr), faults_(flat), system_(new System(std::move(detector))) {}

  std::unique_ptr<System> run() {
    system_->gravity = scene_.gravity;
    add_surfaces();
    faults_.throw_if_any();  // shapes refer to them
    for (const SceneBody& body : scene_.bodies) {
      faults_.guard(body.place, [&] { add_body(body); });
    }
    faults_.throw_if_any();  // what follows refers to bodies

    for (const SceneJoint& joint : scene_.joints) {
      faults_.guard(joint.place,
                    [&] { add_joint(joint, *system_, scene_.is_mechanism() ? Springs::forces : Springs::rows); });
    }
    for (const auto& [a, b] : scene_.excluded_pairs) system_->exclude_pair(system_->find(a), system_->find(b));
    for (const SceneForce& force : scene_.forces) {
      faults_.guard(force.place, [&] { add_force(force, *system_); });
    }
    for (const SceneLoad& load : scene_.loads) {
      const BodyId body = system_->find(load.body);
      system_->add_load(make_load(load, body, system_->bodies()));
    }
    for (const SceneMotion& motion : scene_.motions) {
      system_->add_drive(system_->find(motion.body), make_drive(motion));
    }
    faults_.throw_if_any();
    if (detects_) faults_.add(overlaps_at_start(*system_, labels_, scene_.allow_overlap));
    faults_.throw_if_any();
    return std::move(system_);
  }

 private:
  void add_surfaces() {
    MaterialTable& table = system_->materials;
    for (const auto& [name, material] : scene_.surfaces) {
      faults_.guard("surfaces." + name, [&, &name = name, &material = material] {
        if (name == "default") {
          table.set_pair(SurfaceId{0}, SurfaceId{0}, material_of(material));
        } else {
          table.add_surface(name, material_of(material));
        }
      });
    }
    faults_.throw_if_any();
    for (std::size_t i = 0; i < scene_.pairs.size(); ++i) {
      const ScenePair& pair = scene_.pairs[i];
      faults_.guard("pairs[" + std::to_string(i) + "]", [&] {
        table.set_pair(table.find(pair.surfaces[0]), table.find(pair.surfaces[1]), material_of(pair.material));
      });
    }
  }

  void add_body(const SceneBody& body) {
    MadeBody made = make_body(body);
    const BodyId id = system_->add(std::move(made.body), body.name);
    labels_.push_back(body.name.empty() ? body.place : '"' + body.name + '"');
    for (std::size_t k = 0; k < made.shapes.size(); ++k) {
      const SceneShape& shape = body.shapes[k];
      Collider collider;
      collider.body = id;
      collider.shape = std::move(made.shapes[k]);
      collider.position = made.placements[k].position;
      collider.orientation = made.placements[k].orientation;
      collider.surface_velocity = shape.surface_velocity;
      collider.friction_direction = shape.friction_direction.value_or(Eigen::Vector3d::Zero());
      const std::string& surface = shape.surface.empty() ? body.surface : shape.surface;
      if (!surface.empty()) collider.surface = system_->materials.find(surface);
      const auto& groups = shape.groups.groups ? shape.groups.groups : body.groups.groups;
      const auto& others = shape.groups.collides_with ? shape.groups.collides_with : body.groups.collides_with;
      if (groups) collider.groups = bits_of(*groups);
      if (others) collider.collides_with = bits_of(*others);
      if (detects_ && (collider.collides_with != 0 || scene_.is_mechanism())) system_->add_collider(collider);
    }
  }

  // Groups get their bits in the order in which they are met.
  std::uint32_t bits_of(const std::vector<std::string>& names) {
    std::uint32_t bits = 0;
    for (const std::string& name : names) {
      const auto [found, fresh] = groups_.try_emplace(name, groups_.size());
      if (found->second >= 32)
        throw std::invalid_argument("groups: expected at most 32, found one more, \"" + name + '"');
      bits |= 1u << found->second;
    }
    return bits;
  }

  const Scene& scene_;
  bool detects_;
  Faults faults_;
  std::unique_ptr<System> system_;
  std::vector<std::string> labels_;  // of bodies, for messages
  std::map<std::string, std::size_t> groups_ = {{"default", 0}};
};

}  // namespace

Scene expanded(const Scene& scene) {
  Scene flat = scene;
  Faults faults(scene);
  for (const SceneGenerator& generator : scene.generators) {
    for (SceneBody& body : generate(generator)) flat.bodies.push_back(std::move(body));
  }
  for (std::size_t i = 0; i < scene.robots.size(); ++i) {
    const SceneRobot& robot = scene.robots[i];
    const std::string place = "robots[" + std::to_string(i) + "]";
    faults.guard(place, [&] { robot.mjcf.empty() ? append_robot(robot, flat) : append_mjcf(robot, flat); });
  }
  faults.throw_if_any();
  flat.generators.clear();
  flat.robots.clear();
  if (!scene.robots.empty()) faults.add(find_faults(flat));  // names of links are known now
  faults.throw_if_any();
  return flat;
}

std::unique_ptr<System> build(const Scene& scene, std::unique_ptr<ContactDetector> detector) {
  const Scene flat = expanded(scene);
  return Builder(flat, std::move(detector)).run();
}

std::unique_ptr<System> build(const Scene& scene) {
#ifdef LOCDYN_WITH_BULLET
  return build(scene, make_bullet_detector());
#else
  const Scene flat = expanded(scene);
  const bool shapes =
      std::any_of(flat.bodies.begin(), flat.bodies.end(), [](const SceneBody& body) { return !body.shapes.empty(); });
  if (shapes) {
    throw SceneError({scene.file.string() + ": expected a build with contact detection (LOCDYN_WITH_BULLET), found one "
                                            "without"});
  }
  return Builder(flat, nullptr).run();
#endif
}

}  // namespace locdyn
