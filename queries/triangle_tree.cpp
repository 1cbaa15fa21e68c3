#include <locdyn/queries/triangle_tree.hpp>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace locdyn::detail {
namespace {

// Space turned and sheared so that the ray runs along the third axis.
class Shear {
 public:
  explicit Shear(const LocalRay& ray) : origin_(ray.origin) {
    ray.direction.cwiseAbs().maxCoeff(&z_);
    x_ = (z_ + 1) % 3;
    y_ = (z_ + 2) % 3;
    shear_ = {ray.direction[x_] / ray.direction[z_], ray.direction[y_] / ray.direction[z_], 1 / ray.direction[z_]};
  }

  [[nodiscard]] Eigen::Vector3d operator()(const Eigen::Vector3d& point) const {
    const Eigen::Vector3d p = point - origin_;
    return {p[x_] - shear_[0] * p[z_], p[y_] - shear_[1] * p[z_], shear_[2] * p[z_]};
  }

 private:
  Eigen::Vector3d origin_, shear_;
  int x_ = 0, y_ = 1, z_ = 2;
};

double edge(const Eigen::Vector3d& p, const Eigen::Vector3d& q) {
  return q[0] * p[1] - q[1] * p[0];
}

}  // namespace

TriangleTree::TriangleTree(TriangleMesh mesh) : mesh_(std::move(mesh)) {
  std::vector<Bounds> boxes;
  for (const std::array<int, 3>& triangle : mesh_.triangles) {
    Bounds box{mesh_.vertices[triangle[0]], mesh_.vertices[triangle[0]]};
    for (const int corner : triangle) {
      box.low = box.low.cwiseMin(mesh_.vertices[corner]);
      box.high = box.high.cwiseMax(mesh_.vertices[corner]);
    }
    if (boxes.empty()) bounds_ = box;
    bounds_.low = bounds_.low.cwiseMin(box.low);
    bounds_.high = bounds_.high.cwiseMax(box.high);
    boxes.push_back(box);
  }
  tree_ = BoundsTree(std::move(boxes));
}

std::optional<ShapeHit> TriangleTree::enter(const LocalRay& ray) const {
  const Shear shear(ray);
  std::optional<std::pair<double, std::uint32_t>> best;
  tree_.along(BoxRay(ray.origin, ray.direction), std::numeric_limits<double>::infinity(),
              [&](std::uint32_t number, double most) {
                const auto& [a, b, c] = mesh_.triangles[number];
                const Eigen::Vector3d A = shear(mesh_.vertices[a]), B = shear(mesh_.vertices[b]),
                                      C = shear(mesh_.vertices[c]);
                const double U = edge(B, C), V = edge(C, A), W = edge(A, B), sum = U + V + W;
                const bool outside = (U < 0 || V < 0 || W < 0) && (U > 0 || V > 0 || W > 0);
                if (outside || sum == 0) return most;
                const double t = (U * A[2] + V * B[2] + W * C[2]) / sum;
                if (!(t >= 0) || (best && std::pair(t, number) >= *best)) return most;
                best = {t, number};
                return t;
              });
  if (!best) return std::nullopt;
  const auto& [a, b, c] = mesh_.triangles[best->second];
  Eigen::Vector3d normal = (mesh_.vertices[b] - mesh_.vertices[a]).cross(mesh_.vertices[c] - mesh_.vertices[a]);
  if (normal.dot(ray.direction) > 0) normal = -normal;
  return ShapeHit{best->first, normal};
}

}  // namespace locdyn::detail
