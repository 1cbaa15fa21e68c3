#include "convex_pair.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "manifold.hpp"
#include "separating_axes.hpp"
#include "sphere_pair.hpp"

namespace locdyn::detection {
namespace {

using Eigen::Vector3d;
// Edges that are parallel to this angle [rad] touch along a line. What is round about them hides the rest.
constexpr double kSharp = 1e-9, kRounded = 1e-2;

// One pair of shapes: `second` lies at `shift` from the center of `first`, the origin.
class Pair {
 public:
  Pair(const PosedPolytope& first, const PosedPolytope& second, double reach)
      : a_(first),
        b_(second),
        shift_(second.center - first.center),
        reach_(reach),
        limit_(reach + first.shape->radius + second.shape->radius),
        scale_(std::min(first.shape->size, second.shape->size)) {}

  // No other directions part two boxes that overlap; where they are apart, what is nearest may lie between.
  void collide_boxes(std::vector<PairPoint>& out) {
    const BoxAxes axes(a_, b_, shift_);
    if (!choose_face(axes.best_face_of_first(), [&] { return axes.best_face_of_second(); })) return;
    const EdgeAxis edge = axes.best_edges(face_.separation);
    if (edge.separation > limit_) return;
    const bool are_apart = std::max(face_.separation, edge.separation) > -rounding();
    if (edge.separation <= face_.separation + rounding()) {
      overlap(normal_, kOnFace);
      if (!are_apart || proves_face()) return emit(normal_, out);
    }
    if (!are_apart || parts_edges(edge)) return crossing(edge, out);
    collect_edges();
    apart(edge, out);
  }

  void collide(std::vector<PairPoint>& out) {
    if (!choose_face(best_face(a_, b_, shift_, limit_), [&] { return best_face(b_, a_, -shift_, limit_); })) return;
    if (have_face()) {
      overlap(normal_, kOnFace);
      if (proves_face()) return emit(normal_, out);
    }
    collect_edges();
    const EdgeAxis edge = best_edge();
    if (edge.separation > limit_) return;
    if (std::max(face_.separation, edge.separation) > -rounding() || !have_face()) {
      parts_edges(edge) ? crossing(edge, out) : apart(edge, out);
    } else if (edge.separation > face_.separation + rounding()) {
      crossing(edge, out);
    } else {
      emit(normal_, out);
    }
  }

 private:
  // Differences below this are rounding.
  [[nodiscard]] double rounding() const { return 1e-12 * (scale_ + shift_.norm()); }

  // The face that parts the shapes most, the first's where both part them as well; false where one of them is beyond
  // reach of the other.
  template <class FaceOfSecond>
  bool choose_face(const FaceAxis& first, FaceOfSecond&& find_second) {
    if (first.separation > limit_) return false;
    const FaceAxis second = find_second();
    if (second.separation > limit_) return false;
    of_second_ = second.separation > first.separation + rounding();
    face_ = of_second_ ? second : first;
    if (have_face()) normal_ = of_second_ ? Vector3d(-b_.normals[face_.face]) : a_.normals[face_.face];
    return true;
  }
  [[nodiscard]] bool have_face() const { return face_.face >= 0; }

  void overlap(const Vector3d& n, const Lean& lean) {
    find_feature(a_, Vector3d::Zero(), n, lean, feature_a_);
    find_feature(b_, shift_, -n, lean, feature_b_);
    find_overlap(feature_a_, feature_b_, n, 1e-6 * scale_, limit_ > reach_ ? kRounded : kSharp, points_);
  }

  // Does the overlap show that the face has the largest separation? Apart: its lowest point lies as high above the face
  // as the other shape does, so that this is the distance. In penetration: about the middle of the lowest points there
  // is a ball inside the face's shape as large as the depth.
  [[nodiscard]] bool proves_face() const {
    if (points_.empty()) return false;
    double lowest = std::numeric_limits<double>::infinity();
    for (const OverlapPoint& point : points_) lowest = std::min(lowest, point.gap);
    if (lowest > face_.separation + rounding()) return false;
    if (face_.separation >= -rounding()) return true;
    const double near = 1e-9 * scale_;
    Vector3d middle = Vector3d::Zero();
    double count = 0;
    for (const OverlapPoint& point : points_) {
      if (point.gap > lowest + near) continue;
      middle += of_second_ ? point.on_first : Vector3d(point.on_first + point.gap * normal_);  // on the other shape
      ++count;
    }
    middle /= count;
    if (of_second_) middle -= shift_;
    const PosedPolytope& owner = of_second_ ? b_ : a_;
    for (std::size_t f = 0; f < owner.normals.size(); ++f) {
      if (owner.normals[f].dot(middle) - owner.shape->offsets[f] > face_.separation + near) return false;
    }
    return true;
  }

  // Edges that come near enough to the other shape to matter.
  void collect_edges() {
    const double margin = limit_ + (have_face() ? std::abs(face_.separation) : 0);
    const auto collect = [margin](const PosedPolytope& of, const Vector3d& low, const Vector3d& high,
                                  std::vector<int>& kept) {
      kept.clear();
      for (int e = 0; e < static_cast<int>(of.shape->edges().size()); ++e) {
        const auto [v, w] = of.shape->edges()[e].vertex;
        const Vector3d &from = of.vertices[v], &to = of.vertices[w];
        if ((from.cwiseMin(to).array() > high.array() + margin).any()) continue;
        if ((from.cwiseMax(to).array() < low.array() - margin).any()) continue;
        kept.push_back(e);
      }
    };
    collect(a_, b_.low + shift_, b_.high + shift_, edges_a_);
    collect(b_, a_.low - shift_, a_.high - shift_, edges_b_);
  }

  [[nodiscard]] Vector3d along(const PosedPolytope& of, int e) const {
    const auto [from, to] = of.shape->edges()[e].vertex;
    return of.vertices[to] - of.vertices[from];
  }

  // Do the arcs of two edges on the sphere of normals cross, so that n = ± u × v supports both? With the left face
  // first, n_left × n_right points along the edge: the arcs' planes have u and v as their normals.
  [[nodiscard]] bool arcs_cross(int ea, int eb, const Vector3d& u, const Vector3d& v) const {
    const auto [left_b, right_b] = b_.shape->edges()[eb].face;
    const double left_u = b_.normals[left_b].dot(u);
    if (left_u * b_.normals[right_b].dot(u) >= 0) return false;
    const auto [left_a, right_a] = a_.shape->edges()[ea].face;
    const double right_v = a_.normals[right_a].dot(v);
    return right_v * a_.normals[left_a].dot(v) < 0 && left_u * right_v < 0;
  }

  [[nodiscard]] EdgeAxis best_edge() const {
    EdgeAxis best;
    for (int ea : edges_a_) {
      const Vector3d u = along(a_, ea);
      const Vector3d& pa = a_.vertices[a_.shape->edges()[ea].vertex[0]];
      for (int eb : edges_b_) {
        const Vector3d v = along(b_, eb);
        const bool closed = a_.shape->has_volume() && b_.shape->has_volume();
        if (closed && !arcs_cross(ea, eb, u, v)) continue;
        Vector3d n = u.cross(v);
        const double length = n.norm();
        if (!(length > 1e-8 * std::sqrt(u.squaredNorm() * v.squaredNorm()))) continue;
        n /= length;
        if (closed) {
          const auto [fa, fb] = a_.shape->edges()[ea].face;
          if (n.dot(a_.normals[fa] + a_.normals[fb]) < 0) n = -n;
          const Vector3d pb = b_.vertices[b_.shape->edges()[eb].vertex[0]] + shift_;
          const double separation = n.dot(pb - pa);
          if (separation > best.separation) best = {n, separation, ea, eb};
        } else {
          for (const Vector3d& axis : {n, Vector3d(-n)}) {
            const double separation = separation_along(a_, b_, shift_, axis);
            if (separation > best.separation && a_.allows(axis)) best = {axis, separation, ea, eb};
          }
        }
      }
    }
    if (best.a >= 0) best.separation = separation_along(a_, b_, shift_, best.normal);
    return best;
  }

  [[nodiscard]] SegmentPair closest(int ea, int eb) const {
    const auto [a0, a1] = a_.shape->edges()[ea].vertex;
    const auto [b0, b1] = b_.shape->edges()[eb].vertex;
    return closest_on_segments(a_.vertices[a0], a_.vertices[a1], b_.vertices[b0] + shift_, b_.vertices[b1] + shift_);
  }

  [[nodiscard]] static double low_end(const PosedPolytope& of, int e, const Vector3d& n) {
    const auto [from, to] = of.shape->edges()[e].vertex;
    return std::min(n.dot(of.vertices[from]), n.dot(of.vertices[to]));
  }

  // Are its two edges as near as the shapes are far apart along it? Then nothing is nearer, and no face shows it.
  [[nodiscard]] bool parts_edges(const EdgeAxis& edge) const {
    if (edge.separation <= face_.separation + rounding()) return false;
    const SegmentPair pair = closest(edge.a, edge.b);
    return (pair.second - pair.first).norm() <= std::min(edge.separation + rounding(), limit_);
  }

  // The cores are apart (or just touch) and no face shows it: the closest points lie on an edge or a vertex of each.
  void apart(const EdgeAxis& edge, std::vector<PairPoint>& out) {
    SegmentPair nearest{Vector3d::Zero(), Vector3d::Zero()};
    double distance = std::numeric_limits<double>::infinity();
    const Vector3d between = edge.separation > face_.separation ? edge.normal : normal_;  // zero where there is neither
    bottoms_.clear();
    for (int eb : edges_b_) bottoms_.push_back(low_end(b_, eb, between) + between.dot(shift_));
    for (int ea : edges_a_) {
      const double top = -low_end(a_, ea, -between);
      for (std::size_t k = 0; k < edges_b_.size(); ++k) {
        if (bottoms_[k] - top >= distance) continue;  // along this direction alone they are no nearer
        const int eb = edges_b_[k];
        const SegmentPair pair = closest(ea, eb);
        const double length = (pair.second - pair.first).norm();
        if (length < distance - rounding()) {
          distance = length;
          nearest = pair;
        }
      }
    }
    if (distance > limit_) return;
    if (edge.separation >= distance - rounding() && edge.separation > face_.separation + rounding()) {
      return crossing(edge, out);
    }
    Vector3d n = (nearest.second - nearest.first) / distance;
    // Too near for a direction: the closest points of edges that are almost parallel lie somewhere along them, and what
    // is between them points anywhere. The right one keeps the shapes as far apart as the points are.
    if (distance <= 1e-10 * scale_ || separation_along(a_, b_, shift_, n) < 0.5 * distance) {
      n = between;
      if (!have_face() && edge.a < 0)
        n = shift_.norm() > rounding() ? Vector3d(shift_.normalized()) : Vector3d::UnitZ();
    }
    if (!a_.allows(n)) return emit_face(out);
    overlap(n, kOnEdge);
    ensure(nearest, n);
    emit(n, out);
  }

  // The closest points lie on an edge that a neighbour covers: what lies over the face counts.
  void emit_face(std::vector<PairPoint>& out) {
    if (!have_face()) return;
    overlap(normal_, kOnFace);
    emit(normal_, out);
  }

  void crossing(const EdgeAxis& edge, std::vector<PairPoint>& out) {
    overlap(edge.normal, kOnEdge);
    ensure(closest(edge.a, edge.b), edge.normal);
    emit(edge.normal, out);
  }

  // The closest points are among the points, whatever the features were, if they do lie along n.
  void ensure(const SegmentPair& pair, const Vector3d& n) {
    const Vector3d across = pair.second - pair.first;
    const double gap = across.dot(n);
    if ((across - gap * n).norm() > 1e-9 * scale_) return;
    for (const OverlapPoint& other : points_) {
      if (other.gap <= gap + rounding()) return;
    }
    points_.push_back({pair.first, gap});
  }

  void emit(const Vector3d& n, std::vector<PairPoint>& out) {
    const double radius = a_.shape->radius, other_radius = b_.shape->radius;
    std::erase_if(points_, [&](const OverlapPoint& point) { return !(point.gap <= limit_); });
    thin_out(n, 1e-10 * scale_, points_);
    for (const OverlapPoint& point : points_) {
      const double gap = point.gap - radius - other_radius;
      out.push_back({point.on_first + (radius + 0.5 * gap) * n, n, gap});
    }
  }

  const PosedPolytope& a_;
  const PosedPolytope& b_;
  Vector3d shift_;
  double reach_, limit_, scale_;
  FaceAxis face_;
  Vector3d normal_ = Vector3d::Zero();  // of that face, from the first to the second
  bool of_second_ = false;
  static thread_local std::vector<int> edges_a_, edges_b_;
  static thread_local std::vector<double> bottoms_;
  static thread_local Feature feature_a_, feature_b_;
  static thread_local std::vector<OverlapPoint> points_;
};

thread_local std::vector<int> Pair::edges_a_, Pair::edges_b_;
thread_local std::vector<double> Pair::bottoms_;
thread_local Feature Pair::feature_a_, Pair::feature_b_;
thread_local std::vector<OverlapPoint> Pair::points_;

// Apart from `collide`: what that does for spheres is less than a pair needs to be set up.
[[gnu::noinline]] void collide_cores(const PosedPolytope& first, const PosedPolytope& second, double reach,
                                     std::vector<PairPoint>& points) {
  Pair pair(first, second, reach);
  first.shape->half_extents&& second.shape->half_extents ? pair.collide_boxes(points) : pair.collide(points);
}

}  // namespace

void collide(const PosedPolytope& first, const PosedPolytope& second, double reach, std::vector<PairPoint>& points) {
  const bool one_sphere = first.vertices.size() == 1, other_sphere = second.vertices.size() == 1;
  if (one_sphere && other_sphere) return collide_spheres(first, second, reach, points);
  if (one_sphere && second.shape->half_extents) return collide_sphere_and_box(first, second, true, reach, points);
  if (other_sphere && first.shape->half_extents) return collide_sphere_and_box(second, first, false, reach, points);
  collide_cores(first, second, reach, points);
}

}  // namespace locdyn::detection
