#pragma once
// One point where two bodies touch or nearly touch: what detection, or the caller, hands to the assembly.

#include <Eigen/Core>

#include <locdyn/bodies/body_set.hpp>
#include <locdyn/contact/surface_material.hpp>

namespace locdyn {

/// What a contact did in the step before.
struct ContactPast {
  bool pressed = false;                                ///< R_n > 0; false for a new one
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  ///< its U (t1, t2, n), in the frame carried on [m/s]
  double slip = 0;                                     ///< ‖(U + σ)_t‖ ≥ 0, by which its law held [m/s]
};

struct ContactPoint {
  BodyId master{0};                                     ///< owns the frame; may be an obstacle
  BodyId slave{0};                                      ///< a moving body, never the master
  Eigen::Vector3d point = Eigen::Vector3d::Zero();      ///< in space [m]
  Eigen::Matrix3d frame = Eigen::Matrix3d::Identity();  ///< columns (t1, t2, n), n from master to slave
  double gap = 0;                                       ///< [m], > 0 open, along n
  SurfaceMaterial material = {};                        ///< friction, restitution and what else resists
  /// Of the master's surface less the slave's, beside the bodies' own (a belt), in space [m/s].
  Eigen::Vector3d surface_velocity = Eigen::Vector3d::Zero();
  double feedback = 0;    ///< ≥ 0 [m/s]: U_n that a closed contact asks for, to take back penetration (Baumgarte)
  ContactPast past = {};  ///< where the step before is known: makes friction's energy error second order
};

/// Throws std::invalid_argument where a number is not finite, the frame is not a rotation to 1e-9, the material or
/// the feedback is not valid, an id is not in `bodies`, the slave is the master or an obstacle (no freedoms).
void validate(const ContactPoint& contact, const BodySet& bodies);

}  // namespace locdyn
