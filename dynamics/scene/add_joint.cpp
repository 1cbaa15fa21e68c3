#include <locdyn/dynamics/scene/add_joint.hpp>

#include <Eigen/Geometry>

#include <locdyn/ldy/assembly/constraints/fixed_direction.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_point.hpp>
#include <locdyn/ldy/assembly/constraints/prescribed_velocity.hpp>
#include <locdyn/ldy/assembly/constraints/rigid_link.hpp>
#include <locdyn/ldy/assembly/constraints/spring_damper.hpp>

namespace locdyn::scene_format {
namespace {

struct Adder {
  System& system;
  const std::string& name;
  BodyId slave;
  std::optional<BodyId> master;
  double size;

  [[nodiscard]] Anchor on_slave(const Eigen::Vector3d& x) const { return {x, slave}; }
  [[nodiscard]] Anchor on_master(const Eigen::Vector3d& x) const { return {x, master}; }

  template <class Kind, class... Args>
  ConstraintId add(const std::string& part, Args&&... args) {
    return system.add_constraint(std::make_unique<Kind>(std::forward<Args>(args)...),
                                 name.empty() ? name : name + part);
  }

  // Holds the slave's point x along `direction`, a direction of the master.
  void link(const std::string& part, const Eigen::Vector3d& x, const Eigen::Vector3d& direction) {
    add<RigidLink>(part, on_master(x - size * direction), on_slave(x));
  }

  void operator()(const SceneFixedPoint& j) { add<FixedPoint>("", on_master(j.point), on_slave(j.point)); }
  void operator()(const SceneFixedDirection& j) {
    add<FixedDirection>("", on_master(j.point), on_slave(j.point), j.direction);
  }
  void operator()(const ScenePrescribedVelocity& j) {
    const ConstraintId id =
        add<PrescribedVelocity>("", on_master(j.point), on_slave(j.point), j.direction, j.velocity.at(0));
    if (j.velocity.constant()) return;
    auto& constraint = dynamic_cast<PrescribedVelocity&>(system.assembly().constraint(id));
    system.add_load([&constraint, velocity = j.velocity](double t, double h, BodySet&) {
      constraint.set_velocity(velocity.at(t + h));  // it holds at the end of the step
    });
  }
  void operator()(const SceneRigidLink& j) { add<RigidLink>("", on_master(j.points[1]), on_slave(j.points[0])); }
  void operator()(const SceneSpringDamper& j) {
    const SpringProperties properties{j.stiffness, j.damping};
    const Anchor from = on_master(j.points[1]), to = on_slave(j.points[0]);
    j.rest_length ? add<SpringDamper>("", from, to, properties, *j.rest_length)
                  : add<SpringDamper>("", from, to, properties);
  }
  void operator()(const SceneHinge& j) {
    const Eigen::Vector3d axis = j.axis.normalized();
    const Eigen::Vector3d across = axis.unitOrthogonal();
    const Eigen::Vector3d far = j.point + size * axis;
    add<FixedPoint>("", on_master(j.point), on_slave(j.point));
    link(".1", far, across);
    link(".2", far, axis.cross(across));
  }
  void operator()(const SceneWeld& j) {
    using V = Eigen::Vector3d;
    add<FixedPoint>("", on_master(j.point), on_slave(j.point));
    link(".1", j.point + size * V::UnitX(), V::UnitY());  // about z
    link(".2", j.point + size * V::UnitX(), V::UnitZ());  // about y
    link(".3", j.point + size * V::UnitY(), V::UnitZ());  // about x
  }
};

}  // namespace

void add_joint(const SceneJoint& joint, System& system, double size) {
  Adder adder{system, joint.name, system.find(joint.bodies.at(0)), std::nullopt, size};
  if (joint.bodies.size() > 1) adder.master = system.find(joint.bodies[1]);
  std::visit(adder, joint.type);
  if (!joint.collide && adder.master) system.exclude_pair(adder.slave, *adder.master);
}

}  // namespace locdyn::scene_format
