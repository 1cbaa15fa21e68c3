#pragma once
// The time stepping schemes. Both move q with u for a part of the step, evaluate forces and constraints there, and move
// q with u⁺ for the rest; they differ in the parts alone.

namespace locdyn {

/// Where in a step geometry and forces are taken.
enum class Scheme {
  half_step,           ///< q* = q ⊕ h/2 u, then q⁺ = q* ⊕ h/2 u⁺: second order in smooth motion
  semi_implicit_euler  ///< q* = q, then q⁺ = q ⊕ h u⁺: first order
};

/// The part of h for which q follows u before forces and constraints are evaluated.
[[nodiscard]] constexpr double part_before(Scheme scheme) noexcept {
  return scheme == Scheme::half_step ? 0.5 : 0.0;
}
/// The part of h for which q follows u⁺ after the impulses.
[[nodiscard]] constexpr double part_after(Scheme scheme) noexcept {
  return 1.0 - part_before(scheme);
}

}  // namespace locdyn
