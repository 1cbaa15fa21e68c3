#include <locdyn/io/scene/build_mechanism.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/contact/contact_detector.hpp>
#include <locdyn/io/scene/add_joint.hpp>
#include <locdyn/io/scene/build_scene.hpp>
#include <locdyn/io/scene/joints.hpp>

namespace locdyn {
namespace {

// Takes shapes for their pictures, and finds nothing.
class NothingTouches final : public ContactDetector {
 public:
  ColliderId add(const Collider& collider, const BodySet& bodies) override {
    validate(collider, bodies);
    return count_++;
  }
  void exclude(BodyId a, BodyId b) override { excluded_.insert(std::minmax(a, b)); }
  std::span<const DetectedContact> detect(const BodySet&, std::span<const double>,
                                          std::span<const std::uint8_t>) override {
    return {};
  }
  [[nodiscard]] const std::set<std::pair<BodyId, BodyId>>& excluded() const noexcept { return excluded_; }

 private:
  ColliderId count_{0};
  std::set<std::pair<BodyId, BodyId>> excluded_;
};

[[noreturn]] void refuse(const Scene& scene, const std::string& place, const std::string& what) {
  throw SceneError({(scene.file.empty() ? "scene" : scene.file.string()) + ": " + place + ": " + what});
}

// The coordinate of a joint, as its own motor would have it; none of a joint that has none.
std::optional<Coordinate> coordinate_of(const SceneJoint& joint, const scene_format::JointBodies& bodies) {
  return std::visit(
      [&bodies]<class J>(const J& j) -> std::optional<Coordinate> {
        if constexpr (scene_format::HasCoordinate<J>) return coordinate(j, bodies);
        return std::nullopt;
      },
      joint.type);
}

Anchor anchor_of(const SceneAnchor& anchor, const System& system) {
  if (anchor.body.empty()) return {anchor.point.value()};
  const BodyId body = system.find(anchor.body);
  return {anchor.point ? *anchor.point : system.bodies()[body].to_space(Eigen::Vector3d::Zero()), body};
}

Coordinate of_joint(const Scene& scene, const System& system) {
  const std::string& name = scene.kinematics->joint;
  for (const SceneJoint& joint : scene.joints) {
    if (joint.name != name) continue;
    const auto found = coordinate_of(joint, scene_format::bodies_of(joint, system));
    if (found) return *found;
    break;
  }
  throw std::invalid_argument("expected the name of a hinge, a prismatic joint or a screw, found \"" + name + '"');
}

}  // namespace

std::unique_ptr<System> build_mechanism(const Scene& scene) {
  if (!scene.is_mechanism()) {
    throw std::invalid_argument("mechanism: expected a scene with \"smooth\" or \"kinematics\", found neither");
  }
  Scene still = scene;
  still.motions.clear();  // of time steps
  std::unique_ptr<System> system = build(still, std::make_unique<NothingTouches>());
  for (const SceneMotion& motion : scene.motions) {
    auto& obstacle = dynamic_cast<Obstacle&>(system->bodies()[system->find(motion.body)]);
    const auto constant = [](const TimeSeries<Eigen::Vector3d>& series) -> Eigen::Vector3d {
      return series.values.empty() ? Eigen::Vector3d::Zero() : series.values.front();
    };
    obstacle.set_motion(constant(motion.velocity), constant(motion.angular_velocity),
                        obstacle.to_space(Eigen::Vector3d::Zero()));
  }
  return system;
}

std::optional<std::pair<BodyId, BodyId>> ignored_contact(const System& system) {
  std::set<std::pair<BodyId, BodyId>> apart;
  if (const auto* detector = dynamic_cast<const NothingTouches*>(system.detector())) apart = detector->excluded();
  for (const ConstraintId id : system.constraints()) {
    const std::span<const BodyId> bodies = system.assembly().constraint(id).bodies();
    for (const BodyId a : bodies) {
      for (const BodyId b : bodies) apart.insert(std::minmax(a, b));
    }
  }
  const std::vector<Collider>& colliders = system.colliders();
  for (auto b = colliders.begin(); b != colliders.end(); ++b) {
    for (auto a = colliders.begin(); a != b; ++a) {
      const BodySet& bodies = system.bodies();
      const bool moves = bodies[a->body].freedoms() > 0 || bodies[b->body].freedoms() > 0;
      if (moves && may_meet(*a, *b) && !apart.contains(std::minmax(a->body, b->body))) {
        return std::minmax(a->body, b->body);
      }
    }
  }
  return std::nullopt;
}

Coordinate driven_coordinate(const Scene& scene, const System& system) {
  if (!scene.kinematics) throw std::invalid_argument("drive: expected a scene with \"kinematics\", found none");
  const SceneKinematics& k = *scene.kinematics;
  const auto at = [&system](const SceneAnchor& anchor) { return anchor_of(anchor, system); };
  const char* place = k.angle ? "kinematics.angle" : k.distance ? "kinematics.distance" : "kinematics.joint";
  try {
    if (k.distance) return distance(at((*k.distance)[0]), at((*k.distance)[1]));
    if (!k.angle) return of_joint(scene, system);
    const auto vector = [&](const std::array<SceneAnchor, 2>& pair) { return BodyVector{at(pair[0]), at(pair[1])}; };
    return signed_angle(vector(k.angle->vectors[0]), vector(k.angle->vectors[1]),
                        carried(std::nullopt, k.angle->normal));
  } catch (const std::invalid_argument& fault) {
    refuse(scene, place, fault.what());
  }
}

}  // namespace locdyn
