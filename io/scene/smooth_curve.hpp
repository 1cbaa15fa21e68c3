#pragma once
// A smooth curve y(x) through points: a cubic between each two, with slopes that follow the neighbours and keep rises
// and falls as the points have them (no bumps beside a step), straight on beyond the ends.
//
// Source: Fritsch & Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300–304.

#include <Eigen/Core>
#include <vector>

namespace locdyn::scene_format {

class SmoothCurve {
 public:
  /// At least two points, x ascending. Throws std::invalid_argument.
  explicit SmoothCurve(std::vector<Eigen::Vector2d> points);

  struct Value {
    double value, slope;
  };
  /// y and y′ at x; y′ is continuous. Cost: O(log n).
  [[nodiscard]] Value at(double x) const;

 private:
  std::vector<Eigen::Vector2d> points_;
  std::vector<double> slopes_;
};

}  // namespace locdyn::scene_format
