// A shape against a surface, triangle by triangle.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "manifold.hpp"
#include "surface.hpp"

namespace locdyn::detection {
namespace {

using Eigen::Vector3d;

class Cone final : public NormalCone {
 public:
  Cone(const PosedSurface& surface, int triangle) : surface_(surface), triangle_(triangle) {}
  [[nodiscard]] bool allows(int corners, const Vector3d& n) const override {
    return surface_.surface->allows(triangle_, corners, surface_.rotation.transpose() * n);
  }

 private:
  const PosedSurface& surface_;
  int triangle_;
};

double size_of(const PosedPolytope& shape) {
  return shape.shape->size;
}
double size_of(const PosedCylinder& shape) {
  return shape.size();
}

Vector3d first_center(const PosedPolytope& triangle, const PosedPolytope&) {
  return triangle.center;
}
Vector3d first_center(const PosedPolytope&, const PosedCylinder& shape) {
  return shape.center;
}
void meet(const PosedPolytope& triangle, const PosedPolytope& shape, double reach, std::vector<PairPoint>& points) {
  collide(triangle, shape, reach, points);
}
void meet(const PosedPolytope& triangle, const PosedCylinder& shape, double reach, std::vector<PairPoint>& points) {
  const std::size_t start = points.size();
  collide(shape, triangle, reach, points);
  for (std::size_t p = start; p < points.size(); ++p) points[p].normal = -points[p].normal;
}

// The box about the shape's sphere, in the coordinates of the surface.
Bounds local_bounds(const PosedSurface& surface, const Vector3d& center, double size) {
  const Vector3d local = surface.rotation.transpose() * (center - surface.center);
  return {local - Vector3d::Constant(size), local + Vector3d::Constant(size)};
}

// The convex hull, anticlockwise about n from the lowest index on, of points about one plane.
std::vector<OverlapPoint> hull_about(const Vector3d& n, std::vector<OverlapPoint> points) {
  const Vector3d u = n.unitOrthogonal(), v = n.cross(u);
  std::sort(points.begin(), points.end(), [&](const OverlapPoint& p, const OverlapPoint& q) {
    const double pu = p.on_first.dot(u), qu = q.on_first.dot(u);
    return pu != qu ? pu < qu : p.on_first.dot(v) < q.on_first.dot(v);
  });
  const auto left_turn = [&](const OverlapPoint& a, const OverlapPoint& b, const OverlapPoint& c) {
    const Vector3d ab = b.on_first - a.on_first, bc = c.on_first - b.on_first;
    return ab.cross(bc).dot(n) > 1e-9 * ab.norm() * bc.norm();
  };
  std::vector<OverlapPoint> hull;
  for (int half = 0; half < 2; ++half) {
    const std::size_t start = hull.size();
    for (const OverlapPoint& point : points) {
      while (hull.size() >= start + 2 && !left_turn(hull[hull.size() - 2], hull.back(), point)) hull.pop_back();
      hull.push_back(point);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

// Points that several triangles show are one; of points in one plane with one normal those stay that span them.
void gather(double size, std::vector<PairPoint>& found, std::vector<PairPoint>& points) {
  constexpr double kSame = 1e-3;  // [rad], and of the size
  while (!found.empty()) {
    const PairPoint seed = found.front();
    std::vector<OverlapPoint> plane;
    std::erase_if(found, [&](const PairPoint& other) {
      if ((other.normal - seed.normal).norm() > kSame) return false;
      const Vector3d x = other.point - 0.5 * other.gap * other.normal;
      if (std::abs(seed.normal.dot(x - seed.point) + 0.5 * seed.gap) > kSame * size) return false;
      for (OverlapPoint& known : plane) {
        if ((known.on_first - x).norm() >= 1e-5 * size) continue;
        if (other.gap < known.gap - 1e-10 * size) known = {x, other.gap};
        return true;
      }
      plane.push_back({x, other.gap});
      return true;
    });
    if (plane.size() > 4) {
      const OverlapPoint deepest = *std::min_element(
          plane.begin(), plane.end(), [](const OverlapPoint& p, const OverlapPoint& q) { return p.gap < q.gap; });
      plane = hull_about(seed.normal, std::move(plane));
      thin_out(seed.normal, 1e-10 * size, plane);
      const bool held = std::any_of(plane.begin(), plane.end(),
                                    [&](const OverlapPoint& p) { return p.gap <= deepest.gap + 1e-10 * size; });
      if (!held) plane.push_back(deepest);
    }
    for (const OverlapPoint& point : plane) {
      points.push_back({point.on_first + 0.5 * point.gap * seed.normal, seed.normal, point.gap});
    }
  }
}

template <class Shape>
void collide_each(const PosedSurface& surface, const Shape& shape, double reach, std::vector<PairPoint>& points) {
  std::vector<int> triangles;
  const double size = size_of(shape);
  surface.surface->find(local_bounds(surface, shape.center, size + reach), triangles);
  std::vector<PairPoint> found;
  for (int t : triangles) {
    const auto& [a, b, c] = surface.surface->triangle(t);
    const Polytope core =
        polytope_of_triangle({surface.surface->vertex(a), surface.surface->vertex(b), surface.surface->vertex(c)});
    const Cone cone(surface, t);
    PosedPolytope triangle;
    triangle.shape = &core;
    triangle.cone = &cone;
    triangle.place(surface.rotation, surface.center);
    const double height = triangle.normals[0].dot(shape.center - triangle.center);
    if (height < -size || height > size + reach) continue;  // behind it, or out of reach
    const std::size_t start = found.size();
    meet(triangle, shape, reach, found);
    const Vector3d origin = first_center(triangle, shape) - surface.center;
    for (std::size_t p = start; p < found.size(); ++p) found[p].point += origin;
  }
  gather(size, found, points);
}

}  // namespace

void collide(const PosedSurface& surface, const PosedPolytope& shape, double reach, std::vector<PairPoint>& points) {
  collide_each(surface, shape, reach, points);
}

void collide(const PosedSurface& surface, const PosedCylinder& shape, double reach, std::vector<PairPoint>& points) {
  collide_each(surface, shape, reach, points);
}

}  // namespace locdyn::detection
