// How deep two convex cores overlap: a polytope inside their difference grows where its surface is nearest to the
// origin, until the difference goes no farther there. Each normal n that is tried parts the cores by h(n) = max n·w, an
// upper bound; the nearest face is a lower one.
//
// Source: van den Bergen, "Proximity Queries and Penetration Depth Computation on 3D Game Objects", GDC (2001). Faces
// keep their neighbours and are left by a flood from the face that grows, as in quickhull (Barber, Dobkin & Huhdanpaa,
// ACM TOMS 22 (1996) 469–483): points in one plane, the rule between boxes, then make no sliver.

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <locdyn/queries/core_difference.hpp>

namespace locdyn::detail {
namespace {

using Eigen::Vector3d;
using Point = CoreDifference::Point;

class ExpandingPolytope {
 public:
  explicit ExpandingPolytope(const CoreDifference& difference)
      : difference_(difference), tolerance_(1e-14 * difference.size()) {}

  // Four points that span a large tetrahedron, and their faces. A unit normal where the difference is flat across it.
  std::optional<Vector3d> start() {
    const double thin = 1e-13 * difference_.size();
    add_farther_of(Vector3d::UnitX(), Vector3d::Zero());
    Vector3d along = Vector3d::Zero();
    for (int axis = 0; axis < 3; ++axis) keep_longer(along, reach(Vector3d::Unit(axis)));
    if (along.norm() <= thin) return Vector3d::UnitZ();
    along.normalize();
    add_farther_of(along, points_[0].w);
    along = (points_[1].w - points_[0].w).normalized();

    // Of two directions across the edge one is at least 1/√2 as wide as the difference is.
    const Vector3d across = along.unitOrthogonal(), other = along.cross(across);
    const double width = farther_of(across, points_[0].w).second, other_width = farther_of(other, points_[0].w).second;
    if (std::max(width, other_width) <= thin) return across;
    add_farther_of(width >= other_width ? across : other, points_[0].w);

    const Vector3d normal = along.cross(points_[2].w - points_[0].w).normalized();
    if (farther_of(normal, points_[0].w).second <= thin) return normal;
    add_farther_of(normal, points_[0].w);
    if (normal.dot(points_[3].w - points_[0].w) > 0) std::swap(points_[1], points_[2]);
    add_face({0, 1, 2}, {1, 2, 3});
    add_face({0, 3, 1}, {3, 2, 0});
    add_face({1, 3, 2}, {1, 3, 0});
    add_face({2, 3, 0}, {2, 1, 0});
    return std::nullopt;
  }

  // Grows until the nearest face is one of the difference, to rounding; of all normals tried the one that parts best.
  void grow() {
    constexpr int kMost = 1000;
    for (int step = 0; step < kMost; ++step) {
      const int near = nearest_face();
      if (near < 0 || faces_[near].offset >= depth_ - tolerance_) return;
      const Point next = difference_.farthest(faces_[near].normal);
      const double part = next.w.dot(faces_[near].normal);
      if (part < depth_) {
        depth_ = part;
        normal_ = faces_[near].normal;
      }
      if (part <= faces_[near].offset + tolerance_ || !absorb(near, next)) faces_[near].ended = true;
    }
  }

  // Where the surface comes nearest to the end of the way that parts them; its direction parts as well, to rounding.
  [[nodiscard]] Gap gap() const {
    DifferenceSimplex nearest;
    double least = kInfinite;
    for (const Face& face : faces_) {
      if (!face.alive || face.offset > depth_ + 1e-9 * difference_.size()) continue;
      DifferenceSimplex carrier;
      for (const int corner : face.corner) carrier.at[carrier.count++] = points_[corner];
      keep_nearest(carrier, 0);
      const double off = (carrier.nearest() - depth_ * normal_).norm();
      if (off < least) least = off, nearest = carrier;
    }
    const Vector3d v = nearest.nearest();
    const double length = v.norm();
    if (length > 1e-3 * difference_.size()) {
      const Vector3d n = v / length;
      const double part = n.dot(difference_.farthest(n).w);
      if (part <= depth_ + 100 * tolerance_) return difference_.rounded(-part, -n, nearest.a(), nearest.b());
    }
    return difference_.rounded(-depth_, -normal_, nearest.a(), nearest.b());
  }

 private:
  struct Face {
    std::array<int, 3> corner;  // anticlockwise from outside
    std::array<int, 3> beyond;  // the face across the edge from corner k to k + 1
    Vector3d normal;
    double offset;       // of its plane from the origin
    bool alive = true;   // still on the surface
    bool ended = false;  // nothing is gained by growing it
  };
  struct RimEdge {
    int from, to, beyond;
  };

  // The farthest point along n or −n, as seen from `from`, and how far that is.
  [[nodiscard]] std::pair<Point, double> farther_of(const Vector3d& n, const Vector3d& from) const {
    const Point ahead = difference_.farthest(n), behind = difference_.farthest(-n);
    const double far = n.dot(ahead.w - from), back = -n.dot(behind.w - from);
    return far >= back ? std::pair(ahead, far) : std::pair(behind, back);
  }
  void add_farther_of(const Vector3d& n, const Vector3d& from) { points_.push_back(farther_of(n, from).first); }
  [[nodiscard]] Vector3d reach(const Vector3d& n) const { return farther_of(n, points_[0].w).first.w - points_[0].w; }
  static void keep_longer(Vector3d& kept, const Vector3d& other) {
    if (other.squaredNorm() > kept.squaredNorm()) kept = other;
  }

  void add_face(const std::array<int, 3>& corner, const std::array<int, 3>& beyond) {
    const Vector3d &p = points_[corner[0]].w, &q = points_[corner[1]].w, &r = points_[corner[2]].w;
    Face face{corner, beyond, (q - p).cross(r - p), 0};
    const double area = face.normal.norm();
    face.ended = !(area > 0);
    if (area > 0) face.normal /= area;
    face.offset = face.normal.dot(p + q + r) / 3;
    faces_.push_back(face);
  }
  [[nodiscard]] int nearest_face() const {
    int near = -1;
    for (int f = 0; f < static_cast<int>(faces_.size()); ++f) {
      if (!faces_[f].alive || faces_[f].ended) continue;
      if (near < 0 || faces_[f].offset < faces_[near].offset) near = f;
    }
    return near;
  }

  // The faces that see the apex, from `seed` on, give way to a cone over their rim. False where rounding leaves no rim
  // that is one loop: then nothing is changed.
  bool absorb(int seed, const Point& apex) {
    seen_.assign(1, seed);
    rim_.clear();
    for (std::size_t k = 0; k < seen_.size(); ++k) {
      const Face& face = faces_[seen_[k]];
      for (int e = 0; e < 3; ++e) {
        const int beyond = face.beyond[e];
        if (std::find(seen_.begin(), seen_.end(), beyond) != seen_.end()) continue;
        if (faces_[beyond].normal.dot(apex.w) > faces_[beyond].offset + tolerance_) {
          seen_.push_back(beyond);
        } else {
          rim_.push_back({face.corner[e], face.corner[(e + 1) % 3], beyond});
        }
      }
    }
    if (!order_rim()) return false;

    for (const int f : seen_) faces_[f].alive = false;
    const int first = static_cast<int>(faces_.size()), count = static_cast<int>(rim_.size());
    points_.push_back(apex);
    for (int k = 0; k < count; ++k) {
      const RimEdge& edge = rim_[k];
      add_face({edge.from, edge.to, static_cast<int>(points_.size()) - 1},
               {edge.beyond, first + (k + 1) % count, first + (k + count - 1) % count});
      Face& outer = faces_[edge.beyond];
      for (int e = 0; e < 3; ++e) {
        if (outer.corner[e] == edge.to && outer.corner[(e + 1) % 3] == edge.from) outer.beyond[e] = first + k;
      }
    }
    return true;
  }

  // Head to tail; false where the edges are not one loop.
  bool order_rim() {
    for (auto edge = rim_.begin(); edge != rim_.end() && edge + 1 != rim_.end(); ++edge) {
      const auto next = std::find_if(edge + 1, rim_.end(), [&](const RimEdge& e) { return e.from == edge->to; });
      if (next == rim_.end()) return false;
      std::iter_swap(edge + 1, next);
    }
    return rim_.size() >= 3 && rim_.back().to == rim_.front().from;
  }

  const CoreDifference& difference_;
  double tolerance_;
  std::vector<Point> points_;
  std::vector<Face> faces_;
  std::vector<int> seen_;
  std::vector<RimEdge> rim_;
  double depth_ = kInfinite;
  Vector3d normal_ = Vector3d::UnitZ();
};

}  // namespace

Gap gap_in_overlap(const CoreDifference& difference, const DifferenceSimplex& common) {
  ExpandingPolytope polytope(difference);
  if (const auto normal = polytope.start()) {
    const bool ahead = normal->dot(difference.between_middles()) >= 0;
    return difference.rounded(0, ahead ? *normal : Vector3d(-*normal), common.a(), common.b());
  }
  polytope.grow();
  return polytope.gap();
}

}  // namespace locdyn::detail
