#pragma once
// A number held against one found by hand.

#include <cmath>
#include <cstdio>

namespace example {

/// Prints both and says whether they agree to `tolerance`.
inline bool agrees(const char* what, double found, double by_hand, double tolerance) {
  const bool right = std::abs(found - by_hand) <= tolerance;
  std::printf("%s: %.9g, by hand %.9g%s\n", what, found, by_hand, right ? "" : "  WRONG");
  return right;
}

}  // namespace example
