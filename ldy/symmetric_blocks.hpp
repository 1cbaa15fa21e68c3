#pragma once
// The blocks of a symmetric W by their two rows.

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

/// Rows by place in the arena. Points into the graph: valid as long as that is what it was.
class SymmetricBlocks {
 public:
  /// Nothing where W is not symmetric. Cost: a sort of each row's blocks, and two searches for each of them.
  [[nodiscard]] static std::optional<SymmetricBlocks> of(const LocalDynamics& ldy);

  /// W_αβ; nullptr where the rows are not linked.
  [[nodiscard]] const Eigen::Matrix3d* find(std::uint32_t row, std::uint32_t column) const;
  /// The root of the largest number on the diagonal of W_αα.
  [[nodiscard]] double scale(std::uint32_t row) const { return scale_[row]; }

 private:
  explicit SymmetricBlocks(const LocalDynamics& ldy);
  [[nodiscard]] bool symmetric() const;

  std::vector<std::vector<std::pair<std::uint32_t, const Eigen::Matrix3d*>>> blocks_;  // of each row, ascending
  std::vector<double> scale_;
};

}  // namespace locdyn::detail
