#pragma once
// What the check of docstrings is tried on: a member, a function and an enumerator that nothing tells of.

namespace locdyn {

/// A type.
struct Told {
  double first, second;  ///< both
  double silent;
};

/// Covers the two that follow.
double told_here();
double told_above();

double untold();

enum class Bare { one };

}  // namespace locdyn
