#pragma once
// A sum of doubles without rounding: whatever the order, and however the summands are spread over ranks, its bits are
// the same. Every summand is cut into 32 bits a digit of one long fixed-point number, whose digits are added as
// integers, across ranks too; only `value` rounds, once.
//
// Source: Kulisch & Miranker, SIAM Review 28 (1986) 1–40 (the long accumulator); Neal, arXiv:1505.05571 (2015) (digits
// with room for carries, so that a summand touches three of them).

#include <mpi.h>

#include <array>
#include <cstdint>

namespace locdyn::distributed {

/// Sums of up to 2³⁰ summands a rank; numbers that are not finite make the sum NaN.
class ExactSum {
 public:
  /// Cost: a few nanoseconds.
  void add(double summand) noexcept;
  /// Another rank's, or another part's.
  void add(const ExactSum& other) noexcept;
  /// The sum, rounded to within one unit of its last place, the same for the same summands in any order.
  [[nodiscard]] double value() const noexcept;

  /// The sums of all ranks on all ranks. Collective. Cost: one reduction of 70 integers a sum.
  static void add_over_ranks(MPI_Comm comm, ExactSum* sums, int count);

 private:
  // A double is m · 2^(e − 1075), 0 < e < 2047, m < 2^53: its last bit lies 1074 below 1, its first 1024 above.
  static constexpr int kDigits = 68;
  void carry() noexcept;

  std::array<std::int64_t, kDigits> digit_{};  // worth 2^(32 i − 1074)
  std::int64_t not_finite_ = 0;
  std::int64_t since_carry_ = 0;
};
static_assert(sizeof(ExactSum) == 70 * 8);

}  // namespace locdyn::distributed
