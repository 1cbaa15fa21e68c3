#pragma once
// What a contact's law says of its friction, in numbers that every solver reads alike.

#include <Eigen/Core>

namespace locdyn {

/// Discs of radius R_n: one of forces with half axes μ_1, μ_2, and, where the law has a second block, one of rolling
/// and one of torsional moments.
struct Friction {
  Eigen::Vector2d sliding = Eigen::Vector2d::Zero();  ///< μ along t1 and t2, equal where the disc is round
  double rolling = 0;                                 ///< μ_r [m]
  double torsional = 0;                               ///< μ_τ [m]
  double length = 1;                                  ///< ℓ [m] by which the second block's moments are divided
};

}  // namespace locdyn
