#pragma once
// Proximal semismooth Newton: the direct solve to compare sweeps with. The outer loop replaces W by W + a D and B by
// B − a D R̄, D = diag(tr W_αα / d), centred on the best R so far, so that a rank-deficient W has unique reactions; the
// weight a falls by up to 10 on success until a centre is first missed, and by 2 after three easy ones from then on; it
// grows by 4 where one is missed. On long walks it falls after each easy one, and few rows that keep all others from
// their centre have a larger weight of their own (held_rows.hpp). Anchored, the weight falls about one centre as long
// as it can (anchored_weight.hpp). The inner loop is Newton on a friction map with a sparse LU, few rows that bend
// within a step solved as they are (bent_rows.hpp), and a non-monotone line search.
//
// Source: Alart & Curnier (1991); Rockafellar, SIAM J. Control Optim. 14 (1976) 877–898 (proximal point); Acary,
// Brémond & Huber (2018) §4.2, §4.4; Grippo, Lampariello & Lucidi, SIAM J. Numer. Anal. 23 (1986) (line search).

#include <limits>

#include <locdyn/solver/solve_options.hpp>

namespace locdyn {

/// The map whose zeros are the solutions of a contact (friction_map.hpp).
enum class FrictionMap { alart_curnier, jean_moreau };

/// Of one solve.
struct NewtonOptions {
  StopOptions stop{.max_iterations = 20'000};    ///< iterations are Newton steps, one factorisation each
  FrictionMap map = FrictionMap::alart_curnier;  ///< whose zeros are sought
  double augmentation = 10;                      ///< ρ over 1/W_nn and 2/tr W_tt, > 0
  long first_sweeps = 200;                       ///< Gauss–Seidel sweeps before the first factorisation, ≥ 0
  double first_proximal = 1e-2;  ///< a at the start, > 0; where W's factors are known, twice the residual there if less
  double least_proximal = 1e-10;  ///< a never falls below, > 0
  long patience = 1000;           ///< steps in which the best residual must halve, else it has stalled, ≥ 1
  double far = std::numeric_limits<double>::infinity();  ///< where the best residual is beyond this, > 0,
  long patience_where_far = 1000;                        ///< no more steps than these, ≥ 1
  bool anchored = false;  ///< the centre stays while the weight falls (anchored_weight.hpp), from a large one on
  long long_walk = 100;  ///< steps from which on a turn is a long walk, ≥ 0: few rows may then be held, as said above
};

/// Solves to the tolerance. R on entry is the warm start; the best iterate judged is left in the graph. Throws
/// std::invalid_argument as `check_options` and `check_problem` do. Cost: a sparse LU of three rows for each contact
/// that is pressed in every step.
[[nodiscard]] SolveReport solve_newton(LocalDynamics& ldy, const NewtonOptions& options);

namespace detail {
class NewtonSystem;
class WholeGraph;
/// The same by the linear system that `make_newton_system` gives, for several turns on one graph.
[[nodiscard]] SolveReport solve_newton(LocalDynamics& ldy, NewtonSystem& system, const NewtonOptions& options);
/// The same where the graph has a part of the rows: all parts call it together, with the same options, which no clock
/// and no work may limit.
[[nodiscard]] SolveReport solve_newton(LocalDynamics& ldy, WholeGraph& whole, NewtonSystem& system,
                                       const NewtonOptions& options);
}  // namespace detail

}  // namespace locdyn
