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
  double slip = 0;                                     ///< ‖(U + σ + C R)_t‖ ≥ 0, by which its law held [m/s]
  /// Of the spring along the surface, where its material has one, in the frame carried on: its stretch along t1 and t2
  /// half-way through the step to come [m], and how fast it stretched at the end of the step [m/s], 0 where it slid.
  Eigen::Vector2d stretch = Eigen::Vector2d::Zero(), stretching = Eigen::Vector2d::Zero();

  /// Nothing is known of its motion, but of its spring all.
  void forget_motion() noexcept {
    pressed = false;
    velocity.setZero();
    slip = 0;
  }
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
