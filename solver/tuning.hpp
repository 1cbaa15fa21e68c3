#pragma once
// The numbers by which `auto` chooses: the problem that each answers, what it does, and its effect. Measured on 30
// problem files (of local3d, local2d and big, those of more than a few contacts and less than 20 s) at 1e-8, halved and
// doubled: the geometric mean of `SolveCost::work` over the files that it changes, over that with the number here, and
// the largest change of one file. What changes nothing there is a guard for graphs larger than these.

namespace locdyn {

struct Tuning {
  // When sweeps give way. They are cheap and often enough, and where they do not contract they never end: a first look
  // shows how fast they fall, each further one comes after twice as many.

  /// Sweeps before the first look, in Newton steps: too few show no contraction, too many are wasted where Newton
  /// is quick. Half: 0.96 on 26 files, one 2.7 times dearer; double: 1.08 on 18, one 4.8.
  double sweeps_first = 0.5;
  /// Its bounds. The lower: nothing. The upper halved: 1.37 on 10, a leaning tower 6.7; doubled: 0.98 on 6.
  long least_first_sweeps = 10, most_first_sweeps = 100;
  /// About how many steps a solve by Newton takes: sweeps that ask for more than it costs are given up. Half: 0.97 on
  /// one file; double: nothing. Without it piles went to Newton steps of hundreds of sweeps each.
  double newton_steps_per_solve = 25;
  /// Where patches come next, sweeps go on only as long as they ask for at most so many times what they have taken.
  /// Half: 0.99 on 2; double: 0.94 on 4.
  double promise_beside_patches = 1;
  /// The same down to the next tolerance, where momentum often carries sweeps to the end: 60 steps of thirteen moving
  /// scenes and five of a pile of 2000 that settles, cold, take 0.92 of the time at 1e-3 and 0.88 at 1e-4 that they
  /// take with 1, twelve loose piles of 6000 to 20 000 contacts 0.42 (one of 14 126 0.6 s in place of 26), 25 files
  /// 0.93 at 1e-4. Half: 0.96, 0.78 and 0.93; double: 0.95 on the first, a tower eight times as long.
  double promise_where_loose = 4;
  /// At 1e-5 and 1e-6 that takes 1.18 and 1.38 times the time.
  double loose_from = 5e-5;
  /// Sweeps without a gain of 1 % after which another method has its turn. Half: 0.81 on one file; double: nothing.
  long sweeps_without_gain = 2000;

  // W = F Fᵀ of problems that come as blocks.

  /// F's numbers over those of W, beyond which W is worked with as it is: walls, towers and pyramids have 0.1 to 0.2,
  /// piles of rocks, boxes, spheres and capsules 0.23 to 0.42. 55 problems of all kinds, files and steps of scenes,
  /// take with 0.3 1.24 times the time at 1e-8, and one more is lost in 10 s; with 0.4 1.08, with 0.8 and 1 1.02 and
  /// 0.98; at 1e-4 as long.
  double factor_holds_at_most = 0.6;
  /// Sweeps that finding F costs, 200 to 400: those that ask for more give way to it at once. The same 55 take with
  /// 100 and 1000 1.01 and 1.00 times the time at 1e-8, 1.05 and 0.92 to 1.04 at 1e-4.
  double sweeps_a_factor_costs = 300;

  // Patches, for a residual that sits in few places.

  /// A Newton step that costs more sweeps than this is dearer than a round of patches, 20 sweeps and some small solves.
  /// Half: nothing; double: 1.44 on 11, a pile of rocks 21.
  long dear_step = 40;
  /// Of the constraints, beyond which patches are as large as the whole. Half: 2.9 on 7, spheres 17; double: 0.83 on 4,
  /// a hard pyramid 1.16.
  double patches_cover_at_most = 0.1;
  /// They may take so many times what was spent until then: in large piles they grow until one costs more than all
  /// sweeps that it saves. Those scenes and piles take 0.99 of the time at 1e-4 that they take without, one of a
  /// settling pile 0.43; the scenes at 1e-6 1.00, files at 1e-8 0.98. Half: 1.00, 1.03 and 1.11; double: 1.00 and 0.98
  /// (1e-8).
  double patches_take_at_most = 2;
  long rounds_of_patches = 10;  ///< in which the residual must halve; half and double: 0.95 and 1.03 on one file

  // Newton. Its patience doubles each round, so that one that creeps is left soon and comes back with more.

  /// Steps in which the residual must halve in the first turn. Half: 0.90 on 5; double: 0.98 on 5, one 1.3.
  long first_steps = 40;
  /// The same before the path has its turn, if they cost no more than all that was spent until then. Problems of 450 to
  /// 490 contacts out of scenes/wall.json after its fall (steps 156 to 372), cold, to 1e-6: nine in 7 s in place of 33;
  /// half: one of eleven lost in 12 s. No file changes: where interior points serve, they come first.
  long steps_before_the_path = 320;

  // Methods that factorise all rows.

  /// In sweeps: they factorise hundreds of times. Half and double: nothing, no file here is near it. Beyond it Newton
  /// has no turn in the first round: 10 400 to 11 700 loose spheres are after 40 s at 2.6e-4 and 6.6e-4 in place
  /// of 9.9e-4 and 1.8e-3.
  long dearest_step = 2000;
  /// Alternating directions are quick down to here, Newton below. 1e-5: 0.69 on 5; 1e-7: 1.5 on 5, one 4.0.
  double directions_down_to = 1e-6;
  /// Interior points come at so many times the tolerance, and no more than the next: from afar they seldom do better
  /// than others. A tenth of either: 0.95 on one file; ten times: nothing.
  double near_the_end = 1e2;
  double near_the_end_below = 1e-6;    ///< and at no more than this
  double interior_again_below = 0.25;  ///< of what their last turn left, else they would repeat it. 0.1, 0.5: nothing
  /// In which interior points must halve the residual. Half: a tilted wall 11.7; double: boxes 1.3.
  long convex_problems = 6;
  /// The path has a turn when the others have spent as much as so many LU of all rows a row, a fifth of what it takes
  /// on walls and piles of 400 to 2400 contacts, and another when they have spent as much as it has. Half: 1.07 on one
  /// file; double: 1.37 on one, a hard pyramid.
  double path_after_factorisations_per_row = 0.04;
  long least_path_patience = 100;  ///< factorisations; a quarter of the rows where that is more. Half, double: nothing

  /// Of what "step" took until it gave up, for all others together: time steps cannot wait. Of thirteen moving scenes
  /// at 1e-8 one comes to it, a wall hit by a ball, and is solved for 2.4 times as much. Of the first nine steps of a
  /// pyramid of 140 balls that touch, friction 0.8, at 1e-4 none is left with 10, in 24 s, with 3 and 1 two, in 19 and
  /// 11 s (by one anchored turn; by two none is left in 5 s); without a limit one of 204 balls took 75 times as much,
  /// 350 s. With damped sweeps before that, nine steps each of 26 pyramids at 1e-4: 7 are left with 10, 15 with 2.
  double rest_takes_at_most = 10;
  /// Rounds without a gain of 1 % after which `auto` gives up; each tries another augmentation, relaxation and
  /// patience. Half, double: nothing.
  long idle_rounds = 6;
};

}  // namespace locdyn
