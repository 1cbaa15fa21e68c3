#include <locdyn/io/scene/add_force.hpp>

#include <memory>
#include <optional>
#include <utility>

#include <locdyn/forces/penalty/wheel_on_terrain.hpp>
#include <locdyn/forces/point_spring_damper.hpp>
#include <locdyn/forces/rotating_frame.hpp>
#include <locdyn/forces/torsion_spring.hpp>
#include <locdyn/forces/weight.hpp>
#include <locdyn/io/scene/smooth_curve.hpp>

namespace locdyn::scene_format {
namespace {

struct Maker {
  const System& system;
  std::vector<BodyId> bodies;

  [[nodiscard]] BodyId first() const { return bodies.at(0); }
  [[nodiscard]] std::optional<BodyId> second() const {
    return bodies.size() > 1 ? std::optional<BodyId>(bodies[1]) : std::nullopt;
  }

  std::unique_ptr<Force> operator()(const SceneSpringForce& f) const {
    return std::make_unique<PointSpringDamper>(Anchor{f.points[1], second()}, Anchor{f.points[0], first()},
                                               SpringProperties{f.stiffness, f.damping}, f.rest_length);
  }
  std::unique_ptr<Force> operator()(const SceneTorsionSpring& f) const {
    const Eigen::Vector3d at = system.bodies()[first()].to_space(Eigen::Vector3d::Zero());
    return std::make_unique<TorsionSpring>(Axis{at, f.axis, second()}, Axis{at, f.axis, first()},
                                           TorsionProperties{f.stiffness, f.damping, f.rest_angle});
  }
  std::unique_ptr<Force> operator()(const SceneWeight& f) const {
    return std::make_unique<Weight>(Anchor{f.point, first()}, f.mass, system.gravity);
  }
  std::unique_ptr<Force> operator()(const SceneWheelContact& f) const {
    const auto curve = std::make_shared<const SmoothCurve>(f.terrain);
    Terrain terrain;
    terrain.height = [curve](double x) { return curve->at(x).value; };
    terrain.slope = [curve](double x) { return curve->at(x).slope; };
    return std::make_unique<PenaltyContact>(
        std::make_unique<WheelOnTerrain>(Anchor{f.center, first()}, f.radius, std::move(terrain), second()), f.law);
  }
  std::unique_ptr<Force> operator()(const SceneRotatingFrame& f) const {
    FrameRotation rotation;
    rotation.velocity = [series = f.angular_velocity](double t) { return series.at(t); };
    rotation.acceleration = [series = f.angular_velocity](double t) { return series.slope(t); };
    return std::make_unique<RotatingFrame>(std::move(rotation), f.origin, bodies);
  }
};

}  // namespace

void add_force(const SceneForce& force, System& system) {
  Maker maker{system, {}};
  for (const std::string& name : force.bodies) maker.bodies.push_back(system.find(name));
  system.add_force(std::visit(maker, force.type), force.name);
}

}  // namespace locdyn::scene_format
