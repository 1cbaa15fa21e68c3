#pragma once
// What can be said of W before solving: symmetry, rank, and how its diagonal blocks are conditioned.

#include <cstddef>
#include <optional>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::app {

struct MatrixFacts {
  std::size_t rows = 0;                              ///< rows in use
  double largest = 0;                                ///< max |W|
  double asymmetry = 0;                              ///< max |W − Wᵀ| / max |W|, 0 where W = 0
  double least_trace = 0, largest_trace = 0;         ///< of W_αα
  double median_condition = 0, worst_condition = 0;  ///< of the symmetric part of W_αα; infinite where it is singular
  double free_velocity = 0;                          ///< ‖b‖₂
  std::optional<std::size_t> rank;                   ///< of the symmetric part; nothing above kMostRankRows rows
};

inline constexpr std::size_t kMostRankRows = 3000;
inline constexpr double kRankTolerance = 1e-11;  ///< of the largest diagonal entry

/// Cost: one pass over W, and rows × rank² for the rank.
[[nodiscard]] MatrixFacts matrix_facts(LocalDynamics& ldy);

/// The rank of the symmetric part of W by Cholesky with complete pivoting, stopped where no diagonal entry of what is
/// left exceeds kRankTolerance times the largest of W: an estimate from below. Source: Higham, Accuracy and Stability
/// of Numerical Algorithms (2002), §10.3.
[[nodiscard]] std::size_t estimated_rank(const LocalDynamics& ldy);

}  // namespace locdyn::app
