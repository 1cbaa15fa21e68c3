#include <locdyn/ldy/delassus_operator.hpp>

#include <stdexcept>
#include <string>

namespace locdyn::detail {

void DelassusOperator::require_sizes(Eigen::Index R, Eigen::Index U) const {
  const auto expected = static_cast<Eigen::Index>(3 * row_count());
  if (R != expected || U != expected) {
    throw std::invalid_argument("Delassus operator: expected R and U of size " + std::to_string(expected) + ", found " +
                                std::to_string(R) + " and " + std::to_string(U));
  }
}

GraphDelassus::GraphDelassus(const LocalDynamics& ldy, int threads)
    : ldy_(ldy), threads_(threads), place_(ldy.diagonal_arena().size(), kNone) {
  if (threads < 1) {
    throw std::invalid_argument("Delassus operator: expected at least 1 thread, found " + std::to_string(threads));
  }
  sequence_.reserve(ldy.row_count());
  const DiagonalBlock* arena = ldy.diagonal_arena().data();
  for (const DiagonalBlock& row : ldy.rows()) {
    const auto at = static_cast<Index>(&row - arena);
    place_[at] = static_cast<Index>(sequence_.size());
    sequence_.push_back(at);
  }
}

void GraphDelassus::apply(const Eigen::Ref<const Eigen::VectorXd>& R, Eigen::Ref<Eigen::VectorXd> U) {
  require_sizes(R.size(), U.size());
  const auto diagonal = ldy_.diagonal_arena();
  const auto rows = static_cast<std::int64_t>(sequence_.size());
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
  for (std::int64_t i = 0; i < rows; ++i) {
    const DiagonalBlock& row = diagonal[sequence_[i]];
    Eigen::Vector3d product = row.W * R.segment<3>(3 * i);
    for (const OffDiagonalBlock& block : ldy_.adjacent(row)) {
      product.noalias() += block.W * R.segment<3>(3 * Eigen::Index(place_[block.other]));
    }
    U.segment<3>(3 * i) = product;
  }
}

}  // namespace locdyn::detail
