#pragma once
// Bounds that a value of a scene must obey beyond its type: the reader checks them, the schema says them.

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

namespace locdyn::scene_format {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Bounds of a number, or of each number of a vector.
struct Range {
  double low = -kInfinity, high = kInfinity;
  bool low_open = false, high_open = false;  ///< the bound itself is not allowed

  [[nodiscard]] bool holds(double value) const noexcept {
    return (low_open ? value > low : value >= low) && (high_open ? value < high : value <= high);
  }
};
inline constexpr Range kAny = {};
inline constexpr Range kPositive = {0, kInfinity, true, false};
inline constexpr Range kNotNegative = {0, kInfinity, false, false};
inline constexpr Range kFriction = {0, 1e6, false, false};   // of the contact law
inline constexpr Range kStiffness = {0, 1e18, true, false};  // of a contact that gives way
inline constexpr Range kDamping = {0, 1e18, false, false};
inline constexpr Range kShare = {0, 1, false, false};
[[nodiscard]] constexpr Range from_to(double low, double high) {
  return {low, high, false, false};
}

/// How many entries a list has.
struct Count {
  std::size_t least = 0, most = std::numeric_limits<std::size_t>::max();
};

/// The strings that are allowed.
struct OneOf {
  std::span<const std::string_view> names;
};

}  // namespace locdyn::scene_format
