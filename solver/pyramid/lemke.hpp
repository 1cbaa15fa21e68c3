#pragma once
// Lemke's complementary pivoting on w = q + M z + d z₀ ≥ 0 ⟂ z ≥ 0: z₀ starts large enough to make w ≥ 0, then almost
// complementary pivots, each bringing in the complement of what has just left, go on until z₀ leaves (solved) or
// nothing bounds the step (a ray).
//
// Against cycling the covering vector d is drawn at random, 1 ≤ d_i ≤ 2, from a fixed seed: a tie at z₀ > 0 needs q to
// lie in the span of a basis less one column and z₀, which for a general d happens at z₀ = 0 alone. What rounding makes
// of ties is settled by the largest pivot (Harris's two passes).
//
// Source: Lemke, Management Science 11 (1965) 681–689; Cottle, Pang & Stone (1992) §4.4; Harris, Math. Programming 5
// (1973) 1–28. That the pyramid's M is copositive, so that a ray means no solution where B lies in the range of H:
// Stewart & Trinkle (1996), Anitescu & Potra (1997).

#include <cstdint>
#include <functional>

#include <locdyn/solver/pyramid/pyramid_problem.hpp>

namespace locdyn::detail {

enum class LemkeEnd {
  solved,
  ray,       ///< nothing bounds the entering variable
  singular,  ///< a basis so ill-conditioned that rounding has lost the path
  limit      ///< `stop` said so
};

struct LemkeResult {
  LemkeEnd end = LemkeEnd::limit;
  Eigen::VectorXd z;  ///< the solution; else the last iterate
  long pivots = 0;
  double natural = 0;  ///< max |min(z, q + M z)|
  double flops = 0;    ///< of the basis: factors and updates
};

/// Solves the problem. `stop` is asked now and then with the number of pivots done, and ends the method with `limit`.
/// Cost: a pivot O(|ρ|² + rows²), |ρ| at most four times the contacts; memory O(|ρ|² + rows²).
[[nodiscard]] LemkeResult lemke(PyramidProblem& problem, std::uint64_t seed, const std::function<bool(long)>& stop);

}  // namespace locdyn::detail
