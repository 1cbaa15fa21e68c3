#include "manifold.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace locdyn::detection {
namespace {

using Eigen::Vector3d;

using Lanes = Eigen::Array4d;

// A corner of a polygon, and how far it lies beyond each of four sides.
struct Corner {
  Vector3d at;
  Lanes beyond;
};

// Four sides of a face from the one of number `first` on, seen along n, side by side. Past the last one there are some
// of no length, which nothing lies beyond.
class FourSides {
 public:
  FourSides(const Feature& face, std::size_t first, const Vector3d& n) {
    Eigen::Array<double, 5, 3> start;
    for (std::size_t k = 0; k < 5; ++k) {
      start.row(Eigen::Index(k)) = face.points[first + k < face.points.size() ? first + k : 0];
    }
    Lanes along[3];
    for (int axis = 0; axis < 3; ++axis) along[axis] = start.col(axis).tail<4>() - start.col(axis).head<4>();
    outward_[0] = along[1] * n[2] - along[2] * n[1];
    outward_[1] = along[2] * n[0] - along[0] * n[2];
    outward_[2] = along[0] * n[1] - along[1] * n[0];
    const Lanes length2 = outward_[0] * outward_[0] + outward_[1] * outward_[1] + outward_[2] * outward_[2];
    const Lanes length = (length2 > 0).select(length2.sqrt(), 1.0);
    for (Lanes& part : outward_) part /= length;
    rim_ = outward_[0] * start.col(0).head<4>() + outward_[1] * start.col(1).head<4>() +
           outward_[2] * start.col(2).head<4>();
  }

  void look_at(Corner& corner) const {
    corner.beyond = outward_[0] * corner.at[0] + outward_[1] * corner.at[1] + outward_[2] * corner.at[2] - rim_;
  }

 private:
  Lanes outward_[3], rim_;
};

// Sutherland & Hodgman: the part of a convex polygon (or segment, or point) that lies over a face, seen along n, cut
// along four sides at a time. It holds until the next call.
std::span<const Corner> clip(std::span<const Vector3d> shape, const Feature& face, const Vector3d& n,
                             double tolerance) {
  static thread_local std::array<std::vector<Corner>, 2> corners_of_thread;  // that only grow, used in turn
  auto& rooms = corners_of_thread;                                           // looked up once
  if (rooms[0].size() < shape.size()) rooms[0].resize(shape.size());
  std::span<Corner> polygon(rooms[0].data(), shape.size());
  for (std::size_t p = 0; p < shape.size(); ++p) polygon[p].at = shape[p];
  int free = 1;  // where the polygon does not lie
  for (std::size_t first = 0; first < face.points.size(); first += 4) {
    const FourSides sides(face, first, n);
    Lanes farthest = Lanes::Constant(-1);
    for (Corner& corner : polygon) {
      sides.look_at(corner);
      farthest = farthest.max(corner.beyond);
    }
    for (int side = 0; side < 4; ++side) {
      if (farthest[side] <= tolerance) continue;
      // A side may cut off every other corner, as rounding might, each for two.
      const std::size_t corners = polygon.size();
      if (rooms[free].size() < 2 * corners) rooms[free].resize(2 * corners);
      Corner* kept = rooms[free].data();
      for (std::size_t p = 0; p < corners; ++p) {
        const Corner &here = polygon[p], &next = polygon[p + 1 < corners ? p + 1 : 0];
        const double from = here.beyond[side], to = next.beyond[side];
        if (from <= tolerance) *kept++ = here;
        if ((from > tolerance) == (to > tolerance)) continue;
        const double way = std::clamp(from / (from - to), 0.0, 1.0);
        kept->at = here.at + way * (next.at - here.at);
        sides.look_at(*kept);
        farthest = farthest.max(kept->beyond);
        ++kept;
      }
      polygon = {rooms[free].data(), kept};
      free = 1 - free;
    }
  }
  return polygon;
}

void merge_near(double merge, std::vector<OverlapPoint>& points) {
  std::size_t kept = 0;
  for (std::size_t p = 0; p < points.size(); ++p) {
    bool fresh = true;
    for (std::size_t q = 0; q < kept && fresh; ++q) {
      fresh = (points[p].on_first - points[q].on_first).squaredNorm() > merge * merge;
      if (!fresh && points[p].gap < points[q].gap - 1e-4 * merge) points[q] = points[p];  // the deeper one
    }
    if (fresh) points[kept++] = points[p];
  }
  points.erase(points.begin() + static_cast<std::ptrdiff_t>(kept), points.end());
}

// Two edges side by side overlap along the first; two that cross have one closest pair.
void overlap_edges(const Feature& first, const Feature& second, const Vector3d& n, double parallel,
                   std::vector<OverlapPoint>& points) {
  const Vector3d &a0 = first.points[0], &b0 = second.points[0];
  const Vector3d a = first.points[1] - a0, b = second.points[1] - b0;
  const double across = std::abs(a.cross(b).dot(n));
  const double along_b = b.dot(a) / a.squaredNorm();
  if (across <= parallel * a.norm() * b.norm() && along_b != 0) {
    const double start = (b0 - a0).dot(a) / a.squaredNorm();
    const double t0 = std::max(0.0, std::min(start, start + along_b));
    const double t1 = std::min(1.0, std::max(start, start + along_b));
    if (t0 < t1) {
      for (double t : {t0, t1}) {
        const Vector3d x = a0 + t * a;
        const Vector3d across_gap = b0 + (t - start) / along_b * b - x;
        const double gap = across_gap.dot(n);
        points.push_back({x + 0.5 * (across_gap - gap * n), gap});
      }
      return;
    }
  }
  const SegmentPair pair = closest_on_segments(a0, first.points[1], b0, second.points[1]);
  points.push_back({pair.first, (pair.second - pair.first).dot(n)});
}

double corner_area(const std::vector<OverlapPoint>& points, std::size_t k, const Vector3d& n) {
  const std::size_t count = points.size();
  const Vector3d& x = points[k].on_first;
  return std::abs((points[(k + 1) % count].on_first - x).cross(points[(k + count - 1) % count].on_first - x).dot(n));
}

// What of a polytope faces a direction: its support vertex, and a face or an edge there, if any.
struct Facing {
  int support = 0, face = -1, edge = -1;
};

Facing facing(const PosedPolytope& shape, const Vector3d& direction, const Lean& lean) {
  const Polytope& core = *shape.shape;
  Facing part;
  double most = shape.vertices[0].dot(direction);
  for (int v = 1; v < static_cast<int>(shape.vertices.size()); ++v) {
    const double height = shape.vertices[v].dot(direction);
    if (height > most) {
      most = height;
      part.support = v;
    }
  }

  double best = lean.face;
  for (int f : core.faces_of(part.support)) {
    const double cosine = shape.normals[f].dot(direction);
    if (cosine > best) {
      best = cosine;
      part.face = f;
    }
  }
  if (part.face >= 0) return part;

  best = lean.edge;
  for (int e : core.edges_of(part.support)) {
    const auto [from, to] = core.edges()[e].vertex;
    if (from == to) continue;
    const double cosine = std::abs((shape.vertices[to] - shape.vertices[from]).normalized().dot(direction));
    if (cosine < best) {
      best = cosine;
      part.edge = e;
    }
  }
  return part;
}

// The same of a box. Along each axis the direction has a sign, which names the corner, and a cosine, which is that of
// the face across it and of the edge along it.
Facing facing_of_box(const PosedPolytope& box, const Vector3d& direction, const Lean& lean) {
  // Corners no farther apart along the direction are as high, and the first of them counts.
  constexpr double kLevel = 1e-15;
  Facing part;
  Vector3d cosines;
  double best = lean.face;
  for (int k = 0; k < 3; ++k) {
    const double along = box.axis(k).dot(direction);
    const int above = along > kLevel ? 1 : 0;
    part.support |= above << k;
    cosines[k] = std::abs(along);
    if (cosines[k] > best) {
      best = cosines[k];
      part.face = 2 * k + above;
    }
  }
  if (part.face >= 0) return part;

  best = lean.edge;
  for (int e : box.shape->edges_of(part.support)) {
    const auto [from, to] = box.shape->edges()[e].vertex;
    const int k = (to - from) / 2;                          // along axis k the number of the end is larger by 2^k
    const double cosine = cosines[k] / box.axis(k).norm();  // a body that deforms stretches its axes
    if (cosine < best) {
      best = cosine;
      part.edge = e;
    }
  }
  return part;
}

}  // namespace

void find_feature(const PosedPolytope& shape, const Vector3d& shift, const Vector3d& direction, const Lean& lean,
                  Feature& feature) {
  const Polytope& core = *shape.shape;
  const Facing part = core.half_extents ? facing_of_box(shape, direction, lean) : facing(shape, direction, lean);
  const auto take = [&](std::span<const int> corners) {
    feature.points.resize(corners.size());
    for (std::size_t k = 0; k < corners.size(); ++k) feature.points[k] = shape.vertices[corners[k]] + shift;
  };
  if (part.face >= 0) {
    take(core.loop(part.face));
    feature.normal = shape.normals[part.face];
  } else if (part.edge >= 0) {
    take(core.edges()[part.edge].vertex);
  } else {
    take({&part.support, 1});
  }
}

void find_overlap(const Feature& first, const Feature& second, const Vector3d& n, double merge, double parallel,
                  std::vector<OverlapPoint>& points) {
  points.clear();
  const double tolerance = 1e-6 * merge;
  if (first.points.size() >= 3) {
    const double slope = first.normal.dot(n);
    for (const auto& [x, beyond] : clip(second.points, first, n, tolerance)) {
      const double gap = first.normal.dot(x - first.points[0]) / slope;
      points.push_back({x - gap * n, gap});
    }
  } else if (second.points.size() >= 3) {
    const double slope = second.normal.dot(n);
    for (const auto& [x, beyond] : clip(first.points, second, -n, tolerance)) {
      points.push_back({x, second.normal.dot(second.points[0] - x) / slope});
    }
  } else if (first.points.size() == 2 && second.points.size() == 2) {
    overlap_edges(first, second, n, parallel, points);
  } else {
    const SegmentPair pair =
        closest_on_segments(first.points.front(), first.points.back(), second.points.front(), second.points.back());
    points.push_back({pair.first, (pair.second - pair.first).dot(n)});
  }
  merge_near(merge, points);
}

void thin_out(const Vector3d& n, double tolerance, std::vector<OverlapPoint>& points) {
  if (points.size() <= 4) return;
  const auto shallower = [](const OverlapPoint& p, const OverlapPoint& q) { return p.gap < q.gap; };
  const OverlapPoint deepest = *std::min_element(points.begin(), points.end(), shallower);
  double area = 0;
  for (std::size_t k = 1; k + 1 < points.size(); ++k) {
    area +=
        std::abs((points[k].on_first - points[0].on_first).cross(points[k + 1].on_first - points[0].on_first).dot(n));
  }
  constexpr double kMatters = 0.02;  // of the area
  while (points.size() > 4) {
    // Of corners that matter as little as each other to a part in a thousand, the first goes: rounding decides nothing.
    double least = corner_area(points, 0, n);
    for (std::size_t k = 1; k < points.size(); ++k) least = std::min(least, corner_area(points, k, n));
    if (points.size() <= 8 && least > kMatters * area) break;
    std::size_t k = 0;
    while (corner_area(points, k, n) > 1.001 * least + 1e-12 * area) ++k;
    points.erase(points.begin() + static_cast<std::ptrdiff_t>(k));
  }
  const double left = std::min_element(points.begin(), points.end(), shallower)->gap;
  if (deepest.gap < left - tolerance) points.push_back(deepest);
}

SegmentPair closest_on_segments(const Vector3d& a0, const Vector3d& a1, const Vector3d& b0, const Vector3d& b1) {
  const Vector3d a = a1 - a0, b = b1 - b0, r = a0 - b0;
  const double aa = a.squaredNorm(), bb = b.squaredNorm();
  const double ar = a.dot(r), br = b.dot(r), ab = a.dot(b);
  const auto clamped = [](double t) { return std::clamp(t, 0.0, 1.0); };
  double s = 0, t = 0;
  if (aa == 0) {
    t = bb == 0 ? 0 : clamped(br / bb);
  } else if (bb == 0) {
    s = clamped(-ar / aa);
  } else {
    // The interior minimum, then each end in turn where it lies outside. a × b keeps its digits where the determinant
    // aa bb − ab² loses them.
    const double determinant = a.cross(b).squaredNorm();
    if (determinant > 1e-20 * aa * bb) s = clamped((ab * br - ar * bb) / determinant);
    t = (ab * s + br) / bb;
    if (t < 0 || t > 1) {
      t = clamped(t);
      s = clamped((ab * t - ar) / aa);
    }
  }
  return {a0 + s * a, b0 + t * b};
}

}  // namespace locdyn::detection
