#include <locdyn/io/scene/add_joint.hpp>

#include <Eigen/Geometry>
#include <cmath>
#include <stdexcept>

#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/io/scene/time_dependence.hpp>
#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>
#include <locdyn/ldy/assembly/constraints/driven/rolling_wheel.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_direction.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_point.hpp>
#include <locdyn/ldy/assembly/constraints/planar/planar_joints.hpp>
#include <locdyn/ldy/assembly/constraints/prescribed_velocity.hpp>
#include <locdyn/ldy/assembly/constraints/rigid_link.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/point_joints.hpp>
#include <locdyn/ldy/assembly/constraints/spring_damper.hpp>

namespace locdyn::scene_format {
namespace {

struct Adder {
  System& system;
  const std::string& name;
  BodyId slave;
  std::optional<BodyId> master;
  bool planar;  // a body of the two moves in the plane

  [[nodiscard]] Anchor on_slave(const Eigen::Vector3d& x) const { return {x, slave}; }
  [[nodiscard]] Anchor on_master(const Eigen::Vector3d& x) const { return {x, master}; }

  template <class Kind, class... Args>
  ConstraintId add(const std::string& part, Args&&... args) {
    return system.add_constraint(std::make_unique<Kind>(std::forward<Args>(args)...),
                                 name.empty() ? name : name + part);
  }

  [[nodiscard]] Axis master_axis(const Eigen::Vector3d& x, const Eigen::Vector3d& a) const { return {x, a, master}; }
  [[nodiscard]] Axis slave_axis(const Eigen::Vector3d& x, const Eigen::Vector3d& a) const { return {x, a, slave}; }

  static void require_z(const Eigen::Vector3d& a, const char* what) {
    if (std::hypot(a.x(), a.y()) <= 1e-9 * std::abs(a.z())) return;
    throw std::invalid_argument(std::string(what) + ": expected z for planar bodies, found another");
  }

  void add_drive(const Coordinate& coordinate, const SceneDrive& drive) {
    if (drive.limits) {
      add<Limit>(".lower", coordinate, Side::lower, (*drive.limits)[0]);
      add<Limit>(".upper", coordinate, Side::upper, (*drive.limits)[1]);
    }
    if (!drive.position.values.empty()) add<Prescribed>(".motor", coordinate, make_function(drive.position));
    if (!drive.speed.values.empty()) {
      const TimeFunction speed = make_function(drive.speed);
      add<VelocityMotor>(".motor", coordinate, speed.value, speed.first);
    }
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
  void operator()(const SceneRigidLink& j) {
    const Anchor from = on_master(j.points[1]), to = on_slave(j.points[0]);
    j.length ? add<RigidLink>("", from, to, *j.length) : add<RigidLink>("", from, to);
  }
  void operator()(const SceneSpringDamper& j) {
    const SpringProperties properties{j.stiffness, j.damping};
    const Anchor from = on_master(j.points[1]), to = on_slave(j.points[0]);
    j.rest_length ? add<SpringDamper>("", from, to, properties, *j.rest_length)
                  : add<SpringDamper>("", from, to, properties);
  }
  void operator()(const SceneHinge& j) {
    if (planar) {
      require_z(j.axis, "axis");
      add<PlanarRevolute>("", on_master(j.point), on_slave(j.point));
    } else {
      add<Hinge>("", master_axis(j.point, j.axis), slave_axis(j.point, j.axis));
    }
    add_drive(axis_angle(master_axis(j.point, j.axis), slave_axis(j.point, j.axis)), j.drive);
  }
  void operator()(const ScenePrismatic& j) {
    if (planar) {
      add<PlanarPrismatic>("", master_axis(j.point, j.axis), slave_axis(j.point, j.axis));
    } else {
      add<Prismatic>("", master_axis(j.point, j.axis), slave_axis(j.point, j.axis));
    }
    add_drive(axis_displacement(master_axis(j.point, j.axis), on_slave(j.point)), j.drive);
  }
  void operator()(const SceneCylindrical& j) {
    add<Cylindrical>("", master_axis(j.point, j.axis), slave_axis(j.point, j.axis));
  }
  void operator()(const SceneScrew& j) {
    add<Screw>("", master_axis(j.point, j.axis), slave_axis(j.point, j.axis), j.pitch);
  }
  void operator()(const SceneUniversal& j) {
    add<Universal>("", master_axis(j.point, j.axes[1]), slave_axis(j.point, j.axes[0]));
  }
  void operator()(const SceneWeld& j) {
    if (!planar) {
      add<Weld>("", on_master(j.point), on_slave(j.point));
      return;
    }
    const Eigen::Vector3d z = Eigen::Vector3d::UnitZ();
    add<PlanarRevolute>("", on_master(j.point), on_slave(j.point));
    add<Prescribed>(".turn", axis_angle(master_axis(j.point, z), slave_axis(j.point, z)), 0.0);
  }
  void operator()(const ScenePointOnLine& j) {
    if (planar) {
      add<PlanarPointOnLine>("", master_axis(j.point, j.direction), on_slave(j.point));
    } else {
      add<PointOnLine>("", master_axis(j.point, j.direction), on_slave(j.point));
    }
  }
  void operator()(const ScenePointOnPlane& j) {
    add<PointOnPlane>("", master_axis(j.point, j.normal), on_slave(j.point));
  }
  void operator()(const SceneGear& j) {
    const std::optional<BodyId> carrier =
        j.carrier.empty() ? std::nullopt : std::optional<BodyId>(system.find(j.carrier));
    const auto turn = [&](BodyId wheel, const Eigen::Vector3d& axis) {
      const Eigen::Vector3d x = system.bodies()[wheel].to_space(Eigen::Vector3d::Zero());
      return axis_angle({x, axis, carrier}, {x, axis, wheel});
    };
    add<Gear>("", turn(slave, j.axes[0]), turn(*master, j.axes[1]), j.ratio);
  }
  void operator()(const SceneRollingWheel& j) {
    // The lowest point: towards the plane, across the axle.
    const Eigen::Vector3d n = j.normal.normalized(), a = j.axle.normalized();
    const Eigen::Vector3d lowest = j.center - j.radius * (n - n.dot(a) * a).normalized();
    if (planar) require_z(j.axle, "axle");
    add<RollingWheel>("", master_axis(lowest, j.normal), slave_axis(j.center, j.axle), j.radius,
                      planar ? WheelRows::plane : WheelRows::space);
  }
};

bool is_planar(const System& system, BodyId body) {
  return dynamic_cast<const PlanarBody*>(&system.bodies()[body]) != nullptr;
}

}  // namespace

void add_joint(const SceneJoint& joint, System& system) {
  Adder adder{system, joint.name, system.find(joint.bodies.at(0)), std::nullopt, false};
  if (joint.bodies.size() > 1) adder.master = system.find(joint.bodies[1]);
  adder.planar = is_planar(system, adder.slave) || (adder.master && is_planar(system, *adder.master));
  std::visit(adder, joint.type);
  if (!joint.collide && adder.master) system.exclude_pair(adder.slave, *adder.master);
}

}  // namespace locdyn::scene_format
