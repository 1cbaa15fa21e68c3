#include "sphere_pair.hpp"

#include <algorithm>
#include <cmath>

#include "separating_axes.hpp"

namespace locdyn::detection {
namespace {
using Eigen::Vector3d;
}

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

void collide_sphere_and_box(const PosedPolytope& sphere, const PosedPolytope& box, bool sphere_first, double reach,
                            std::vector<PairPoint>& points) {
  const Vector3d center = sphere.center - box.center, &half = *box.shape->half_extents;
  const double radius = sphere.shape->radius, limit = reach + radius;
  Vector3d beyond = Vector3d::Zero();  // from the nearest point of the box, which it is where it lies outside
  int sides = 0;                       // that it lies beyond
  FaceAxis face;
  for (int k = 0; k < 3; ++k) {
    const Vector3d& axis = box.axis(k);
    const double along = axis.dot(center), over = std::abs(along) - half[k];
    if (over > 0) {
      beyond += (along > 0 ? over : -over) * axis;
      ++sides;
    }
    if (over > face.separation) face = {along > 0 ? 2 * k + 1 : 2 * k, over};
  }
  if (face.separation > limit) return;
  const double across = beyond.norm();
  const bool over_face = sides <= 1 || across <= 1e-10 * std::min(box.shape->size, sphere.shape->size);
  const double distance = over_face ? face.separation : across;
  if (distance > limit) return;
  const Vector3d n = over_face ? box.normals[static_cast<std::size_t>(face.face)] : Vector3d(beyond / across);
  const double gap = distance - radius;
  if (sphere_first) {
    points.push_back({-(radius + 0.5 * gap) * n, -n, gap});
  } else {
    points.push_back({center - (distance - 0.5 * gap) * n, n, gap});
  }
}

}  // namespace locdyn::detection
