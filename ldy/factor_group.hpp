#pragma once
// What `recover_factor` finds of F in W = F Fᵀ, group by group of its columns.

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace locdyn::detail {

/// The columns of one body, or of directions that are eliminated together.
struct FactorGroup {
  std::vector<std::uint32_t> rows;  ///< that it acts on, by place in the arena
  Eigen::MatrixXd F;                ///< three rows for each of those, at most six columns
  double mass = 1;                  ///< W has the last three of six columns over so much
};

}  // namespace locdyn::detail
