#include "convex_pair.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "manifold.hpp"

namespace locdyn::detection {
namespace {

using Eigen::Vector3d;
// Edges that are parallel to this angle [rad] touch along a line. What is round about them hides the rest.
constexpr double kSharp = 1e-9, kRounded = 1e-2;
constexpr double kNone = -std::numeric_limits<double>::infinity();

struct FaceAxis {
  int face = -1;
  double separation = kNone;
};

// The face of `a` that the whole of `b` (moved by `shift`) is farthest above, or least below.
FaceAxis best_face(const PosedPolytope& a, const PosedPolytope& b, const Vector3d& shift, double limit) {
  FaceAxis best;
  for (int f = 0; f < a.shape->axes; ++f) {
    const Vector3d& n = a.normals[f];
    double least = std::numeric_limits<double>::infinity();
    for (const Vector3d& vertex : b.vertices) least = std::min(least, n.dot(vertex));
    const double separation = least + n.dot(shift) - a.shape->offsets[f];
    if (separation > best.separation && b.allows(-n)) best = {f, separation};
    if (separation > limit) break;
  }
  return best;
}

double separation_along(const PosedPolytope& a, const PosedPolytope& b, const Vector3d& shift, const Vector3d& n) {
  double top = kNone, bottom = -kNone;
  for (const Vector3d& vertex : a.vertices) top = std::max(top, n.dot(vertex));
  for (const Vector3d& vertex : b.vertices) bottom = std::min(bottom, n.dot(vertex));
  return bottom + n.dot(shift) - top;
}

struct EdgeAxis {
  Vector3d normal = Vector3d::Zero();
  double separation = kNone;
  int a = -1, b = -1;
};

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

  void collide(std::vector<PairPoint>& out) {
    const FaceAxis on_a = best_face(a_, b_, shift_, limit_);
    if (on_a.separation > limit_) return;
    const FaceAxis on_b = best_face(b_, a_, -shift_, limit_);
    if (on_b.separation > limit_) return;
    const bool take_b = on_b.separation > on_a.separation + rounding();
    const double face = std::max(on_a.separation, on_b.separation);
    const Vector3d face_normal = face == kNone ? Vector3d::Zero().eval()
                                 : take_b      ? Vector3d(-b_.normals[on_b.face])
                                               : a_.normals[on_a.face];
    if (face != kNone) {
      overlap(face_normal, kOnFace);
      if (take_b ? proves(b_, on_b, -shift_, true) : proves(a_, on_a, Vector3d::Zero(), false)) {
        return emit(face_normal, out);
      }
    }

    collect_edges(face);
    const EdgeAxis edge = best_edge();
    if (edge.separation > limit_) return;
    const double most = std::max(face, edge.separation);
    if (most > -rounding() || face == kNone) {
      apart(face, face_normal, edge, out);
    } else if (edge.separation > face + rounding()) {
      crossing(edge, out);
    } else {
      emit(face_normal, out);
    }
  }

 private:
  // Differences below this are rounding.
  [[nodiscard]] double rounding() const { return 1e-12 * (scale_ + shift_.norm()); }

  void overlap(const Vector3d& n, const Lean& lean) {
    find_feature(a_, Vector3d::Zero(), n, lean, feature_a_);
    find_feature(b_, shift_, -n, lean, feature_b_);
    find_overlap(feature_a_, feature_b_, n, 1e-6 * scale_, limit_ > reach_ ? kRounded : kSharp, points_);
  }

  // Does the overlap show that the face has the largest separation? Apart: its lowest point lies as high above the face
  // as the other shape does, so that this is the distance. In penetration: about the middle of the lowest points there
  // is a ball inside the face's shape as large as the depth.
  [[nodiscard]] bool proves(const PosedPolytope& owner, const FaceAxis& axis, const Vector3d& origin, bool on_b) const {
    if (points_.empty()) return false;
    double lowest = std::numeric_limits<double>::infinity();
    for (const OverlapPoint& point : points_) lowest = std::min(lowest, point.gap);
    if (lowest > axis.separation + rounding()) return false;
    if (axis.separation >= -rounding()) return true;
    const double near = 1e-9 * scale_;
    Vector3d middle = Vector3d::Zero();
    double count = 0;
    const Vector3d n = on_b ? Vector3d(-owner.normals[axis.face]) : owner.normals[axis.face];
    for (const OverlapPoint& point : points_) {
      if (point.gap > lowest + near) continue;
      middle += on_b ? point.on_first : Vector3d(point.on_first + point.gap * n);  // on the other shape
      ++count;
    }
    middle = middle / count + origin;
    for (std::size_t f = 0; f < owner.normals.size(); ++f) {
      if (owner.normals[f].dot(middle) - owner.shape->offsets[f] > axis.separation + near) return false;
    }
    return true;
  }

  // Edges that come near enough to the other shape to matter.
  void collect_edges(double face) {
    const double margin = limit_ + (face == kNone ? 0 : std::abs(face));
    const auto collect = [margin](const PosedPolytope& of, const Vector3d& low, const Vector3d& high,
                                  std::vector<int>& kept) {
      kept.clear();
      for (int e = 0; e < static_cast<int>(of.shape->edges.size()); ++e) {
        const auto [v, w] = of.shape->edges[e].vertex;
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
    const auto [from, to] = of.shape->edges[e].vertex;
    return of.vertices[to] - of.vertices[from];
  }

  // Do the arcs of two edges on the sphere of normals cross, so that n = ± u × v supports both? With the left face
  // first, n_left × n_right points along the edge: the arcs' planes have u and v as their normals.
  [[nodiscard]] bool arcs_cross(int ea, int eb, const Vector3d& u, const Vector3d& v) const {
    const auto [left_b, right_b] = b_.shape->edges[eb].face;
    const double left_u = b_.normals[left_b].dot(u);
    if (left_u * b_.normals[right_b].dot(u) >= 0) return false;
    const auto [left_a, right_a] = a_.shape->edges[ea].face;
    const double right_v = a_.normals[right_a].dot(v);
    return right_v * a_.normals[left_a].dot(v) < 0 && left_u * right_v < 0;
  }

  [[nodiscard]] EdgeAxis best_edge() const {
    EdgeAxis best;
    for (int ea : edges_a_) {
      const Vector3d u = along(a_, ea);
      const Vector3d& pa = a_.vertices[a_.shape->edges[ea].vertex[0]];
      for (int eb : edges_b_) {
        const Vector3d v = along(b_, eb);
        const bool closed = a_.shape->has_volume() && b_.shape->has_volume();
        if (closed && !arcs_cross(ea, eb, u, v)) continue;
        Vector3d n = u.cross(v);
        const double length = n.norm();
        if (!(length > 1e-8 * std::sqrt(u.squaredNorm() * v.squaredNorm()))) continue;
        n /= length;
        if (closed) {
          const auto [fa, fb] = a_.shape->edges[ea].face;
          if (n.dot(a_.normals[fa] + a_.normals[fb]) < 0) n = -n;
          const Vector3d pb = b_.vertices[b_.shape->edges[eb].vertex[0]] + shift_;
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
    const auto [a0, a1] = a_.shape->edges[ea].vertex;
    const auto [b0, b1] = b_.shape->edges[eb].vertex;
    return closest_on_segments(a_.vertices[a0], a_.vertices[a1], b_.vertices[b0] + shift_, b_.vertices[b1] + shift_);
  }

  // The cores are apart (or just touch) and no face shows it: the closest points lie on an edge or a vertex of each.
  void apart(double face, const Vector3d& face_normal, const EdgeAxis& edge, std::vector<PairPoint>& out) {
    SegmentPair nearest{Vector3d::Zero(), Vector3d::Zero()};
    double distance = std::numeric_limits<double>::infinity();
    for (int ea : edges_a_) {
      for (int eb : edges_b_) {
        const SegmentPair pair = closest(ea, eb);
        const double length = (pair.second - pair.first).norm();
        if (length < distance - rounding()) {
          distance = length;
          nearest = pair;
        }
      }
    }
    if (distance > limit_) return;
    if (edge.separation >= distance - rounding() && edge.separation > face + rounding()) return crossing(edge, out);
    Vector3d n = (nearest.second - nearest.first) / distance;
    // Too near for a direction: the closest points of edges that are almost parallel lie somewhere along them, and what
    // is between them points anywhere. The right one keeps the shapes as far apart as the points are.
    if (distance <= 1e-10 * scale_ || separation_along(a_, b_, shift_, n) < 0.5 * distance) {
      n = edge.separation > face ? edge.normal : face_normal;
      if (face == kNone && edge.a < 0)
        n = shift_.norm() > rounding() ? Vector3d(shift_.normalized()) : Vector3d::UnitZ();
    }
    if (!a_.allows(n)) return emit_face(face, face_normal, out);
    overlap(n, kOnEdge);
    ensure(nearest, n);
    emit(n, out);
  }

  // The closest points lie on an edge that a neighbour covers: what lies over the face counts.
  void emit_face(double face, const Vector3d& face_normal, std::vector<PairPoint>& out) {
    if (face == kNone) return;
    overlap(face_normal, kOnFace);
    emit(face_normal, out);
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
  static thread_local std::vector<int> edges_a_, edges_b_;
  static thread_local Feature feature_a_, feature_b_;
  static thread_local std::vector<OverlapPoint> points_;
};

thread_local std::vector<int> Pair::edges_a_, Pair::edges_b_;
thread_local Feature Pair::feature_a_, Pair::feature_b_;
thread_local std::vector<OverlapPoint> Pair::points_;

// Two spheres: along the line of their centres.
void collide_spheres(const PosedPolytope& first, const PosedPolytope& second, double reach,
                     std::vector<PairPoint>& points) {
  const Vector3d shift = second.center - first.center;
  const double radius = first.shape->radius, other_radius = second.shape->radius;
  const double reached = reach + radius + other_radius, distance2 = shift.squaredNorm();
  if (distance2 > reached * reached) return;
  const double distance = std::sqrt(distance2), gap = distance - radius - other_radius;
  const bool apart = distance > 1e-12 * (radius + other_radius);  // else no direction is better than another
  const Vector3d n = apart ? Vector3d(shift / distance) : Vector3d::UnitZ();
  points.push_back({(radius + 0.5 * gap) * n, n, gap});
}

}  // namespace

void collide(const PosedPolytope& first, const PosedPolytope& second, double reach, std::vector<PairPoint>& points) {
  if (first.vertices.size() == 1 && second.vertices.size() == 1) {
    return collide_spheres(first, second, reach, points);
  }
  Pair(first, second, reach).collide(points);
}

}  // namespace locdyn::detection
