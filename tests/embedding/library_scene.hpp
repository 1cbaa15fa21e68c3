#pragma once
// A ContactProblem with the bodies, contacts and laws of an assembly of the library's own bodies.

#include <vector>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/embedding/contact_problem.hpp>
#include <locdyn/ldy/assembly/assembly.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>

namespace locdyn::test {

/// One contact for each constraint of the assembly, in the order of their ids; bodies have the numbers of their ids.
struct Embedded {
  ContactProblem problem;
  std::vector<ContactId> contacts;
};

inline Eigen::MatrixXd inverse_inertia_of(const Body& body) {
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(body.freedoms(), body.freedoms());
  body.apply_inverse_inertia(inverse);
  return (inverse + inverse.transpose()) / 2;
}

/// A⁻¹ and the free velocity of each body; an obstacle becomes a fixed body of 6 velocities.
inline void add_bodies(ContactProblem& problem, const BodySet& bodies) {
  for (const BodyId id : bodies.ids()) {
    const Body& body = bodies[id];
    if (body.freedoms() == 0) {
      problem.add_fixed_body();
      continue;
    }
    problem.add_body(inverse_inertia_of(body));
    problem.set_velocity(id, body.free_velocity());
    if (const auto* rigid = dynamic_cast<const RigidBody*>(&body)) {
      problem.set_pose(id, {.center = rigid->position(), .rotation = rigid->rotation()});
    }
  }
}

/// By H of each body, whatever the law. What moving obstacles give a row is the velocity of a fixed body of its own.
inline Embedded embedded_by_jacobians(const Assembly& assembly) {
  Embedded made;
  add_bodies(made.problem, assembly.bodies());
  const LocalDynamics& ldy = assembly.graph();
  Kinematics kinematics = assembly.kinematics();
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    const int blocks = block_count(ldy.law(id));
    const auto first = static_cast<Index>(&ldy.row(id) - ldy.diagonal_arena().data());
    const auto couplings = kinematics.couplings(first);
    std::vector<Eigen::MatrixXd> H(couplings.size() + 1);
    for (std::size_t c = 0; c < couplings.size(); ++c) {
      H[c].resize(3 * blocks, couplings[c].freedoms);
      for (int k = 0; k < blocks; ++k) {
        H[c].middleRows<3>(3 * k) = kinematics.H(kinematics.couplings(first + static_cast<Index>(k))[c]);
      }
    }
    Eigen::VectorXd drive(3 * blocks);
    for (int k = 0; k < blocks; ++k) drive.segment<3>(3 * k) = kinematics.drive(first + static_cast<Index>(k));
    const BodyIndex mover = made.problem.add_fixed_body(3 * blocks);
    made.problem.set_velocity(mover, drive);
    H.back().setIdentity(3 * blocks, 3 * blocks);

    std::vector<BodyJacobian> parts;
    for (std::size_t c = 0; c < couplings.size(); ++c) parts.push_back({kinematics.body(couplings[c]), H[c]});
    parts.push_back({mover, H.back()});
    made.contacts.push_back(made.problem.add_contact(parts, ldy.law(id)));
  }
  return made;
}

inline PointContact point_contact_of(const Assembly& assembly, ConstraintId id) {
  const ContactPoint& point = static_cast<const Contact&>(assembly.constraint(id)).point();
  return {.master = point.master,
          .slave = point.slave,
          .point = point.point,
          .frame = point.frame,
          .friction = point.material.friction,
          .shift = std::get<ContactLaw>(assembly.graph().law(id)).shift};
}

/// By points: of an assembly that holds contacts of rigid bodies and obstacles alone.
inline Embedded embedded_by_points(const Assembly& assembly) {
  Embedded made;
  add_bodies(made.problem, assembly.bodies());
  for (ConstraintId id{0}; id < assembly.graph().id_bound(); ++id) {
    made.contacts.push_back(made.problem.add_contact(point_contact_of(assembly, id)));
  }
  return made;
}

}  // namespace locdyn::test
