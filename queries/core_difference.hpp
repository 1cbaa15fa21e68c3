#pragma once
// The Minkowski difference second − first of two convex cores: the origin lies in it where they overlap, and how far it
// is from the origin is how far they are apart.

#include <Eigen/Core>
#include <array>

#include <locdyn/queries/convex_core.hpp>
#include <locdyn/queries/convex_distance.hpp>

namespace locdyn::detail {

class CoreDifference {
 public:
  /// Both outlive it.
  CoreDifference(const PosedCore& first, const PosedCore& second)
      : first_(first), second_(second), size_(first.size() + second.size()) {}

  /// A point w = b − a of the difference and where it comes from; all about the first's middle.
  struct Point {
    Eigen::Vector3d a, b, w;
  };
  /// Farthest along n.
  [[nodiscard]] Point farthest(const Eigen::Vector3d& n) const {
    Point p{first_.support(-n) - first_.middle(), second_.support(n) - first_.middle(), {}};
    p.w = p.b - p.a;
    return p;
  }
  /// What both cores measure: tolerances are parts of it.
  [[nodiscard]] double size() const noexcept { return size_; }
  [[nodiscard]] Eigen::Vector3d between_middles() const { return second_.middle() - first_.middle(); }

  /// The gap of the rounded cores: theirs is `distance` along the unit `normal`, from the first to the second, between
  /// the points a and b about the first's middle.
  [[nodiscard]] Gap rounded(double distance, const Eigen::Vector3d& normal, const Eigen::Vector3d& a,
                            const Eigen::Vector3d& b) const {
    return {distance - first_.radius() - second_.radius(), normal, first_.middle() + a + first_.radius() * normal,
            first_.middle() + b - second_.radius() * normal};
  }

 private:
  const PosedCore &first_, &second_;
  double size_;
};

/// Up to four points of a difference, and the weights of their combination that is nearest to the origin.
struct DifferenceSimplex {
  std::array<CoreDifference::Point, 4> at;
  std::array<double, 4> weight{};
  int count = 0;

  [[nodiscard]] Eigen::Vector3d a() const { return sum(&CoreDifference::Point::a); }
  [[nodiscard]] Eigen::Vector3d b() const { return sum(&CoreDifference::Point::b); }
  [[nodiscard]] Eigen::Vector3d nearest() const { return sum(&CoreDifference::Point::w); }

 private:
  [[nodiscard]] Eigen::Vector3d sum(Eigen::Vector3d CoreDifference::Point::*part) const {
    Eigen::Vector3d v = Eigen::Vector3d::Zero();
    for (int k = 0; k < count; ++k) v += weight[k] * (at[k].*part);
    return v;
  }
};

/// Leaves of a simplex the corners that carry its point of least length, with their weights. Four stay only where they
/// give the origin to `tolerance`.
void keep_nearest(DifferenceSimplex& simplex, double tolerance);

/// The gap of cores that overlap: `common` has a point of both (`nearest()` is 0 to rounding).
/// Cost: some hundred supports of each.
[[nodiscard]] Gap gap_in_overlap(const CoreDifference& difference, const DifferenceSimplex& common);

}  // namespace locdyn::detail
