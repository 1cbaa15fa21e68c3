#pragma once
// Contact detection as time stepping sees it: colliders in, points out. What comes out is a function of the colliders,
// the configuration and the reach alone, never of earlier calls: that is what makes a restart continue bit for bit.

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/body_set.hpp>
#include <locdyn/contact/collider.hpp>

namespace locdyn {

/// One point where two colliders touch or nearly touch, in space.
struct DetectedContact {
  ColliderId master{0};                               ///< the obstacle's, or else the one of lower id
  ColliderId slave{0};                                ///< the shape that the normal points to
  Eigen::Vector3d point = Eigen::Vector3d::Zero();    ///< halfway between the two surfaces [m]
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();  ///< unit, from master to slave
  double gap = 0;                                     ///< [m], < 0 where they penetrate
};

class ContactDetector {
 public:
  virtual ~ContactDetector() = default;

  /// Takes a valid collider, placed by the body it belongs to; ids count up from 0. Throws std::invalid_argument for
  /// what `validate(Collider)` refuses.
  virtual ColliderId add(const Collider& collider, const BodySet& bodies) = 0;
  /// The collider, which is there, is there no more; its id is not given again. A detector that can do without may
  /// leave it as it is here: it throws std::logic_error.
  virtual void remove(ColliderId id);
  /// No contact between the colliders of these two bodies: neighbours in a joint.
  virtual void exclude(BodyId a, BodyId b) = 0;

  /// Every point with gap ≤ reach[body of master] + reach[body of slave], sorted by (master, slave), the points of one
  /// pair in an order that the geometry alone decides. At least four well spread points where two faces meet.
  /// `moved[body]` = 0 promises that the body lies where it lay at the last call (its pairs may then be taken over
  /// unread where neither reach has changed). Both spans have one entry a body. The result holds until the next call.
  [[nodiscard]] virtual std::span<const DetectedContact> detect(const BodySet& bodies, std::span<const double> reach,
                                                                std::span<const std::uint8_t> moved) = 0;

  /// `detect` where only the bodies in `active` (ascending) may have moved or reach elsewhere: at least the points of
  /// pairs of which one is in it. A detector that looks at those alone makes what sleeps cost nothing; the first call,
  /// and one after bodies were put elsewhere behind its back, names all bodies.
  [[nodiscard]] virtual std::span<const DetectedContact> detect_among(const BodySet& bodies,
                                                                      [[maybe_unused]] std::span<const BodyId> active,
                                                                      std::span<const double> reach,
                                                                      std::span<const std::uint8_t> moved) {
    return detect(bodies, reach, moved);
  }

  /// From now on a detection may use so many threads, ≥ 1; what it finds does not depend on it.
  virtual void set_threads([[maybe_unused]] int threads) {}
};

inline void ContactDetector::remove(ColliderId id) {
  throw std::logic_error("collider " + std::to_string(id) +
                         ": expected a detector that can remove it, found one that cannot");
}

}  // namespace locdyn
