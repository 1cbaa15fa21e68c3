#pragma once
// Lanes of doubles that lie anywhere in memory, read and written as one vector register. `aligned(8)` on the vector's
// own type does not say it to every compiler: Clang drops it from an alias and from an argument of a template, and then
// uses instructions that fault where the address is no multiple of the register's size.

namespace locdyn::detail {

using TwoLanes = double __attribute__((vector_size(16)));
using FourLanes = double __attribute__((vector_size(32)));
/// What is true of each of four lanes: all bits, or none.
using FourTruths = long long __attribute__((vector_size(32)));

/// In memory: of no alignment, and what it is read from is double.
template <class Lanes>
struct [[gnu::packed, gnu::may_alias]] Anywhere {
  Lanes lanes;
};
static_assert(alignof(Anywhere<FourLanes>) == 1);

// By reference: how a vector is passed by value depends on the instruction set.
template <class Lanes>
[[gnu::always_inline]] inline void load_lanes(const double* from, Lanes& lanes) {
  lanes = reinterpret_cast<const Anywhere<Lanes>*>(from)->lanes;
}
template <class Lanes>
[[gnu::always_inline]] inline void store_lanes(const Lanes& lanes, double* to) {
  reinterpret_cast<Anywhere<Lanes>*>(to)->lanes = lanes;
}

[[gnu::always_inline]] inline bool any_lane(const FourTruths& truths) {
  const FourTruths half = truths | __builtin_shufflevector(truths, truths, 2, 3, 0, 1);
  return (half[0] | half[1]) != 0;
}
[[gnu::always_inline]] inline void absolute_lanes(const FourLanes& x, FourLanes& r) {
  r = x < 0 ? -x : x;
}

/// Four rows of four become the columns.
[[gnu::always_inline]] inline void transpose_lanes(FourLanes (&r)[4]) {
  const FourLanes t0 = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6);
  const FourLanes t1 = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
  const FourLanes t2 = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6);
  const FourLanes t3 = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
  r[0] = __builtin_shufflevector(t0, t2, 0, 1, 4, 5);
  r[1] = __builtin_shufflevector(t1, t3, 0, 1, 4, 5);
  r[2] = __builtin_shufflevector(t0, t2, 2, 3, 6, 7);
  r[3] = __builtin_shufflevector(t1, t3, 2, 3, 6, 7);
}

}  // namespace locdyn::detail
