#include <locdyn/solver/convex/block_triangle.hpp>

namespace locdyn::detail {

// Column by column: the lower triangle of the diagonal block, then the blocks below it.
BlockTriangle::BlockTriangle(const ConeProgram& program) : program_(program) {
  const auto& rows = program_.rows();
  const auto& blocks = program_.blocks();
  matrix_.start.assign(1, 0);
  at_.resize(blocks.size());
  for (std::size_t first = 0; first < blocks.size();) {
    const ConeProgram::Row& column = rows[blocks[first].column];
    std::size_t end = first;
    while (end < blocks.size() && blocks[end].column == blocks[first].column) ++end;
    for (int k = 0; k < column.count; ++k) {
      for (std::size_t b = first; b < end; ++b) {
        const ConeProgram::Row& row = rows[blocks[b].row];
        if (k == 0) at_[b] = static_cast<int>(matrix_.row.size());
        for (int l = b == first ? k : 0; l < row.count; ++l) matrix_.row.push_back(row.first + l);
      }
      matrix_.start.push_back(static_cast<int>(matrix_.row.size()));
    }
    first = end;
  }
  matrix_.value.resize(matrix_.row.size());
}

void BlockTriangle::put(std::size_t b, const Eigen::Matrix3d& K) {
  const ConeProgram::Block& block = program_.blocks()[b];
  const ConeProgram::Row& row = program_.rows()[block.row];
  const ConeProgram::Row& column = program_.rows()[block.column];
  const bool diagonal = block.row == block.column;
  int at = at_[b];
  for (int k = 0; k < column.count; ++k) {
    const int from = diagonal ? k : 0;
    for (int l = from; l < row.count; ++l) matrix_.value[at + l - from] = K(l, k);
    const int unknown = column.first + k;
    // The block in the next column: one entry less of the diagonal block before it, or of itself.
    at += matrix_.start[unknown + 1] - matrix_.start[unknown] - (diagonal ? 0 : 1);
  }
}

}  // namespace locdyn::detail
