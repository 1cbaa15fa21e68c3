#pragma once
// The numbers by which `auto` chooses. Each says which problem it answers and what it does there; where it was
// measured, on what.

namespace locdyn {

struct Tuning {
  // When sweeps give way. They are cheap and often enough, and where they do not contract they never end: a first slice
  // shows how fast they fall.
  double sweeps_first = 0.5;  ///< first slice, in Newton steps: too short a slice shows no contraction
  long least_first_sweeps = 10, most_first_sweeps = 100;  ///< bounds of it; each further slice is twice the last
  /// About how many steps a solve by Newton takes: sweeps that ask for more than it costs are given up. Ten sweeps that
  /// were never promising sent moving piles to Newton steps of hundreds of sweeps each.
  double newton_steps_per_solve = 25;
  /// Where patches come next, sweeps go on only as long as they ask for at most so many times what they have taken.
  double promise_beside_patches = 1;
  long sweeps_without_gain = 2000;  ///< of 1 %, after which another method has its turn

  // Patches, for a residual that sits in few places.
  /// A Newton step that costs more sweeps than this is dearer than a round of patches, 20 sweeps and some small solves:
  /// some 20 in a wall, hundreds in a pile of a thousand bodies.
  long dear_step = 40;
  double patches_cover_at_most = 0.1;  ///< of the constraints: patches as large as the whole gain nothing
  long rounds_of_patches = 10;         ///< in which the residual must halve

  // Newton. Its patience doubles each round, so that one that creeps is left soon and comes back with more.
  /// Steps in which the residual must halve in the brief turn before alternating directions: where Newton is quick they
  /// are not.
  long brief_steps = 5;
  long first_steps = 40;  ///< the same in the first full turn

  // Methods that factorise all rows.
  long dearest_step = 2000;            ///< in sweeps: they factorise hundreds of times
  double directions_down_to = 1e-6;    ///< below this residual alternating directions are slow, and Newton is not
  double near_the_end = 1e2;           ///< over the tolerance: interior points seldom do better than others from afar
  double near_the_end_below = 1e-6;    ///< and no larger than this
  double interior_again_below = 0.25;  ///< of what their last turn left: else they would only repeat it
  long convex_problems = 6;            ///< in which interior points must halve the residual
  /// What the path takes, over the rows times an LU of all: measured on walls and piles of 400 to 2400 contacts.
  double path_factorisations_per_row = 0.2;
  /// It has a turn when the others have spent so much of that, and another when they have spent as much as it has.
  double path_after_share = 0.2;
  long least_path_patience = 100;  ///< factorisations; a quarter of the rows where that is more

  // When `auto` gives up.
  long idle_rounds = 6;  ///< without a gain of 1 %: each tries another augmentation, relaxation and patience
};

}  // namespace locdyn
