#include "separating_axes.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace locdyn::detection {
namespace {

using Eigen::Vector3d;

FaceAxis best_of(const Vector3d& along, const Vector3d& reach) {
  FaceAxis best;
  for (int k = 0; k < 3; ++k) {
    const double separation = std::abs(along[k]) - reach[k];
    if (separation > best.separation) best = {along[k] > 0 ? 2 * k + 1 : 2 * k, separation};
  }
  return best;
}

// The edge along axis k that is farthest in direction n.
int edge_along(const PosedPolytope& box, int k, const Vector3d& n) {
  int low = 0;  // its corner at the lower end: a bit for each axis along which it lies above the center
  for (int other = 0; other < 3; ++other) {
    if (other != k && n.dot(box.axis(other)) > 0) low |= 1 << other;
  }
  const auto edges = box.shape->edges_of(low);
  return *std::ranges::find(edges, low | 1 << k, [&](int e) { return box.shape->edges()[e].vertex[1]; });
}

}  // namespace

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
  double top = kNoAxis, bottom = -kNoAxis;
  for (const Vector3d& vertex : a.vertices) top = std::max(top, n.dot(vertex));
  for (const Vector3d& vertex : b.vertices) bottom = std::min(bottom, n.dot(vertex));
  return bottom + n.dot(shift) - top;
}

BoxAxes::BoxAxes(const PosedPolytope& a, const PosedPolytope& b, const Vector3d& shift)
    : a_(a), b_(b), shift_(shift), half_a_(*a.shape->half_extents), half_b_(*b.shape->half_extents) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) cosines_(i, j) = a.axis(i).dot(b.axis(j));
    along_a_[i] = a.axis(i).dot(shift);
    along_b_[i] = b.axis(i).dot(shift);
  }
}

FaceAxis BoxAxes::best_face_of_first() const {
  return best_of(along_a_, half_a_ + cosines_.cwiseAbs() * half_b_);
}

FaceAxis BoxAxes::best_face_of_second() const {
  return best_of(-along_b_, half_b_ + cosines_.cwiseAbs().transpose() * half_a_);
}

EdgeAxis BoxAxes::best_edges(double floor) const {
  double most = floor - 1e-6 * (half_a_.sum() + half_b_.sum());  // digits that an axis of nearly parallel edges loses
  int along = -1, across = -1;
  for (int i = 0; i < 3; ++i) {
    const int k = (i + 1) % 3, l = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int p = (j + 1) % 3, q = (j + 2) % 3;
      // Of axis i of a × axis j of b: along axes k and l of a it is −ck and cl, along p and q of b ∓ cosines_(i, ·).
      const double cl = cosines_(k, j), ck = cosines_(l, j);
      const double length = std::sqrt(cl * cl + ck * ck);
      if (!(length > 1e-8)) continue;
      const double shift = std::abs(cl * along_a_[l] - ck * along_a_[k]);
      const double reach = half_a_[k] * std::abs(ck) + half_a_[l] * std::abs(cl) +
                           half_b_[p] * std::abs(cosines_(i, q)) + half_b_[q] * std::abs(cosines_(i, p));
      const double separation = (shift - reach) / length;
      if (separation > most) most = separation, along = i, across = j;
    }
  }
  if (along < 0) return {};
  Vector3d n = a_.axis(along).cross(b_.axis(across)).normalized();
  if (n.dot(shift_) < 0) n = -n;
  return {n, separation_along(a_, b_, shift_, n), edge_along(a_, along, n), edge_along(b_, across, -n)};
}

}  // namespace locdyn::detection
