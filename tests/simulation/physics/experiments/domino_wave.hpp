#pragma once
// A row of dominoes that topple each other: the speed of the wave, simulated and in theory.

#include "../bodies_in_scene.hpp"

namespace locdyn::physics {

struct DominoRow {
  double height = 0.048, thickness = 0.0075, width = 0.024;  // [m]
  double spacing = 0.02;                                     // from face to face [m]
  int count = 40;
};

/// Dominoes without friction among each other that do not slide on the floor. The first starts at `spin` [rad/s] about
/// its lower edge; gives the bodies from first to last.
std::vector<BodyId> add_dominoes(Scene& scene, const DominoRow& row, double spin);

struct DominoWave {
  double speed = 0;  ///< [m/s], over the second half of the row; 0 where it stopped
  int failed = 0;    ///< steps that did not converge
};
DominoWave simulate_domino_wave(const DominoRow& row, const TimeStepperOptions& options);

/// Speed [m/s] that the wave tends to where all dominoes behind the front keep leaning on each other. One freedom, the
/// front's angle θ_0; each follower's angle by the line on which it leans,
///
///   L sin(θ_{i+1} − θ_i) = (s + d) cos θ_i − d;
///
/// energy is kept from collision to collision, and the front's collision with the next domino at sin θ = s/L is
/// plastic: ω⁺ = M/(M + J) ω⁻, M the inertia of the train as the front feels it, J that of a domino about its edge.
/// Source: Stronge & Shu, Proc. R. Soc. A 418 (1988) 155–163 (cooperative neighbours); van Leeuwen, Am. J. Phys. 78
/// (2010) 721–727 (the same derived for no friction).
double leaning_wave_speed(const DominoRow& row);

/// Speed [m/s] where every domino falls alone and the collision takes it out: half its spin goes over, and its fall
/// gives back what was lost, ω⁻² (1 − 1/4) = 2 ΔV/J. Zero where the domino does not fall on its own.
/// Source: Stronge, Proc. R. Soc. A 409 (1987) 199–208, for e = 0.
double single_wave_speed(const DominoRow& row);

}  // namespace locdyn::physics
