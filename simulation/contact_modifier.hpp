#pragma once
// What a program may do to each contact before a step is solved: other friction, a belt that runs, or no contact at
// all.

#include <Eigen/Core>
#include <cstdint>
#include <functional>

#include <locdyn/contact/collider.hpp>
#include <locdyn/contact/contact_point.hpp>
#include <locdyn/contact/material_table.hpp>

namespace locdyn {

/// A contact that a step is about to solve.
struct ContactToSolve {
  std::uint64_t identity;     ///< the same for as long as the contact lasts
  ColliderId master, slave;   ///< the shapes
  const ContactPoint& point;  ///< bodies, place, frame and gap at q*; its material is that of the step before
  double time;                ///< half-way through the step [s]

  PairMaterial material;  ///< that of its surfaces, to be changed
  Eigen::Vector3d
      surface_velocity;  ///< of the master's surface less the slave's beside the bodies' own, in space [m/s]
  /// Along which friction counts where `material` has another one across it, in space, of any length; that of the
  /// master's shape, else the slave's, else zero.
  Eigen::Vector3d friction_direction;
  bool off = false;  ///< true: there is no contact in this step
};

/// Called for every contact of each step in a fixed order, by the thread that steps; it changes what stands behind
/// `material`, and nothing else. What it leaves is checked: std::invalid_argument naming the contact and the field.
/// What it throws ends the step, and all is as it was before it.
using ContactModifier = std::function<void(ContactToSolve&)>;

}  // namespace locdyn
