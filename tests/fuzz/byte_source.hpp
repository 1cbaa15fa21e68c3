#pragma once
// Numbers out of a string of bytes; zeros once it is used up, so that a shorter string is a simpler input.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "fuzz_target.hpp"

namespace locdyn::fuzz {

class ByteSource {
 public:
  explicit ByteSource(Bytes bytes) : bytes_(bytes) {}

  [[nodiscard]] bool empty() const noexcept { return at_ >= bytes_.size(); }

  template <class Number>
  Number take() {
    Number value{};
    const std::size_t count = std::min(sizeof value, bytes_.size() - at_);
    if (count > 0) std::memcpy(&value, bytes_.data() + at_, count);
    at_ += count;
    return value;
  }
  /// 0 … n − 1.
  int below(int n) { return static_cast<int>(take<std::uint16_t>() % static_cast<unsigned>(n)); }
  /// In [0, 1).
  double share() { return take<std::uint16_t>() / 65536.0; }
  /// In [−1, 1).
  double signed_share() { return 2 * share() - 1; }

  /// Mostly of size about 1; some at the ends of what double precision holds, and some that are no numbers.
  double any_number() {
    constexpr double kOdd[] = {0,
                               -0.0,
                               1,
                               -1,
                               1e100,
                               1e-100,
                               -1e100,
                               1e308,
                               -1e308,
                               5e-324,
                               1e-320,
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()};
    const int kind = below(64);
    if (kind < static_cast<int>(std::size(kOdd))) return kOdd[kind];
    if (kind < 16) return take<double>();
    return signed_share();
  }
  /// Mostly small; some at the ends of int.
  int any_integer() {
    constexpr int kOdd[] = {-1, std::numeric_limits<int>::max(), std::numeric_limits<int>::min(), 1 << 30, -2};
    const int kind = below(64);
    if (kind < static_cast<int>(std::size(kOdd))) return kOdd[kind];
    return below(12);
  }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
};

}  // namespace locdyn::fuzz
