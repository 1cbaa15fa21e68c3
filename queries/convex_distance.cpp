#include <locdyn/queries/convex_distance.hpp>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <locdyn/queries/core_difference.hpp>

namespace locdyn::detail {
namespace {

using Eigen::Vector3d;

// Of the size: cores that are closer overlap, as far as rounding can tell.
constexpr double kZero = 1e-14;

// Weights of the origin's projection on the hull of the first `count` of p; none where it lies outside.
bool project(const std::array<const Vector3d*, 4>& p, int count, std::array<double, 4>& weight) {
  if (count == 1) {
    weight[0] = 1;
    return true;
  }
  if (count == 2) {
    const Vector3d along = *p[1] - *p[0];
    const double t = -p[0]->dot(along) / along.squaredNorm();
    weight = {1 - t, t};
    return t > 0 && t < 1;
  }
  if (count == 3) {
    // From differences of the corners, which may nearly coincide far from the origin.
    const Vector3d along = *p[1] - *p[0], across = *p[2] - *p[0], n = along.cross(across);
    const double area = n.squaredNorm();
    weight[1] = n.dot(across.cross(*p[0])) / area;
    weight[2] = n.dot(p[0]->cross(along)) / area;
    weight[0] = 1 - weight[1] - weight[2];
    return weight[0] > 0 && weight[1] > 0 && weight[2] > 0;
  }
  const Vector3d d = *p[3];
  const double volume = (*p[0] - d).dot((*p[1] - d).cross(*p[2] - d));
  const std::array<double, 3> part{-d.dot((*p[1] - d).cross(*p[2] - d)), -d.dot((*p[2] - d).cross(*p[0] - d)),
                                   -d.dot((*p[0] - d).cross(*p[1] - d))};
  double rest = 1;
  for (int k = 0; k < 3; ++k) {
    weight[k] = part[k] / volume;
    rest -= weight[k];
    if (!(weight[k] > 0)) return false;
  }
  weight[3] = rest;
  return rest > 0;
}

// The simplex that carries the nearest point; it holds the origin to rounding where the cores overlap. All points found
// are kept: on a curved surface those that a simplex left serve again, and the steps then halve a patch of the surface
// instead of creeping along it.
class NearestSimplex {
 public:
  explicit NearestSimplex(const CoreDifference& difference) : difference_(difference) {
    const Vector3d between = difference.between_middles();
    known_.reserve(32);
    known_.push_back(difference.farthest(between.squaredNorm() > 0 ? Vector3d(-between) : Vector3d::UnitX()));
    simplex_.at[0] = known_[0];
    simplex_.count = 1;
    simplex_.weight[0] = 1;
    v_ = simplex_.nearest();
    constexpr int kMost = 300;
    const double zero = 1e-15 * difference.size();
    for (int step = 0; step < kMost && simplex_.count < 4 && v_.norm() > zero; ++step) {
      if (!take(nearest_known()) && !take_new()) break;
    }
  }
  [[nodiscard]] const DifferenceSimplex& simplex() const noexcept { return simplex_; }
  // Is the difference on one side of the origin, as seen along v? Where it comes close, only if v is found to rounding.
  [[nodiscard]] bool apart() const {
    const double size = difference_.size(), length = v_.norm(), beyond = v_.dot(known_.back().w);
    if (simplex_.count == 4 || length <= kZero * size || beyond <= 0) return false;
    return length > 1e-6 * size || length - beyond / length <= 1e-13 * size;
  }

 private:
  [[nodiscard]] const CoreDifference::Point& nearest_known() const {
    return *std::min_element(known_.begin(), known_.end(),
                             [this](const auto& p, const auto& q) { return v_.dot(p.w) < v_.dot(q.w); });
  }
  bool take_new() {
    known_.push_back(difference_.farthest(-v_));
    return take(CoreDifference::Point(known_.back()));
  }
  // False where the point brings the simplex no nearer.
  bool take(const CoreDifference::Point& next) {
    constexpr double kClose = 1e-15;
    if (v_.dot(v_ - next.w) <= kClose * (v_.norm() + difference_.size()) * v_.norm()) return false;
    DifferenceSimplex grown = simplex_;
    grown.at[grown.count++] = next;
    keep_nearest(grown, kZero * difference_.size());
    const Vector3d found = grown.nearest();
    if (!(found.squaredNorm() < v_.squaredNorm())) return false;
    simplex_ = grown;
    v_ = found;
    return true;
  }

  const CoreDifference& difference_;
  std::vector<CoreDifference::Point> known_;
  DifferenceSimplex simplex_;
  Vector3d v_;
};

}  // namespace

// Every face is tried: no order of signs to get wrong where points nearly coincide.
void keep_nearest(DifferenceSimplex& simplex, double tolerance) {
  unsigned best = 1;
  std::array<double, 4> best_weight{1};
  double least = kInfinite;
  for (unsigned chosen = 1; chosen < 1u << simplex.count; ++chosen) {
    std::array<const Vector3d*, 4> p{};
    int count = 0;
    for (int k = 0; k < simplex.count; ++k) {
      if ((chosen >> k & 1) != 0) p[count++] = &simplex.at[k].w;
    }
    std::array<double, 4> weight{};
    if (!project(p, count, weight)) continue;
    Vector3d v = Vector3d::Zero();
    for (int k = 0; k < count; ++k) v += weight[k] * *p[k];
    const double length = v.squaredNorm();
    if (!(length < least) || (count == 4 && length > tolerance * tolerance)) continue;
    least = length;
    best = chosen;
    best_weight = weight;
  }
  int kept = 0;
  for (int k = 0; k < simplex.count; ++k) {
    if ((best >> k & 1) != 0) simplex.at[kept++] = simplex.at[k];
  }
  simplex.count = kept;
  simplex.weight = best_weight;
}

Gap gap_of(const PosedCore& first, const PosedCore& second) {
  const CoreDifference difference(first, second);
  const NearestSimplex nearest(difference);
  const DifferenceSimplex& simplex = nearest.simplex();
  if (!nearest.apart()) return gap_in_overlap(difference, simplex);
  const Vector3d v = simplex.nearest();
  const double distance = v.norm();
  return difference.rounded(distance, v / distance, simplex.a(), simplex.b());
}

Meeting meeting_of(const PosedCore& first, const Vector3d& u, double most, const PosedCore& second) {
  constexpr int kMost = 100;
  PosedCore moved = first;
  Meeting found{0, gap_of(first, second)};
  const double close = 1e-14 * (first.size() + second.size());
  for (int step = 0; step < kMost && found.apart.distance > close; ++step) {
    const double speed = found.apart.normal.dot(u);
    if (!(speed > 0)) return {kInfinite, found.apart};
    const double next = found.t + found.apart.distance / speed;
    if (!(next <= most) || next == kInfinite) return {kInfinite, found.apart};
    if (next == found.t) break;
    found.t = next;
    moved.move_to(first.middle() + next * u);
    found.apart = gap_of(moved, second);
  }
  return found;
}

}  // namespace locdyn::detail
