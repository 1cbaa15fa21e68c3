#include <cstdio>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/detection/bullet_detector.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>
#include <locdyn/simulation/time_stepper.hpp>

#include "engine.hpp"

namespace locdyn::peers {
namespace {

class LocdynEngine final : public Engine {
 public:
  LocdynEngine(const Scene& scene, const LocdynSettings& settings) : system_(make_bullet_detector()) {
    char name[80];
    std::snprintf(name, sizeof name, "locdyn, %s, tolerance %.0e", settings.solver.c_str(), settings.tolerance);
    name_ = name;
    PairMaterial material{.static_friction = scene.friction, .kinetic_friction = scene.friction, .restitution = 0};
    if (settings.stiffness) {
      material.stiffness = *settings.stiffness;
      material.damping = 1e-3 * *settings.stiffness;
      name_ += ", compliant";
    }
    const SurfaceId surface = system_.materials.add_surface("scene", material);
    for (const SceneBody& body : scene.bodies) {
      Collider collider{.shape = body.shape, .surface = surface};
      if (body.fixed) {  // an obstacle's body coordinates are those of space
        collider.body = system_.emplace<Obstacle>();
        collider.position = body.position;
        collider.orientation = body.orientation;
      } else {
        collider.body = system_.emplace<RigidBody>(body.mass, body.position, body.orientation);
        if (body.slides) {
          const Eigen::Vector3d& x = body.position;
          system_.add_constraint(
              std::make_unique<Prismatic>(Axis{x, *body.slides}, Axis{x, *body.slides, collider.body}));
        }
      }
      system_.add_collider(collider);
    }
    for (const AppliedForce& applied : scene.forces) add(applied);
    stepper_ = std::make_unique<TimeStepper>(
        system_,
        TimeStepperOptions{
            .step = scene.h, .solver = settings.solver, .stop = {.tolerance = settings.tolerance}, .sleep = false});
  }

  const std::string& name() const override { return name_; }
  bool contacts_at_half_step() const override { return true; }
  void step() override { report_ = stepper_->step(); }

  BodyState state(int i) const override {
    const auto* body = dynamic_cast<const RigidBody*>(&system_.bodies()[static_cast<BodyId>(i)]);
    if (!body)
      return {Eigen::Vector3d::Zero(), Orientation::Identity(), Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
    const Eigen::VectorXd& u = body->velocity();
    return {body->position(), body->orientation(), u.tail<3>(), body->rotation() * u.head<3>()};
  }

  std::vector<EngineContact> contacts() const override {
    std::vector<EngineContact> result;
    for (const ActiveContact& contact : stepper_->contacts()) {
      const ContactPoint& point = contact.point;
      result.push_back({.master = static_cast<int>(point.master),
                        .slave = static_cast<int>(point.slave),
                        .point = point.point,
                        .normal = point.frame.col(2),
                        .gap = point.gap,
                        .force = point.frame * contact.reaction,
                        .shift = point.frame * contact.shift});
    }
    return result;
  }

  std::string remark() const override {
    char line[400];
    const StepReport::Stages& s = report_.seconds;
    std::snprintf(
        line, sizeof line,
        "%ld iterations, %zu islands; ms: detection %.3f, assembly %.3f, solve %.3f, correction %.3f, other %.3f %s",
        report_.iterations, report_.islands, 1e3 * s.detection, 1e3 * s.assembly, 1e3 * s.solve, 1e3 * s.correction,
        1e3 * s.other, report_.warning.c_str());
    return line;
  }

 private:
  void add(const AppliedForce& applied) {
    system_.add_load([applied](double t, double h, BodySet& bodies) {
      Body& body = bodies[static_cast<BodyId>(applied.body)];
      body.add_force(applied.force(t, h), dynamic_cast<const RigidBody&>(body).to_space(applied.point));
      body.add_torque(applied.torque(t, h));
    });
  }

  std::string name_;
  System system_;
  std::unique_ptr<TimeStepper> stepper_;
  StepReport report_;
};

}  // namespace

EnginePtr make_locdyn(const Scene& scene, const LocdynSettings& settings) {
  return std::make_unique<LocdynEngine>(scene, settings);
}

}  // namespace locdyn::peers
