#pragma once
// A contact as it lasts from step to step.

#include <cstddef>
#include <cstdint>
#include <tuple>

#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn::detail {

/// In the order in which steps ask for it, by whole lines of the cache: what every step reads, what its material is,
/// what a contact that rolls or whose master is an obstacle has beside.
struct alignas(64) TrackedContact {
  ContactPoint point;  ///< at the last detection
  std::uint64_t identity = 0;
  ColliderId master = {}, slave = {};
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();    ///< as detected, bit for bit
  Eigen::Vector3d on_master = Eigen::Vector3d::Zero();  ///< the point in coordinates of either body
  Eigen::Vector3d on_slave = Eigen::Vector3d::Zero();
  Eigen::Vector3d reaction = Eigen::Vector3d::Zero();         ///< R of the last step, in `point.frame` [N]
  Eigen::Vector3d velocity_before = Eigen::Vector3d::Zero();  ///< V of the last step, in `point.frame` [m/s]
  ConstraintId constraint{kNone};                             ///< kNone where it is not in the graph
  bool slips = false;                                         ///< μ_k holds, else μ_s
  bool off = false;                                           ///< by the system's modifier
  bool hits = false;                                          ///< fast enough for restitution (`ContactTracker`)
  PairMaterial pair = {};                                     ///< of its surfaces, or what the modifier made of it
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();           ///< its moment over ℓ [N], as it lies in the graph
  double moment_length = 0;                                   ///< ℓ of that step [m], 0 where it has no moment
  Eigen::Vector3d drive = Eigen::Vector3d::Zero();            ///< velocity of a master that is an obstacle [m/s]
  Eigen::Vector3d drive_turn = Eigen::Vector3d::Zero();       ///< and its angular velocity, in space [rad/s]
};

/// Two shapes. Contacts are in the order of their pairs.
using ShapePair = std::tuple<ColliderId, ColliderId>;
/// Of a detected or a tracked contact.
template <class Contact>
[[nodiscard]] ShapePair pair_of(const Contact& contact) {
  return {contact.master, contact.slave};
}

/// Those of one pair, in a list in that order.
struct PairContacts {
  ShapePair shapes;
  std::size_t first, count;
};

}  // namespace locdyn::detail
