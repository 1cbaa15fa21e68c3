#include <locdyn/queries/ray_shape.hpp>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <locdyn/contact/convex_hull.hpp>

namespace locdyn::detail {
namespace {

// The part of a ray's line that lies in a convex set, cut down piece by piece.
class Stretch {
 public:
  explicit Stretch(const LocalRay& ray) : ray_(ray) {}

  // n·(x − point) ≤ 0.
  void cut(const Eigen::Vector3d& n, const Eigen::Vector3d& point) {
    const double along = n.dot(ray_.direction), ahead = n.dot(point - ray_.origin);
    if (along == 0) {
      if (ahead < 0) last_ = -kInfinite;
    } else if (along > 0) {
      last_ = std::min(last_, ahead / along);
    } else {
      begin_at(ahead / along, n);
    }
  }
  void begin_at(double t, const Eigen::Vector3d& normal) {
    if (t <= first_) return;
    first_ = t;
    normal_ = normal;
  }
  void end_at(double t) { last_ = std::min(last_, t); }

  [[nodiscard]] std::optional<ShapeHit> hit() const {
    if (!(first_ <= last_) || last_ < 0) return std::nullopt;
    if (first_ < 0) return ShapeHit{0, -ray_.direction};
    return ShapeHit{first_, normal_};
  }

 private:
  const LocalRay& ray_;
  double first_ = -kInfinite, last_ = kInfinite;
  Eigen::Vector3d normal_ = Eigen::Vector3d::Zero();
};

// |x| ≤ r of as many components as the vectors have: t where the line is inside. Nothing where it passes by.
template <int N>
std::optional<std::array<double, 2>> round_stretch(const Eigen::Matrix<double, N, 1>& origin,
                                                   const Eigen::Matrix<double, N, 1>& direction, double r) {
  const double speed = direction.norm();
  if (speed == 0) {
    if (origin.norm() > r) return std::nullopt;
    return std::array<double, 2>{-kInfinite, kInfinite};
  }
  // From the point of the line that is nearest: no cancellation between large numbers.
  const Eigen::Matrix<double, N, 1> u = direction / speed;
  double middle = -origin.dot(u);
  Eigen::Matrix<double, N, 1> nearest = origin + middle * u;
  const double more = -nearest.dot(u);
  middle += more;
  nearest += more * u;
  const double miss = nearest.norm();
  if (miss > r) return std::nullopt;
  const double half = std::sqrt((r - miss) * (r + miss));
  return std::array<double, 2>{(middle - half) / speed, (middle + half) / speed};
}

// The first point on a ball about `centre`, of those outside all it is a part of.
void nearer(std::optional<ShapeHit>& best, double t, const Eigen::Vector3d& normal) {
  if (t >= 0 && (!best || t < best->t)) best = ShapeHit{t, normal};
}

}  // namespace

std::vector<Face> faces_of(const ConvexHull& hull) {
  const TriangleMesh mesh = convex_hull(hull.points);
  std::vector<Face> faces;
  for (const auto& [a, b, c] : mesh.triangles) {
    const Eigen::Vector3d& A = mesh.vertices[a];
    faces.push_back({(mesh.vertices[b] - A).cross(mesh.vertices[c] - A).normalized(), A});
  }
  return faces;
}

std::optional<ShapeHit> enter(const Sphere& sphere, const LocalRay& ray) {
  const auto inside = round_stretch<3>(ray.origin, ray.direction, sphere.radius);
  if (!inside) return std::nullopt;
  Stretch stretch(ray);
  stretch.begin_at((*inside)[0], ray.origin + (*inside)[0] * ray.direction);
  stretch.end_at((*inside)[1]);
  return stretch.hit();
}

std::optional<ShapeHit> enter(const Box& box, const LocalRay& ray) {
  Stretch stretch(ray);
  for (int axis = 0; axis < 3; ++axis) {
    const Eigen::Vector3d n = Eigen::Vector3d::Unit(axis), side = 0.5 * box.size[axis] * n;
    stretch.cut(n, side);
    stretch.cut(-n, -side);
  }
  return stretch.hit();
}

std::optional<ShapeHit> enter(const Cylinder& cylinder, const LocalRay& ray) {
  const auto inside = round_stretch<2>(ray.origin.head<2>(), ray.direction.head<2>(), cylinder.radius);
  if (!inside) return std::nullopt;
  Stretch stretch(ray);
  Eigen::Vector3d side = Eigen::Vector3d::Zero();
  if (std::isfinite((*inside)[0])) side.head<2>() = ray.origin.head<2>() + (*inside)[0] * ray.direction.head<2>();
  stretch.begin_at((*inside)[0], side);
  stretch.end_at((*inside)[1]);
  const Eigen::Vector3d n = Eigen::Vector3d::UnitZ(), end = 0.5 * cylinder.height * n;
  stretch.cut(n, end);
  stretch.cut(-n, -end);
  return stretch.hit();
}

// The union of a cylinder's side and a ball at either end.
std::optional<ShapeHit> enter(const Capsule& capsule, const LocalRay& ray) {
  const double half = 0.5 * capsule.length;
  const Eigen::Vector3d spine(0, 0, std::clamp(ray.origin[2], -half, half));
  if ((ray.origin - spine).norm() <= capsule.radius) return ShapeHit{0, -ray.direction};
  std::optional<ShapeHit> best;
  const auto side = round_stretch<2>(ray.origin.head<2>(), ray.direction.head<2>(), capsule.radius);
  if (side && std::isfinite((*side)[0])) {
    const Eigen::Vector3d at = ray.origin + (*side)[0] * ray.direction;
    if (std::abs(at[2]) <= half) nearer(best, (*side)[0], {at[0], at[1], 0});
  }
  for (const double end : {-half, half}) {
    const Eigen::Vector3d from = ray.origin - Eigen::Vector3d(0, 0, end);
    if (const auto ball = round_stretch<3>(from, ray.direction, capsule.radius)) {
      nearer(best, (*ball)[0], from + (*ball)[0] * ray.direction);
    }
  }
  return best;
}

std::optional<ShapeHit> enter(const std::vector<Face>& hull, const LocalRay& ray) {
  Stretch stretch(ray);
  for (const Face& face : hull) stretch.cut(face.normal, face.point);
  return stretch.hit();
}

std::optional<ShapeHit> enter(const Plane&, const LocalRay& ray) {
  Stretch stretch(ray);
  stretch.cut(Eigen::Vector3d::UnitZ(), Eigen::Vector3d::Zero());
  return stretch.hit();
}

}  // namespace locdyn::detail
