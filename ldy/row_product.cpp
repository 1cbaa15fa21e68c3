// The kernels of the row product, one per instruction set, chosen at run time by what the processor says of itself.
// A 512-bit variant was measured and brought nothing: the loads bind, not the arithmetic.

#include <array>
#include <cstddef>
#include <cstdint>
#include <locdyn/base/instruction_set.hpp>
#include <locdyn/ldy/row_product.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace locdyn::detail {
namespace {

// How far ahead to fetch: two pages of blocks, well past where the hardware's own prefetch stops (one page costs 5 % on
// large graphs, four pages 10 % on small ones), and R sixteen rows beyond each neighbour, because the largest neighbour
// moves on by about a row a row and is what memory has not delivered yet.
constexpr std::uintptr_t kBlocksAhead = 8192;
constexpr std::uintptr_t kRowsAhead = 16 * sizeof(DiagonalBlock);

// Addresses are computed as integers, since they may lie past the end of an arena.
inline __attribute__((always_inline)) void fetch_ahead(const OffDiagonalBlock* block, const DiagonalBlock* neighbour) {
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(block) + kBlocksAhead));
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(neighbour) + kRowsAhead));
}

// The walk along the links: bets that the next block lies behind this one. False at the end of the list.
struct Walk {
  const OffDiagonalBlock* arena;
  const OffDiagonalBlock* block;
  Index at;

  inline __attribute__((always_inline)) bool advance() {
    const Index next = block->next;
    ++at;
    ++block;
    if (__builtin_expect(next != at, 0)) {
      if (next == kNone) return false;
      at = next;
      block = arena + next;
    }
    return true;
  }
};

inline __attribute__((always_inline)) void add_product(const OffDiagonalBlock* block, const DiagonalBlock* diagonal,
                                                       std::array<double, 3>& sum) {
  const DiagonalBlock* neighbour = diagonal + block->other;
  fetch_ahead(block, neighbour);
  const double* W = block->W.data();
  const double* R = neighbour->R.data();
  for (std::size_t i = 0; i < 3; ++i) sum[i] += W[i] * R[0] + W[3 + i] * R[1] + W[6 + i] * R[2];
}

void portable_kernel(const DiagonalBlock* diagonal, const OffDiagonalBlock* off_diagonal, Index first,
                     double* product) {
  std::array<double, 3> even{}, odd{};
  if (first != kNone) {
    Walk walk{off_diagonal, off_diagonal + first, first};
    for (;;) {
      add_product(walk.block, diagonal, even);
      if (!walk.advance()) break;
      add_product(walk.block, diagonal, odd);
      if (!walk.advance()) break;
    }
  }
  for (std::size_t i = 0; i < 3; ++i) product[i] = even[i] + odd[i];
}

#if defined(__x86_64__)
#define LOCDYN_AVX2 __attribute__((target("avx2,fma")))

// The nine numbers of W, column by column, times (R0 R0 R0 R1), (R1 R1 R2 R2) and R2: no lane is idle and no number
// beyond W or R is read. R comes as two numbers and one, the way a sweep has just written it: a wider load would wait
// until those stores have left the store buffer.
struct Avx2Sum {
  __m256d head, middle;
  __m128d tail;
};

LOCDYN_AVX2 inline __attribute__((always_inline)) void add_product(const OffDiagonalBlock* block,
                                                                   const DiagonalBlock* diagonal, Avx2Sum& sum) {
  const DiagonalBlock* neighbour = diagonal + block->other;
  fetch_ahead(block, neighbour);
  const double* W = block->W.data();
  const double* R = neighbour->R.data();
  const __m256d R01 = _mm256_broadcast_pd(reinterpret_cast<const __m128d*>(R)), R2 = _mm256_broadcast_sd(R + 2);
  const __m256d R1 = _mm256_permute_pd(R01, 0b1111);
  sum.head = _mm256_fmadd_pd(_mm256_loadu_pd(W), _mm256_permute_pd(R01, 0b1000), sum.head);
  sum.middle = _mm256_fmadd_pd(_mm256_loadu_pd(W + 4), _mm256_blend_pd(R1, R2, 0b1100), sum.middle);
  sum.tail = _mm_fmadd_sd(_mm_load_sd(W + 8), _mm256_castpd256_pd128(R2), sum.tail);
}

LOCDYN_AVX2 void avx2_kernel(const DiagonalBlock* diagonal, const OffDiagonalBlock* off_diagonal, Index first,
                             double* product) {
  const Avx2Sum zero{_mm256_setzero_pd(), _mm256_setzero_pd(), _mm_setzero_pd()};
  Avx2Sum even = zero, odd = zero;
  if (first != kNone) {
    Walk walk{off_diagonal, off_diagonal + first, first};
    for (;;) {
      add_product(walk.block, diagonal, even);
      if (!walk.advance()) break;
      add_product(walk.block, diagonal, odd);
      if (!walk.advance()) break;
    }
  }
  // Rows of W lie in the lanes 0 1 2 0, 1 2 0 1 and 2.
  const __m256d head = _mm256_add_pd(even.head, odd.head), middle = _mm256_add_pd(even.middle, odd.middle);
  const __m128d low = _mm256_castpd256_pd128(middle), high = _mm256_extractf128_pd(head, 1);
  const __m128d rows_01 = _mm_add_pd(_mm256_castpd256_pd128(head), _mm_shuffle_pd(high, low, 0b01));
  const __m128d row_2 = _mm_add_sd(high, _mm_unpackhi_pd(low, low));
  _mm_storeu_pd(product, _mm_add_pd(rows_01, _mm256_extractf128_pd(middle, 1)));
  _mm_store_sd(product + 2, _mm_add_sd(row_2, _mm_add_sd(even.tail, odd.tail)));
}
#endif

constexpr std::array kVariants = {
    RowProductVariant{"portable", portable_kernel},
#if defined(__x86_64__)
    RowProductVariant{"avx2", avx2_kernel},
#endif
};

void first_call(const DiagonalBlock* diagonal, const OffDiagonalBlock* off_diagonal, Index first, double* product) {
  const RowProductKernel best = row_product_variants().back().kernel;
  row_product_kernel.store(best, std::memory_order_relaxed);
  best(diagonal, off_diagonal, first, product);
}

}  // namespace

constinit std::atomic<RowProductKernel> row_product_kernel{&first_call};

std::span<const RowProductVariant> row_product_variants() noexcept {
  std::size_t supported = 1;
#if defined(__x86_64__)
  if (has_avx2()) supported = 2;
#endif
  return std::span(kVariants).first(supported);
}

}  // namespace locdyn::detail
