#pragma once
// What the residual of four hard contacts in space is made of (residual.hpp), one lane of a vector register each.

#include <array>

#include <locdyn/ldy/laws/contact_law.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

/// Sums and maxima over the four, but ‖R − P_K(R − ρ Û)‖² / ρ² of each by itself.
struct FourContactTerms {
  std::array<double, 4> scaled2;
  double absolute2, b2, R2;
  double trace, cone, penetration, complementarity;
};

/// Of contacts whose laws are not planar, by the U in their rows: what `residual_terms` says of each, to rounding.
[[nodiscard]] FourContactTerms terms_of_four(const std::array<const DiagonalBlock*, 4>& rows,
                                             const std::array<const ContactLaw*, 4>& laws);

}  // namespace locdyn::detail
