#pragma once
// The one line that bad input is refused with.

#include <cstdio>
#include <stdexcept>
#include <string>

namespace locdyn::detail {

/// Throws std::invalid_argument "<what>: expected <expected>, found <found>".
[[noreturn]] inline void refuse(const std::string& what, const std::string& expected, const std::string& found) {
  throw std::invalid_argument(what + ": expected " + expected + ", found " + found);
}

/// "%.6g" of a number.
[[nodiscard]] inline std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

}  // namespace locdyn::detail
