#pragma once
// A reciprocating engine as its cylinders stand along and about the crankshaft. The shaft is z, θ its angle; across it
// a cylinder points to d = (cos β, sin β), its crank pin stands at θ + φ, and with ψ = θ + φ − β its piston lies at
//
//   x = r cos ψ + √(l² − (r sin ψ − e)²)   along d,   z along the shaft, from its middle
//
// Rotating masses (crank, the rod's share at the pin) are taken as balanced on the shaft.
//
// Source: Maass & Klier, Kräfte, Momente und deren Ausgleich in der Verbrennungskraftmaschine (1981); Taylor, The
// Internal-Combustion Engine in Theory and Practice II (1985) ch. 8.

#include <vector>

namespace locdyn {

/// One cylinder.
struct EngineCylinder {
  double throw_angle = 0;         ///< φ [rad]: where its crank pin stands at θ = 0
  double position = 0;            ///< z [m]
  double bank = 0;                ///< β [rad]
  double reciprocating_mass = 0;  ///< m [kg], > 0: piston, its pin, and the rod's share there
  double crank_radius = 0;        ///< r [m], > 0
  double rod_length = 0;          ///< l [m], > r + |e|
  double offset = 0;              ///< e [m]: how far the cylinder's axis passes the shaft, to the left of d

  /// ψ − θ [rad].
  [[nodiscard]] double lead() const noexcept { return throw_angle - bank; }
};

struct Engine {
  std::vector<EngineCylinder> cylinders;  ///< along the shaft, in any order
};

/// Throws std::invalid_argument where there is no cylinder, or naming cylinder (from 1), quantity and value where one
/// is not finite, not positive, or a rod is too short: l must pass r + |e| by a millionth of it.
void validate(const Engine& engine);

// --- by their builds: mass, r, l and e are those of `cylinder`, its place is not used
// ---------------------------------

/// Throws 0, 180, 180, 0°, `spacing` [m] apart. All three throw as `validate` does, and for a spacing not > 0.
[[nodiscard]] Engine inline4(const EngineCylinder& cylinder, double spacing);
/// A boxer of four throws, 0, 180, 180, 0°, `spacing` [m] apart, its cylinders to 0, 180, 0, 180°: those of a pair,
/// side by side, have throws of their own half a turn apart, and their pistons move as in a mirror.
[[nodiscard]] Engine boxer4(const EngineCylinder& cylinder, double spacing);
/// Throws 0, 120, 240°, `spacing` [m] apart.
[[nodiscard]] Engine inline3(const EngineCylinder& cylinder, double spacing);

}  // namespace locdyn
