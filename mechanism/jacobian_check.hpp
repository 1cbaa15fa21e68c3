#pragma once
// Functions of a user's are believed only as far as they agree: C_q of a constraint by functions must be the derivative
// of its C. A wrong one closes slowly or not at all, and moves the bodies along what is no constraint.

#include <string>

#include <locdyn/mechanism/mechanism.hpp>

namespace locdyn::detail {

/// The first `UserConstraint` whose C_q is not the derivative of its C where the bodies are, to 1e-4 by central
/// differences: `my circle "round": H: row 0 of block 0, velocity 1 of body 0: expected 1, found 2`; else empty. One
/// that cannot be compared, its functions giving no number beside the place, counts as right. Bodies stay. Cost: twice
/// 2 N + 4 evaluations at most of a constraint with N velocities.
[[nodiscard]] std::string wrong_jacobian(Mechanism& mechanism);

/// Throws std::invalid_argument with that line.
void require_jacobians(Mechanism& mechanism);

}  // namespace locdyn::detail
