#include <locdyn/contact/detection/split_polygon.hpp>

#include <Eigen/Geometry>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

namespace locdyn::detection {
namespace {

using Plane2 = Eigen::Vector2d;

// Corners in the plane of Newell's normal, which they wind around counterclockwise.
std::vector<Plane2> in_its_plane(std::span<const Eigen::Vector3d> corners) {
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < corners.size(); ++i) {
    normal += (corners[i] - corners[0]).cross(corners[(i + 1) % corners.size()] - corners[0]);
  }
  if (!(normal.norm() > 0)) normal = Eigen::Vector3d::UnitZ();
  normal.normalize();
  const Eigen::Vector3d u = normal.unitOrthogonal(), v = normal.cross(u);
  std::vector<Plane2> flat;
  flat.reserve(corners.size());
  for (const Eigen::Vector3d& x : corners) flat.emplace_back(u.dot(x - corners[0]), v.dot(x - corners[0]));
  return flat;
}

// Twice the area of a, b, c: > 0 where they wind counterclockwise.
double winding(const Plane2& a, const Plane2& b, const Plane2& c) {
  const Plane2 to_b = b - a, to_c = c - a;
  return to_b.x() * to_c.y() - to_b.y() * to_c.x();
}

// What is left of a polygon while its ears are clipped.
class Remainder {
 public:
  explicit Remainder(std::vector<Plane2> corners) : corners_(std::move(corners)), left_(corners_.size()) {
    std::iota(left_.begin(), left_.end(), 0);
  }
  [[nodiscard]] bool has_ears() const { return left_.size() > 3; }

  // The ear with the shortest cut; where there is none (the polygon crosses itself), the shortest cut of all.
  [[nodiscard]] std::size_t next_ear() const {
    std::size_t ear = left_.size(), any = 0;
    double shortest = std::numeric_limits<double>::infinity(), shortest_of_all = shortest;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      const double cut = (at(i + 1) - at(i + left_.size() - 1)).squaredNorm();
      if (cut < shortest_of_all) shortest_of_all = cut, any = i;
      if (cut < shortest && is_ear(i)) shortest = cut, ear = i;
    }
    return ear < left_.size() ? ear : any;
  }

  [[nodiscard]] std::array<int, 3> clip(std::size_t i) {
    const std::array<int, 3> triangle{name(i + left_.size() - 1), name(i), name(i + 1)};
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(i));
    return triangle;
  }

 private:
  [[nodiscard]] int name(std::size_t i) const { return left_[i % left_.size()]; }
  [[nodiscard]] const Plane2& at(std::size_t i) const { return corners_[static_cast<std::size_t>(name(i))]; }

  // Its corner is convex, and no other corner lies in the triangle; those on the cut itself would be cut off.
  [[nodiscard]] bool is_ear(std::size_t i) const {
    const std::size_t n = left_.size();
    const Plane2 &before = at(i + n - 1), &here = at(i), &after = at(i + 1);
    if (!(winding(before, here, after) > 0)) return false;
    for (std::size_t k = 2; k + 1 < n; ++k) {
      const Plane2& other = at(i + k);
      if (other == before || other == here || other == after) continue;  // a seam, where the outline meets itself
      if (winding(before, here, other) >= 0 && winding(here, after, other) >= 0 && winding(after, before, other) >= 0) {
        return false;
      }
    }
    return true;
  }

  std::vector<Plane2> corners_;
  std::vector<int> left_;
};

}  // namespace

std::vector<std::array<int, 3>> split_polygon(std::span<const Eigen::Vector3d> corners) {
  if (corners.size() == 3) return {{0, 1, 2}};
  std::vector<std::array<int, 3>> triangles;
  Remainder polygon(in_its_plane(corners));
  while (polygon.has_ears()) triangles.push_back(polygon.clip(polygon.next_ear()));
  triangles.push_back(polygon.clip(1));
  return triangles;
}

}  // namespace locdyn::detection
