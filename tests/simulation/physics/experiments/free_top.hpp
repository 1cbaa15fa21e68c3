#pragma once
// A free asymmetric top, about the axis that is not stable.

#include "../bodies_in_scene.hpp"

namespace locdyn::physics {

/// A turn a second, 100 steps a turn: the largest error of the angular momentum in space over `turns`, over its size.
double momentum_error(int turns);

/// Period of Ω in Euler's equations for J1 < J2 < J3 from Ω = (ω1, ω2, ω3) [s]: 4 K(k)/p with, for L² > 2 T J2,
///   p² = (J3 − J2)(L² − 2 T J1)/(J1 J2 J3),  k² = (J2 − J1)(2 T J3 − L²)/((J3 − J2)(L² − 2 T J1)),
/// and for L² < 2 T J2 the same with 1 and 3 exchanged. Source: Landau & Lifshitz, Mechanics, §37.
double euler_period(const Vector3d& J, const Vector3d& omega);

struct Flip {
  double period = 0, expected = 0;  ///< [s]
};
/// The period between flips of a box that is spun at a turn a second, a hair off its middle axis.
Flip flip_period(double h);

}  // namespace locdyn::physics
