#pragma once
// What one constraint adds to the sums of the judge (residual.hpp), for whoever adds them up otherwise: over the ranks
// of a cluster.

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

/// Of W: below it W is as good as zero beside any that solvers take, and 1/ρ² has no number.
inline constexpr double kLeastTrace = 1e-140;

struct ResidualTerms {
  double scaled2 = 0, absolute2 = 0;                      ///< of the numerators, squared
  double b2 = 0, R2 = 0;                                  ///< ‖b‖² and ‖R‖² of its rows in use
  double trace = 0;                                       ///< largest tr W_αα of its blocks, compliance included
  double cone = 0, penetration = 0, complementarity = 0;  ///< as in `Residual`
};

/// U and R as they lie in the graph; U of rows that are not in use becomes 0. Cost: a few block products.
[[nodiscard]] ResidualTerms residual_terms(LocalDynamics& ldy, ConstraintId id);

}  // namespace locdyn::detail
