#pragma once
// What stands, stands: speeds and ways of bodies at rest.

#include "../bodies_in_scene.hpp"

namespace locdyn::physics {

struct Wall {
  int courses = 20, bricks = 20;  ///< running bond with half bricks at the ends of every second course
  double joint = 1e-3;            ///< between neighbours in a course [m]; 0: they touch
};
void add_wall(Scene& scene, const Wall& wall);

/// Ten boxes under one of `ratio` times their weight.
void add_loaded_stack(Scene& scene, double ratio);

/// A box on a slope at `share` of the angle at which it starts to slide with μ = 0.5, at the end of which it lies flat.
void add_incline(Scene& scene, double share);

struct Creep {
  double speed = 0;        ///< largest of any body at any step after 5 s [m/s]
  double way = 0;          ///< largest displacement of any body from 5 s to the end [m]
  int failed = 0;          ///< steps that did not converge
  int failed_at_rest = 0;  ///< of those after 5 s
};
Creep creep_of(Scene& scene, double duration, const TimeStepperOptions& options);

}  // namespace locdyn::physics
