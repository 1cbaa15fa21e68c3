#pragma once
// The lower triangle of a symmetric matrix with the blocks of a cone program, each of as many rows and columns as its
// rows have unknowns: laid out once, filled block by block.

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include <locdyn/solver/convex/cone_program.hpp>
#include <locdyn/solver/convex/positive_factor.hpp>

namespace locdyn::detail {

class BlockTriangle {
 public:
  /// `program` outlives it. Cost: one pass over the blocks.
  explicit BlockTriangle(const ConeProgram& program);

  /// Block number `b` of the program; K's first rows and columns are the unknowns.
  void put(std::size_t b, const Eigen::Matrix3d& K);

  [[nodiscard]] LowerTriangle& matrix() noexcept { return matrix_; }

 private:
  const ConeProgram& program_;
  LowerTriangle matrix_;
  std::vector<int> at_;  // of each block in the first of its columns
};

}  // namespace locdyn::detail
