#pragma once
// Dry friction of a joint's own coordinate: what it bears before it moves, and against which it moves,
//
//   an angle (hinge, screw, ball)   |M| ≤ M₀ + μ r N     M about the axis; of a ball ‖M‖ in all directions
//   a length (slider)               |F| ≤ F₀ + μ N
//   N = ‖F_j, M_j/a‖                what the joint's own reaction presses its surfaces together with
//
// r is the effective radius of the bearing, where its surface slides: the journal's, the ball's, the mean one of a
// thread. F_j is the reaction in the rows that hold the joint: of a hinge and a ball all of the force (radial load and
// thrust slide at one r), of a slider the force across its axis, of a screw that across its axis and the force normal
// to its thread. M_j are the moments of those rows, which a bearing bears by a pair of forces M_j/a at an arm a;
// without an arm they load nothing. Friction and reaction are one law (ldy/laws/bounded_law.hpp), solved together: N is
// that of the same step.
//
// Source: Shigley & Mischke, Mechanical Engineering Design (journal bearings, power screws); Armstrong-Hélouvry, Dupont
// & Canudas de Wit, Automatica 30 (1994) 1083–1138 §2.

#include <limits>

namespace locdyn {

/// Of one joint. Its reactions are means over a step.
struct JointFriction {
  double limit = 0;        ///< M₀ [N m] of an angle, F₀ [N] of a length: ≥ 0, whatever the joint carries
  double coefficient = 0;  ///< μ ≥ 0, dimensionless; M₀ or μ is more than 0
  double radius = 0;       ///< r [m]: > 0 where an angle has μ > 0; 0 of a length
  double arm = 0;          ///< a ≥ 0 [m]; 0: moments load nothing
};

/// What the friction acts on.
enum class FrictionOf { angle, length };

/// Throws std::invalid_argument naming the number out of range.
void validate(const JointFriction& friction, FrictionOf coordinate);

/// The force [N] or moment [N m] that a motor or servo can give, lower ≤ 0 ≤ upper; without limits it gives what it
/// takes.
struct ForceRange {
  double lower = -std::numeric_limits<double>::infinity();  ///< against the coordinate
  double upper = std::numeric_limits<double>::infinity();   ///< along it

  /// Is one of them finite?
  [[nodiscard]] bool limited() const noexcept {
    return lower > -std::numeric_limits<double>::infinity() || upper < std::numeric_limits<double>::infinity();
  }
};
/// Throws std::invalid_argument naming the number out of range.
void validate(const ForceRange& range);

}  // namespace locdyn
