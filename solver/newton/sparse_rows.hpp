#pragma once
// A square sparse matrix by rows.

#include <vector>

namespace locdyn::detail {

/// `start` (n + 1), `column` and `value` (nnz), columns ascending in each row.
struct SparseRows {
  std::vector<int> start;
  std::vector<int> column;
  std::vector<double> value;

  [[nodiscard]] int size() const noexcept { return static_cast<int>(start.size()) - 1; }
};

}  // namespace locdyn::detail
