#include <locdyn/ldy/velocities.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include <locdyn/base/instruction_set.hpp>
#include <locdyn/base/lanes_anywhere.hpp>
#include <locdyn/ldy/row_product.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {
namespace {

const DelassusFactor& factor_of(const LocalDynamics& ldy) {
  if (ldy.factor() == nullptr) {
    throw std::logic_error("velocities: expected a graph with blocks or factor, found one that has changed since");
  }
  return *ldy.factor();
}

// v += Y R and U += H v for a group with n velocities, `kFreedoms` where that is not 0. Columns of H are padded to
// four.

template <class Lanes>
[[gnu::always_inline]] inline void push_some(int n, const double* Y, const double* R, double* v) {
  Lanes sum, y[3];
  load_lanes(v, sum);
  for (int k = 0; k < 3; ++k) load_lanes(Y + k * n, y[k]);
  sum += y[0] * R[0] + y[1] * R[1] + y[2] * R[2];
  store_lanes(sum, v);
}

template <int kFreedoms>
[[gnu::always_inline]] inline void push(int freedoms, const double* Y, const double* R, double* v) {
  const int n = kFreedoms > 0 ? kFreedoms : freedoms;
  int i = 0;
  for (; i + 4 <= n; i += 4) push_some<FourLanes>(n, Y + i, R, v + i);
  for (; i + 2 <= n; i += 2) push_some<TwoLanes>(n, Y + i, R, v + i);
  for (; i < n; ++i) push_some<double>(n, Y + i, R, v + i);
}

template <int kFreedoms>
[[gnu::always_inline]] inline void pull(int freedoms, const double* H, const double* v, FourLanes& U) {
  const int n = kFreedoms > 0 ? kFreedoms : freedoms;
  FourLanes column;
  for (int i = 0; i < n; ++i, H += 4) {
    load_lanes(H, column);
    U += column * v[i];
  }
}

// Velocities of all groups, each in as many places as the widest has.
struct GroupVelocities {
  std::size_t widest = 0;
  std::vector<double> v = {};

  explicit GroupVelocities(const DelassusFactor& factor) {
    for (const Coupling& c : factor.coupling) widest = std::max<std::size_t>(widest, c.freedoms);
    v.assign(widest * factor.group_count(), 0.0);
  }
};

// v += Y R of all rows.
[[gnu::always_inline]] inline void push_rows_anywhere(const LocalDynamics& ldy, const DelassusFactor& factor,
                                                      GroupVelocities& groups) {
  const auto* arena = ldy.diagonal_arena().data();
  for (const DiagonalBlock& row : ldy.rows()) {
    for (const Coupling& c : factor.couplings(static_cast<Index>(&row - arena))) {
      const double* Y = factor.Y.data() + 3 * c.place;
      double* v = groups.v.data() + groups.widest * c.body;
      c.freedoms == 6 ? push<6>(6, Y, row.R.data(), v) : push<0>(static_cast<int>(c.freedoms), Y, row.R.data(), v);
    }
  }
}

// U = B + H v of the rows in the arena from `begin` on.
[[gnu::always_inline]] inline void pull_rows_anywhere(std::span<DiagonalBlock> rows, std::size_t begin,
                                                      const DelassusFactor& factor, const GroupVelocities& groups) {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].constraint == kNone) continue;
    FourLanes U = {};
    for (const Coupling& c : factor.couplings(static_cast<Index>(begin + k))) {
      const double* H = factor.H.data() + 4 * c.place;
      const double* v = groups.v.data() + groups.widest * c.body;
      c.freedoms == 6 ? pull<6>(6, H, v, U) : pull<0>(static_cast<int>(c.freedoms), H, v, U);
    }
    for (int axis = 0; axis < 3; ++axis) rows[k].U[axis] = rows[k].B[axis] + U[axis];
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void push_rows_avx2(const LocalDynamics& ldy, const DelassusFactor& factor,
                                                GroupVelocities& groups) {
  push_rows_anywhere(ldy, factor, groups);
}
[[gnu::target("avx2,fma")]] void pull_rows_avx2(std::span<DiagonalBlock> rows, std::size_t begin,
                                                const DelassusFactor& factor, const GroupVelocities& groups) {
  pull_rows_anywhere(rows, begin, factor, groups);
}
#endif

void push_rows(const LocalDynamics& ldy, const DelassusFactor& factor, GroupVelocities& groups) {
#if defined(__x86_64__)
  if (has_avx2()) return push_rows_avx2(ldy, factor, groups);
#endif
  push_rows_anywhere(ldy, factor, groups);
}

void pull_rows(std::span<DiagonalBlock> rows, std::size_t begin, const DelassusFactor& factor,
               const GroupVelocities& groups) {
#if defined(__x86_64__)
  if (has_avx2()) return pull_rows_avx2(rows, begin, factor, groups);
#endif
  pull_rows_anywhere(rows, begin, factor, groups);
}

constexpr std::size_t kRowsAtOnce = 256;  // for one thread

}  // namespace

void update_velocities(LocalDynamics& ldy, int threads) {
  const auto diagonal = ldy.diagonal_arena();
  if (ldy.has_blocks()) {
    parallel_for(std::ssize(diagonal), threads, kRowsAtOnce, [&](std::int64_t at) {
      DiagonalBlock& row = diagonal[at];
      if (row.constraint != kNone) row.U = row.B + row_product(ldy, row);
    });
    return;
  }
  const DelassusFactor& factor = factor_of(ldy);
  GroupVelocities groups(factor);
  push_rows(ldy, factor, groups);
  const auto parts = static_cast<std::int64_t>((diagonal.size() + kRowsAtOnce - 1) / kRowsAtOnce);
  parallel_for(parts, threads, 1, [&](std::int64_t part) {
    const std::size_t begin = static_cast<std::size_t>(part) * kRowsAtOnce;
    pull_rows(diagonal.subspan(begin, std::min(kRowsAtOnce, diagonal.size() - begin)), begin, factor, groups);
  });
}

double velocity_products(const LocalDynamics& ldy) {
  const auto rows = static_cast<double>(ldy.row_count());
  if (ldy.has_blocks()) return rows + static_cast<double>(ldy.off_diagonal_count());
  double products = rows;
  for (const Coupling& c : factor_of(ldy).coupling) products += 2.0 / 3 * c.freedoms;
  return products;
}

}  // namespace locdyn::detail
