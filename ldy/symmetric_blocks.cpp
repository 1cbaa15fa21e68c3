#include <locdyn/ldy/symmetric_blocks.hpp>

#include <algorithm>
#include <cmath>

namespace locdyn::detail {
namespace {

using Eigen::Matrix3d;

// |W_αβ − W_βαᵀ| over the scales of both rows.
constexpr double kSkew = 1e-9;

}  // namespace

std::optional<SymmetricBlocks> SymmetricBlocks::of(const LocalDynamics& ldy) {
  SymmetricBlocks blocks(ldy);
  if (!blocks.symmetric()) return std::nullopt;
  return blocks;
}

SymmetricBlocks::SymmetricBlocks(const LocalDynamics& ldy)
    : blocks_(ldy.diagonal_arena().size()), scale_(ldy.diagonal_arena().size(), 0) {
  const auto* arena = ldy.diagonal_arena().data();
  for (const DiagonalBlock& row : ldy.rows()) {
    const auto place = static_cast<std::uint32_t>(&row - arena);
    scale_[place] = std::sqrt(std::max(0.0, row.W.diagonal().maxCoeff()));
    auto& own = blocks_[place];
    own.emplace_back(place, &row.W);
    for (const OffDiagonalBlock& block : ldy.adjacent(row)) own.emplace_back(block.other, &block.W);
    std::sort(own.begin(), own.end());
  }
}

bool SymmetricBlocks::symmetric() const {
  for (std::uint32_t a = 0; a < blocks_.size(); ++a) {
    for (const auto& [b, W] : blocks_[a]) {
      const Matrix3d* const back = find(b, a);
      if (back == nullptr) return false;
      if (!((*W - back->transpose()).cwiseAbs().maxCoeff() <= kSkew * scale_[a] * scale_[b])) return false;
    }
  }
  return true;
}

const Matrix3d* SymmetricBlocks::find(std::uint32_t row, std::uint32_t column) const {
  const auto& own = blocks_[row];
  const auto at = std::lower_bound(own.begin(), own.end(), column,
                                   [](const auto& one, std::uint32_t other) { return one.first < other; });
  return at == own.end() || at->first != column ? nullptr : at->second;
}

}  // namespace locdyn::detail
