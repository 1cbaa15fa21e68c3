#include "half_space.hpp"

namespace locdyn::detection {

void rest_on_plane(const HalfSpace& plane, const Eigen::Vector3d& center, const Feature& feature, double radius,
                   double size, double reach, std::vector<PairPoint>& points) {
  static thread_local std::vector<OverlapPoint> corners;
  const Eigen::Vector3d& n = plane.normal;
  const double height = n.dot(center - plane.origin);
  corners.clear();
  for (const Eigen::Vector3d& x : feature.points) {
    const double gap = height + n.dot(x) - radius;
    if (gap <= reach) corners.push_back({x, gap});
  }
  thin_out(n, 1e-10 * size, corners);
  for (const OverlapPoint& corner : corners) {
    points.push_back({corner.on_first - (radius + 0.5 * corner.gap) * n, n, corner.gap});
  }
}

void collide(const HalfSpace& plane, const PosedPolytope& shape, double reach, std::vector<PairPoint>& points) {
  if (plane.normal.dot(shape.center - plane.origin) - shape.shape->size > reach) return;
  static thread_local Feature feature;
  find_feature(shape, Eigen::Vector3d::Zero(), -plane.normal, kOnFace, feature);
  rest_on_plane(plane, shape.center, feature, shape.shape->radius, shape.shape->size, reach, points);
}

}  // namespace locdyn::detection
