#include <locdyn/io/scene/mjcf/kinematics.hpp>

#include <Eigen/Geometry>

#include <locdyn/io/scene/placement.hpp>

namespace locdyn::scene_format::mjcf {
namespace {

Eigen::Vector3d vector_at(std::span<const double> numbers, std::size_t first) {
  return {numbers[first], numbers[first + 1], numbers[first + 2]};
}

Orientation quaternion_at(std::span<const double> numbers, std::size_t first) {
  return Orientation(numbers[first], numbers[first + 1], numbers[first + 2], numbers[first + 3]).normalized();
}

// Moves the body by one joint, as far as q has gone from the reference.
void move(const Joint& joint, std::span<const double> q, const ScenePlacement& base, BodyState& state) {
  ScenePlacement& at = state.placement;
  if (joint.kind == Joint::Kind::free) {
    at = within(base, {vector_at(q, joint.coordinate), quaternion_at(q, joint.coordinate + 3)});
    state.joints.push_back({at.position, Eigen::Vector3d::UnitZ()});
    return;
  }
  const Eigen::Vector3d anchor = at.position + at.orientation * joint.position, axis = at.orientation * joint.axis;
  state.joints.push_back({anchor, axis});
  if (joint.kind == Joint::Kind::slide) {
    at.position += (q[joint.coordinate] - joint.reference) * axis;
    return;
  }
  const Orientation turn = joint.kind == Joint::Kind::ball
                               ? quaternion_at(q, joint.coordinate)
                               : Orientation(Eigen::AngleAxisd(q[joint.coordinate] - joint.reference, joint.axis));
  at.orientation = (at.orientation * turn).normalized();
  at.position = anchor - at.orientation * joint.position;
}

// What each joint adds to the velocity of the body where it has come to lie.
void add_velocities(const Body& body, std::span<const double> v, const ScenePlacement& base, BodyState& state) {
  for (std::size_t k = 0; k < body.joints.size(); ++k) {
    const Joint& joint = body.joints[k];
    const JointPlace& place = state.joints[k];
    const Eigen::Vector3d arm = state.placement.position - place.anchor;
    Eigen::Vector3d spin = Eigen::Vector3d::Zero();
    switch (joint.kind) {
      case Joint::Kind::free:
        state.velocity = base.orientation * vector_at(v, joint.velocity);
        state.angular_velocity = state.placement.orientation * vector_at(v, joint.velocity + 3);
        return;
      case Joint::Kind::slide: state.velocity += v[joint.velocity] * place.axis; continue;
      case Joint::Kind::hinge: spin = v[joint.velocity] * place.axis; break;
      case Joint::Kind::ball: spin = state.placement.orientation * vector_at(v, joint.velocity); break;
    }
    state.angular_velocity += spin;
    state.velocity += spin.cross(arm);
  }
}

}  // namespace

std::vector<double> reference_coordinates(const Model& model) {
  std::vector<double> q(model.coordinates, 0.0);
  for (const Body& body : model.bodies) {
    for (const Joint& joint : body.joints) {
      double* at = q.data() + joint.coordinate;
      const Orientation& orientation = body.placement.orientation;
      switch (joint.kind) {
        case Joint::Kind::free:
          std::copy_n(body.placement.position.data(), 3, at);
          at[3] = orientation.w(), at[4] = orientation.x(), at[5] = orientation.y(), at[6] = orientation.z();
          break;
        case Joint::Kind::ball: at[0] = 1; break;
        default: at[0] = joint.reference;
      }
    }
  }
  return q;
}

std::vector<BodyState> bodies_at(const Model& model, std::span<const double> qpos, std::span<const double> qvel,
                                 const ScenePlacement& base) {
  std::vector<BodyState> states(model.bodies.size());
  states[0].placement = base;
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const BodyState& parent = states[body.parent];
    BodyState& state = states[i];
    state.placement = within(parent.placement, body.placement);
    for (const Joint& joint : body.joints) move(joint, qpos, base, state);
    state.angular_velocity = parent.angular_velocity;
    state.velocity =
        parent.velocity + parent.angular_velocity.cross(state.placement.position - parent.placement.position);
    add_velocities(body, qvel, base, state);
  }
  return states;
}

}  // namespace locdyn::scene_format::mjcf
