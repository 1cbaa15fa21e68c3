#pragma once
// Spheres and boxes in a drum that turns slowly about a horizontal axis: the angle to which friction lets them rise.

#include "../bodies_in_scene.hpp"

namespace locdyn::physics {

struct Drum {
  double friction = 0.4;  ///< of the grains among each other; ribs keep them from slipping, the end plates are smooth
  double radius = 0.3, depth = 0.14, grain = 0.045;  ///< grain: largest diameter of a sphere [m]
  double boxes = 0;                                  ///< share of the grains that are boxes
  double spin = 1;                                   ///< [rad/s]; spin² radius/g is small
  double duration = 6;                               ///< [s]
  unsigned seed = 1;                                 ///< of the grains' sizes
};

struct Repose {
  double mean = 0, deviation = 0;  ///< of the angle of the mass centre about the axis in time, second half [degrees]
  int grains = 0, failed = 0;      ///< bodies; steps that did not converge
  double seconds = 0;              ///< in the solver, of all steps
};
/// A filling with a flat surface across a circle has its mass centre below the axis along the surface's normal: the
/// angle of the mass centre is that of the surface.
Repose angle_of_repose(const Drum& drum, const TimeStepperOptions& options);

}  // namespace locdyn::physics
