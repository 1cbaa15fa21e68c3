#pragma once
// A line carried by a body: what joints turn about and slide along.

#include <locdyn/ldy/assembly/quantities/body_quantities.hpp>

namespace locdyn {

/// A point [m] and a direction of any length > 0, in space where they lie when the constraint is inserted, and the body
/// that carries them from then on; without a body they stay.
struct Axis {
  Eigen::Vector3d point = Eigen::Vector3d::Zero();       ///< [m]
  Eigen::Vector3d direction = Eigen::Vector3d::UnitZ();  ///< of any length > 0
  std::optional<BodyId> body = std::nullopt;             ///< that carries it; none: it stays
};

/// An axis with two directions across it, right-handed (first, second, along), as material of its body.
struct HeldAxis {
  MaterialPoint point;                     ///< that it goes through
  MaterialDirection along, first, second;  ///< of unit length
};

/// Throws std::invalid_argument naming `what` where the point is not finite or the direction not finite or zero.
[[nodiscard]] HeldAxis hold(const BodySet& bodies, const Axis& axis, const char* what);
/// With its first direction as near to that of `other` as can be: the angle between the two is zero.
[[nodiscard]] HeldAxis hold(const BodySet& bodies, const Axis& axis, const HeldAxis& other, const char* what);

}  // namespace locdyn
