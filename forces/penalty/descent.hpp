#pragma once
// Where a function on a surface is least, near a place: Newton's steps where the function curves upwards, steps against
// its slope in another metric where it does not, halved until they gain enough.
//
// Source: Nocedal & Wright, Numerical Optimization (2006), alg. 3.1 and §3.4 (the step is halved, the matrix replaced).

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace locdyn::detail {

/// A function at a place, in two coordinates about it.
struct SurfaceSlope {
  double value;
  Eigen::Vector2d first;
  Eigen::Matrix2d second;  ///< symmetric; need be exact only where the function is least
  Eigen::Matrix2d metric;  ///< symmetric, positive definite: taken where `second` is not
  double rounding;         ///< of the value
};

struct DescentOptions {
  double longest_step = 1;  ///< > 0, in the coordinates
  double tolerance = 1e-8;  ///< > 0: a Newton step this short is the last one; what it leaves is its square
};

/// `at(place)` gives a SurfaceSlope, `moved(place, δ)` the place at δ (2) in the coordinates about `place`. Returns
/// where nothing more is gained, or after 100 steps. Cost: some 5 evaluations.
template <class Place, class Function, class Move>
[[nodiscard]] Place least_near(Place place, const Function& at, const Move& moved, const DescentOptions& options) {
  constexpr int kMostSteps = 100, kMostHalvings = 40;
  constexpr double kEnough = 1e-4;  // of what the slope promises
  SurfaceSlope now = at(place);
  for (int i = 0; i < kMostSteps; ++i) {
    const bool valley = now.second.trace() > 0 && now.second.determinant() > 0;
    Eigen::Vector2d step = -(valley ? now.second : now.metric).ldlt().solve(now.first);
    const double length = step.norm();
    if (!(length > 0 && std::isfinite(length))) return place;
    step *= std::min(1.0, options.longest_step / length);
    const double slope = now.first.dot(step);
    if (!(slope < 0)) return place;

    double part = 1;
    Place next = moved(place, step);
    SurfaceSlope there = at(next);
    for (int k = 0; k < kMostHalvings && there.value > now.value + kEnough * part * slope + now.rounding; ++k) {
      part *= 0.5;
      next = moved(place, part * step);
      there = at(next);
    }
    if (there.value > now.value + now.rounding) return place;
    place = next;
    now = there;
    if (valley && length <= options.tolerance) return place;
  }
  return place;
}

}  // namespace locdyn::detail
