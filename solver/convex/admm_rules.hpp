#pragma once
// When ADMM judges, and how it chooses its penalty ρ: the same on one machine (admm) and on many (distributed).
//
// Source: Boyd et al., Found. Trends Mach. Learn. 3 (2011) 1–122, §3.4 (balance of ρ).

#include <algorithm>
#include <cmath>

namespace locdyn::detail::admm_rules {

inline constexpr long kStepsPerCheck = 10;
inline constexpr long kStepsPerPenalty = 40;  // at least
inline constexpr double kUnbalanced = 3;      // √ of primal over dual change beyond which ρ follows, by at most
inline constexpr double kMostChange = 10;
inline constexpr double kFallsTo = 0.9;         // of the best residual within the patience
inline constexpr double kRaise = 3.2;           // of ρ, where the residual does not fall
inline constexpr int kMostRaises = 3;           // one after the other
inline constexpr double kLargestPenalty = 1e3;  // where W + ρ I is not definite yet, W is not near semidefinite

/// Squares of norms, summed over all rows: of x − z, x, the last change of z, and u.
struct Changes {
  double apart = 0, x = 0, change = 0, u = 0;
};

/// What ρ is to be multiplied by so that R and Û change by the same share; 1 where it is near enough.
[[nodiscard]] inline double balance(const Changes& c, double penalty) noexcept {
  if (!(c.x > 0 && c.u > 0 && c.change > 0)) return 1;
  const double ratio = std::sqrt(std::sqrt((c.apart / c.x) / (penalty * penalty * c.change / c.u)));
  if (ratio <= kUnbalanced && ratio >= 1 / kUnbalanced) return 1;
  return std::clamp(ratio, 1 / kMostChange, kMostChange);
}

}  // namespace locdyn::detail::admm_rules
