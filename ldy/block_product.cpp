// Columns of H are padded to four numbers, so that a column is one vector register (or two), and the number of
// velocities is a compile-time constant for the usual kinds of body, so that the sum over them is unrolled.

#include <locdyn/ldy/block_product.hpp>

#include <cstring>

#include <locdyn/base/instruction_set.hpp>

namespace locdyn::detail {
namespace {

// A column of H, the fourth number zero. Never passed by value: how that is done depends on the instruction set.
using Column = double __attribute__((vector_size(32)));

#define LOCDYN_INLINE [[gnu::always_inline]] inline

// w (three columns) += H Y for a body with n velocities; `n` folds to a constant where the caller gives one.
LOCDYN_INLINE void add_product(int n, const double* H, const double* Y, Column (&w)[3]) {
  for (int i = 0; i < n; ++i) {
    Column h;
    std::memcpy(&h, H + 4 * i, sizeof h);
    w[0] += h * Y[i];
    w[1] += h * Y[n + i];
    w[2] += h * Y[2 * n + i];
  }
}

LOCDYN_INLINE void add_group(const DelassusFactor& factor, const Coupling& a, const Coupling& b, Column (&w)[3]) {
  const double* H = factor.H.data() + 4 * a.place;
  const double* Y = factor.Y.data() + 3 * b.place;
  switch (a.freedoms) {
    case 3: return add_product(3, H, Y, w);
    case 6: return add_product(6, H, Y, w);
    case 12: return add_product(12, H, Y, w);
    default: return add_product(static_cast<int>(a.freedoms), H, Y, w);
  }
}

LOCDYN_INLINE void fill_block(const DelassusFactor& factor, std::span<const Coupling> alpha,
                              std::span<const Coupling> beta, double* W) {
  Column w[3] = {};
  for (const Coupling& a : alpha) {
    for (const Coupling& b : beta) {
      if (a.body == b.body) add_group(factor, a, b, w);
    }
  }
  // Each column is written whole; the next one covers its padding.
  std::memcpy(W, &w[0], 4 * sizeof(double));
  std::memcpy(W + 3, &w[1], 4 * sizeof(double));
  std::memcpy(W + 6, &w[2], 3 * sizeof(double));
}

LOCDYN_INLINE void fill_one(const DelassusFactor& factor, Index at, Eigen::Matrix3d& W) {
  const std::span<const Coupling> alpha = factor.couplings(at);
  fill_block(factor, alpha, alpha, W.data());
}

LOCDYN_INLINE void fill_list(const DelassusFactor& factor, Index at, OffDiagonalBlock* blocks, Index first) {
  const std::span<const Coupling> alpha = factor.couplings(at);
  for (Index next = first; next != kNone; next = blocks[next].next) {
    fill_block(factor, alpha, factor.couplings(blocks[next].other), blocks[next].W.data());
  }
}

#undef LOCDYN_INLINE

#if defined(__x86_64__)
[[gnu::target("avx2")]] void fill_one_avx2(const DelassusFactor& factor, Index at, Eigen::Matrix3d& W) {
  fill_one(factor, at, W);
}
[[gnu::target("avx2")]] void fill_list_avx2(const DelassusFactor& factor, Index at, OffDiagonalBlock* blocks,
                                            Index first) {
  fill_list(factor, at, blocks, first);
}
#endif

}  // namespace

void fill_diagonal(const DelassusFactor& factor, Index at, Eigen::Matrix3d& W) {
#if defined(__x86_64__)
  if (has_avx2()) return fill_one_avx2(factor, at, W);
#endif
  fill_one(factor, at, W);
}

void fill_off_diagonal(const DelassusFactor& factor, Index at, OffDiagonalBlock* blocks, Index first) {
#if defined(__x86_64__)
  if (has_avx2()) return fill_list_avx2(factor, at, blocks, first);
#endif
  fill_list(factor, at, blocks, first);
}

}  // namespace locdyn::detail
