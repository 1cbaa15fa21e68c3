#pragma once
// What the laws of contact ask of their numbers.

#include <cmath>
#include <stdexcept>
#include <string>

namespace locdyn::detail {

inline constexpr double kLargestCoefficient = 1e6;  ///< of friction: beyond, μ ‖U_t‖ drowns U_n in rounding

/// Throws std::invalid_argument naming the coefficient where it is not from 0 to 1e6.
inline void check_coefficient(double value, const char* name) {
  if (!(value >= 0) || !std::isfinite(value)) {
    throw std::invalid_argument(std::string(name) + ": expected a finite number >= 0, found " + std::to_string(value));
  }
  if (value > kLargestCoefficient) {
    throw std::invalid_argument(std::string(name) + ": expected at most 1e6, found " + std::to_string(value));
  }
}

/// Throws std::invalid_argument naming the velocity where it is not finite.
inline void check_velocity(double value, const char* name) {
  if (!std::isfinite(value)) {
    throw std::invalid_argument(std::string(name) + ": expected a finite velocity, found " + std::to_string(value));
  }
}

}  // namespace locdyn::detail
