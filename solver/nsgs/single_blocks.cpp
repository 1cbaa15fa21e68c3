#include <locdyn/solver/nsgs/single_blocks.hpp>

#include <locdyn/ldy/row_product.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace locdyn::detail {
namespace {

#if defined(__x86_64__)
#define LOCDYN_SINGLE_AVX2 __attribute__((target("avx2,fma")))

const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");

// sum += W R of one block. The third column is read with a number of the second before it: what lies behind is an
// index, which would be a denormal number.
LOCDYN_SINGLE_AVX2 inline __attribute__((always_inline)) __m256d add_block(const float* W, const double* R,
                                                                           __m256d sum) {
  const __m128 third = _mm_loadu_ps(W + 5);
  sum = _mm256_fmadd_pd(_mm256_cvtps_pd(_mm_loadu_ps(W)), _mm256_broadcast_sd(R), sum);
  sum = _mm256_fmadd_pd(_mm256_cvtps_pd(_mm_loadu_ps(W + 3)), _mm256_broadcast_sd(R + 1), sum);
  return _mm256_fmadd_pd(_mm256_cvtps_pd(_mm_permute_ps(third, 0b01111001)), _mm256_broadcast_sd(R + 2), sum);
}

template <class Block>
LOCDYN_SINGLE_AVX2 Eigen::Vector3d avx2_product(const Block* block, const Block* end, const DiagonalBlock* diagonal) {
  __m256d even = _mm256_setzero_pd(), odd = even;
  for (; end - block >= 2; block += 2) {
    even = add_block(block[0].W, diagonal[block[0].other].R.data(), even);
    odd = add_block(block[1].W, diagonal[block[1].other].R.data(), odd);
  }
  if (block != end) even = add_block(block->W, diagonal[block->other].R.data(), even);
  alignas(32) double sum[4];
  _mm256_store_pd(sum, _mm256_add_pd(even, odd));
  return {sum[0], sum[1], sum[2]};
}
#else
const bool has_avx2 = false;
#endif

template <class Block>
Eigen::Vector3d portable_product(const Block* block, const Block* end, const DiagonalBlock* diagonal) {
  double sum[3] = {};
  for (; block != end; ++block) {
    const Eigen::Vector3d& R = diagonal[block->other].R;
    for (int i = 0; i < 3; ++i) {
      sum[i] += static_cast<double>(block->W[i]) * R[0] + static_cast<double>(block->W[3 + i]) * R[1] +
                static_cast<double>(block->W[6 + i]) * R[2];
    }
  }
  return {sum[0], sum[1], sum[2]};
}

}  // namespace

SingleBlocks::SingleBlocks(const LocalDynamics& ldy) {
  const auto diagonal = ldy.diagonal_arena();
  blocks_.reserve(ldy.off_diagonal_count());
  first_.reserve(diagonal.size() + 1);
  first_.push_back(0);
  for (const DiagonalBlock& row : diagonal) {
    if (row.constraint != kNone) {
      for (const OffDiagonalBlock& block : ldy.adjacent(row)) {
        Block& single = blocks_.emplace_back();
        for (int k = 0; k < 9; ++k) single.W[k] = static_cast<float>(block.W.data()[k]);
        single.other = block.other;
      }
    }
    first_.push_back(blocks_.size());
  }
  refresh(ldy);
}

void SingleBlocks::refresh(const LocalDynamics& ldy) {
  const auto diagonal = ldy.diagonal_arena();
  defect_.resize(diagonal.size());
  for (const DiagonalBlock& row : ldy.rows()) {
    const auto place = static_cast<Index>(&row - diagonal.data());
    defect_[place] = off_diagonal_product(ldy, row) - rounded_product(diagonal.data(), place);
  }
}

inline Eigen::Vector3d SingleBlocks::rounded_product(const DiagonalBlock* diagonal, Index place) const {
  const Block* first = blocks_.data() + first_[place];
  const Block* end = blocks_.data() + first_[place + 1];
#if defined(__x86_64__)
  if (has_avx2) return avx2_product(first, end, diagonal);
#endif
  return portable_product(first, end, diagonal);
}

Eigen::Vector3d SingleBlocks::product(const DiagonalBlock* diagonal, Index place) const {
  return rounded_product(diagonal, place) + defect_[place];
}

}  // namespace locdyn::detail
