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

// The edge along axis k that is farthest in the direction of which `dots` are the parts along the axes.
int edge_along(const PosedPolytope& box, int k, const Vector3d& dots) {
  int low = 0;  // its corner at the lower end: a bit for each axis along which it lies above the center
  for (int other = 0; other < 3; ++other) {
    if (other != k && dots[other] > 0) low |= 1 << other;
  }
  const auto edges = box.shape->edges_of(low);
  return *std::ranges::find(edges, low | 1 << k, [&](int e) { return box.shape->edges()[e].vertex[1]; });
}

Vector3d along_axes(const PosedPolytope& box, const Vector3d& n) {
  return {n.dot(box.axis(0)), n.dot(box.axis(1)), n.dot(box.axis(2))};
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
    cosines_(i, 3) = 0;
    along_a_[i] = a.axis(i).dot(shift);
    along_b_[i] = b.axis(i).dot(shift);
  }
}

FaceAxis BoxAxes::best_face_of_first() const {
  return best_of(along_a_, half_a_ + cosines_.leftCols<3>().cwiseAbs() * half_b_);
}

FaceAxis BoxAxes::best_face_of_second() const {
  return best_of(-along_b_, half_b_ + cosines_.leftCols<3>().cwiseAbs().transpose() * half_a_);
}

// An axis of the first at a time, those of the second side by side: 0.65 of the instructions of one by one.
EdgeAxis BoxAxes::best_edges(double floor) const {
  using FourAxes = Eigen::Array<double, 1, 4, Eigen::RowMajor>;
  double most = floor - 1e-6 * (half_a_.sum() + half_b_.sum());  // digits that an axis of nearly parallel edges loses
  int along = -1, across = -1;
  const FourAxes half_p(half_b_[1], half_b_[2], half_b_[0], 0), half_q(half_b_[2], half_b_[0], half_b_[1], 0);
  for (int i = 0; i < 3; ++i) {
    const int k = i < 2 ? i + 1 : 0, l = i > 0 ? i - 1 : 2;
    // Of axis i of a × axis j of b: along axes k and l of a it is −ck and cl, along the two after j of b, p and q,
    // ∓ cosines_(i, ·).
    const FourAxes cl = cosines_.row(k), ck = cosines_.row(l), ci = cosines_.row(i).cwiseAbs();
    const FourAxes cp(ci[1], ci[2], ci[0], 0), cq(ci[2], ci[0], ci[1], 0);
    const FourAxes length = (cl * cl + ck * ck).sqrt();
    const FourAxes shift = (cl * along_a_[l] - ck * along_a_[k]).abs();
    const FourAxes reach = half_a_[k] * ck.abs() + half_a_[l] * cl.abs() + half_p * cq + half_q * cp;
    const FourAxes separation = (shift - reach) / length;
    for (int j = 0; j < 3; ++j) {
      if (length[j] > 1e-8 && separation[j] > most) most = separation[j], along = i, across = j;
    }
  }
  if (along < 0) return {};
  Vector3d n = a_.axis(along).cross(b_.axis(across)).normalized();
  if (n.dot(shift_) < 0) n = -n;
  const Vector3d of_a = along_axes(a_, n), of_b = along_axes(b_, n);
  const double separation = n.dot(shift_) - half_a_.dot(of_a.cwiseAbs()) - half_b_.dot(of_b.cwiseAbs());
  return {n, separation, edge_along(a_, along, of_a), edge_along(b_, across, -of_b)};
}

}  // namespace locdyn::detection
