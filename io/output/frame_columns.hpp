#pragma once
// The numbers of one frame of a trajectory, column by column as the file has them, kept until the frame is committed.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <locdyn/base/slices.hpp>
#include <locdyn/bodies/body_set.hpp>
#include <locdyn/bodies/rotation.hpp>
#include <locdyn/io/output/body_state.hpp>
#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/simulation/time_stepper.hpp>

namespace locdyn::detail {

template <class Number>
void push(std::vector<Number>& values, const Eigen::Vector3d& v) {
  for (int k = 0; k < 3; ++k) values.push_back(static_cast<Number>(v[k]));
}

// What a body that was removed has in every frame.
inline BodyState nowhere() {
  const Eigen::Vector3d none = Eigen::Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
  return {.position = none,
          .orientation = Orientation(none[0], none[0], none[0], none[0]),
          .velocity = none,
          .angular_velocity = none};
}

// Of the bodies of some ids, by id.
struct BodyColumns {
  std::vector<double> position, orientation, velocity, angular_velocity;
  std::vector<float> centres, centre_velocities;  // of bodies that are there
  std::vector<std::int32_t> ids;

  BodyColumns(const BodySet& bodies, Slice which) {
    for (auto id = static_cast<BodyId>(which.begin); id < which.end; ++id) {
      const BodyState state = bodies.contains(id) ? state_of(bodies[id]) : nowhere();
      push(position, state.position);
      for (const double c : coefficients(state.orientation)) orientation.push_back(c);
      push(velocity, state.velocity);
      push(angular_velocity, state.angular_velocity);
      if (!bodies.contains(id)) continue;
      push(centres, state.position);
      push(centre_velocities, state.velocity);
      ids.push_back(static_cast<std::int32_t>(id));
    }
  }
};

// What it adds to the scaled residual of its island [m/s]; 0 where it sleeps.
inline double residual_of(const ActiveContact& contact, const LocalDynamics& graph) {
  return contact.constraint == kNone ? 0.0 : std::sqrt(scaled_residual2(graph, contact.constraint));
}

// μ_2 t2 of a contact whose friction differs along t1 and t2, at least 1e-12 long; zero where it does not.
inline Eigen::Vector3d cross_friction_of(const ContactPoint& contact) {
  if (!contact.material.cross_friction) return Eigen::Vector3d::Zero();
  return std::max(*contact.material.cross_friction, 1e-12) * contact.frame.col(1);
}

// Of the contacts of the step before.
struct ContactColumns {
  std::vector<float> point, normal, velocity, friction, cross_friction, residual;
  bool directed = false;  // has any friction that differs along its tangents?
  std::vector<double> force, gap;
  std::vector<std::int32_t> master, slave, slips;
  std::vector<std::int64_t> identity;

  ContactColumns(std::span<const ActiveContact> contacts, const LocalDynamics& graph) {
    for (const ActiveContact& contact : contacts) {
      push(point, contact.point.point);
      push(normal, contact.point.frame.col(2));
      push(force, contact.point.frame * contact.reaction);
      push(velocity, contact.point.frame * contact.velocity);
      friction.push_back(static_cast<float>(contact.point.material.friction));
      push(cross_friction, cross_friction_of(contact.point));
      directed = directed || contact.point.material.cross_friction;
      residual.push_back(static_cast<float>(residual_of(contact, graph)));
      gap.push_back(contact.point.gap);
      master.push_back(static_cast<std::int32_t>(contact.point.master));
      slave.push_back(static_cast<std::int32_t>(contact.point.slave));
      slips.push_back(contact.slips ? 1 : 0);
      identity.push_back(static_cast<std::int64_t>(contact.identity));
    }
  }
};

}  // namespace locdyn::detail
