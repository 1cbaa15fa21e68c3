#pragma once
// Interior points: the De Saxcé shifts s = μ ‖U_t‖ are held, the convex problem that is left over the friction cones is
// solved by a primal-dual interior point method (`cone_program`, `interior_point`), s is taken anew, and so on, with a
// proximal term a I about the last R. What stops other methods near the end, R walking along the null space of W past
// hundreds of contacts that change between stick, slip and open, interior points do not see; where s is not contracted,
// they stall. Its own accuracy ends about 1e-9; what is left then is Newton's.
//
// Source: Acary, Cadoux, Lemaréchal & Malick, ZAMM 91 (2011) 155–175 (the outer loop); Rockafellar, SIAM J. Control
// Optim. 14 (1976) 877–898 (proximal point); the inner loop as in `interior_point.hpp`.

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/solve_options.hpp>

namespace locdyn::detail {

struct InteriorOptions {
  StopOptions stop;        ///< iterations are factorisations, one a step of the inner loop
  double proximal = 1e-4;  ///< a at the start, over blocks of W with a unit mean diagonal, > 0; the residual there
                           ///< if it is less
  double least_proximal = 1e-10;  ///< a never falls below, > 0
  double most_proximal = 1e-4;    ///< a grows no further, > 0, unless W is indefinite
  long patience = 20;  ///< solves of the convex problem in which the best residual must halve, else stalled, ≥ 1
};

/// Solves to the tolerance graphs that `suits_convex`. R on entry is the warm start; the best iterate judged is left in
/// the graph. Throws std::invalid_argument as `check_options` and `check_problem` do, and where a law is of another
/// kind. Cost: some 20 sparse Cholesky factorisations of all rows for each convex problem.
[[nodiscard]] SolveReport solve_interior(LocalDynamics& ldy, const InteriorOptions& options);

}  // namespace locdyn::detail
