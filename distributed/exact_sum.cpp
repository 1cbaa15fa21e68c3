#include <locdyn/distributed/exact_sum.hpp>

#include <bit>
#include <cmath>
#include <limits>

namespace locdyn::distributed {
namespace {

constexpr std::int64_t kBase = std::int64_t{1} << 32;
constexpr std::int64_t kMostBetweenCarries = std::int64_t{1} << 29;

}  // namespace

void ExactSum::add(double summand) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(summand);
  const auto exponent = static_cast<int>((bits >> 52) & 0x7ff);
  if (exponent == 0x7ff) {
    ++not_finite_;
    return;
  }
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent > 0) mantissa |= std::uint64_t{1} << 52;
  const int shift = exponent > 0 ? exponent - 1 : 0;  // of the last bit above 2^−1074
  const int low = shift % 32;
  // 53 bits moved by up to 31 lie in three digits.
  const std::uint64_t first = (mantissa << low) & 0xffffffffu;
  const std::uint64_t rest = low == 0 ? mantissa >> 32 : mantissa >> (32 - low);
  const std::int64_t sign = (bits >> 63) != 0 ? -1 : 1;
  const auto at = static_cast<std::size_t>(shift / 32);
  digit_[at] += sign * static_cast<std::int64_t>(first);
  digit_[at + 1] += sign * static_cast<std::int64_t>(rest & 0xffffffffu);
  digit_[at + 2] += sign * static_cast<std::int64_t>(rest >> 32);
  if (++since_carry_ == kMostBetweenCarries) carry();
}

// Every digit but the last into 0 … 2³² − 1.
void ExactSum::carry() noexcept {
  std::int64_t over = 0;
  for (std::size_t i = 0; i + 1 < digit_.size(); ++i) {
    const std::int64_t sum = digit_[i] + over;
    over = sum >> 32;  // towards −∞
    digit_[i] = sum - over * kBase;
  }
  digit_.back() += over;
  since_carry_ = 0;
}

void ExactSum::add(const ExactSum& other) noexcept {
  ExactSum carried = other;
  carried.carry();
  carry();
  for (std::size_t i = 0; i < digit_.size(); ++i) digit_[i] += carried.digit_[i];
  not_finite_ += carried.not_finite_;
  since_carry_ = 1;
}

double ExactSum::value() const noexcept {
  if (not_finite_ > 0) return std::numeric_limits<double>::quiet_NaN();
  ExactSum sum = *this;
  sum.carry();
  const bool negative = sum.digit_.back() < 0;
  if (negative) {
    for (std::int64_t& digit : sum.digit_) digit = -digit;
    sum.carry();
  }
  // The four highest digits hold more bits than a double.
  int top = kDigits - 1;
  while (top > 0 && sum.digit_[static_cast<std::size_t>(top)] == 0) --top;
  double value = 0;
  for (int i = std::max(0, top - 3); i <= top; ++i) {
    value += std::ldexp(static_cast<double>(sum.digit_[static_cast<std::size_t>(i)]), 32 * i - 1074);
  }
  return negative ? -value : value;
}

void ExactSum::add_over_ranks(MPI_Comm comm, ExactSum* sums, int count) {
  for (int i = 0; i < count; ++i) sums[i].carry();
  MPI_Allreduce(MPI_IN_PLACE, sums, count * static_cast<int>(sizeof(ExactSum) / sizeof(std::int64_t)), MPI_INT64_T,
                MPI_SUM, comm);
  for (int i = 0; i < count; ++i) sums[i].carry();
}

}  // namespace locdyn::distributed
