#include <locdyn/contact/convex_hull.hpp>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn::detail {
namespace {

using Eigen::Vector3d;

[[noreturn]] void refuse_flat(double volume) {
  throw std::invalid_argument("points: expected a hull with a volume, found points in a plane (volume " +
                              spelled(volume) + ")");
}

class Quickhull {
 public:
  explicit Quickhull(std::span<const Vector3d> points) : points_(points) {
    Vector3d low = points[0], high = points[0];
    for (const Vector3d& point : points) {
      low = low.cwiseMin(point);
      high = high.cwiseMax(point);
    }
    diagonal_ = (high - low).norm();
    tolerance_ = 1e-12 * diagonal_;
    start();
    for (std::size_t f = 0; f < faces_.size(); ++f) {
      while (faces_[f].alive && !faces_[f].outside.empty()) absorb(static_cast<int>(f));
    }
  }

  [[nodiscard]] TriangleMesh surface() const {
    std::vector<int> place(points_.size(), -1);
    for (const Face& face : faces_) {
      if (!face.alive) continue;
      for (int v : face.v) place[v] = 0;
    }
    TriangleMesh mesh;
    for (std::size_t p = 0; p < points_.size(); ++p) {
      if (place[p] < 0) continue;
      place[p] = static_cast<int>(mesh.vertices.size());
      mesh.vertices.push_back(points_[p]);
    }
    for (const Face& face : faces_) {
      if (face.alive) mesh.triangles.push_back({place[face.v[0]], place[face.v[1]], place[face.v[2]]});
    }
    return mesh;
  }

 private:
  struct Face {
    std::array<int, 3> v;
    std::array<int, 3> beyond;  // the face across the edge from v[k] to v[k + 1]
    Vector3d normal;
    double offset;
    std::vector<int> outside;  // points above this face, each kept with one face
    bool alive = true;
  };
  struct HorizonEdge {
    int from, to, beyond;
  };

  [[nodiscard]] double height(const Face& face, int point) const {
    return face.normal.dot(points_[point]) - face.offset;
  }

  int add_face(int a, int b, int c) {
    Face face{{a, b, c}, {-1, -1, -1}, (points_[b] - points_[a]).cross(points_[c] - points_[a]), 0, {}, true};
    const double length = face.normal.norm();
    if (length > 0) face.normal /= length;
    face.offset = face.normal.dot(points_[a] + points_[b] + points_[c]) / 3;
    faces_.push_back(std::move(face));
    return static_cast<int>(faces_.size()) - 1;
  }

  // Four points that span a large tetrahedron.
  void start() {
    const auto farthest = [this](auto&& measure) {
      int best = 0;
      for (int p = 1; p < static_cast<int>(points_.size()); ++p) {
        if (measure(points_[p]) > measure(points_[best])) best = p;
      }
      return best;
    };
    const int a = farthest([](const Vector3d& x) { return -x[0]; });
    const int b = farthest([&](const Vector3d& x) { return (x - points_[a]).squaredNorm(); });
    const Vector3d ab = points_[b] - points_[a];
    const int c = farthest([&](const Vector3d& x) { return ab.cross(x - points_[a]).squaredNorm(); });
    const Vector3d normal = ab.cross(points_[c] - points_[a]);
    const int d = farthest([&](const Vector3d& x) { return std::abs(normal.dot(x - points_[a])); });
    const double volume = normal.dot(points_[d] - points_[a]) / 6;
    if (!(std::abs(volume) > 1e-13 * diagonal_ * diagonal_ * diagonal_)) refuse_flat(std::abs(volume));

    const std::array<int, 4> t = volume > 0 ? std::array{a, c, b, d} : std::array{a, b, c, d};
    add_face(t[0], t[1], t[2]);
    add_face(t[0], t[3], t[1]);
    add_face(t[1], t[3], t[2]);
    add_face(t[2], t[3], t[0]);
    faces_[0].beyond = {1, 2, 3};
    faces_[1].beyond = {3, 2, 0};
    faces_[2].beyond = {1, 3, 0};
    faces_[3].beyond = {2, 1, 0};
    std::vector<int> all(points_.size());
    for (std::size_t p = 0; p < all.size(); ++p) all[p] = static_cast<int>(p);
    hand_out(all, 0);
  }

  // Each point goes to the first face from `first` on that it lies above; those inside are forgotten.
  void hand_out(const std::vector<int>& loose, std::size_t first) {
    for (int p : loose) {
      for (std::size_t f = first; f < faces_.size(); ++f) {
        if (!faces_[f].alive || height(faces_[f], p) <= tolerance_) continue;
        faces_[f].outside.push_back(p);
        break;
      }
    }
  }

  // The hull grows by the point farthest above the face: all faces that it sees give way to a cone over their rim.
  void absorb(int seed) {
    std::vector<int>& candidates = faces_[seed].outside;
    const auto farthest = std::max_element(candidates.begin(), candidates.end(), [&](int p, int q) {
      return height(faces_[seed], p) < height(faces_[seed], q);
    });
    const int apex = *farthest;
    candidates.erase(farthest);

    std::vector<int> seen{seed};
    std::vector<HorizonEdge> rim;
    find_horizon(apex, seen, rim);
    if (!order(rim))
      return;  // rounding: the rim is no simple loop; the point lies on the surface as far as we can tell

    std::vector<int> loose;
    for (int f : seen) {
      loose.insert(loose.end(), faces_[f].outside.begin(), faces_[f].outside.end());
      faces_[f].outside.clear();
      faces_[f].alive = false;
    }
    const int first = static_cast<int>(faces_.size());
    const int count = static_cast<int>(rim.size());
    for (int k = 0; k < count; ++k) {
      const HorizonEdge& edge = rim[k];
      const int f = add_face(edge.from, edge.to, apex);
      faces_[f].beyond = {edge.beyond, first + (k + 1) % count, first + (k + count - 1) % count};
      Face& outer = faces_[edge.beyond];
      for (int e = 0; e < 3; ++e) {
        if (outer.v[e] == edge.to && outer.v[(e + 1) % 3] == edge.from) outer.beyond[e] = f;
      }
    }
    hand_out(loose, first);
  }

  void find_horizon(int apex, std::vector<int>& seen, std::vector<HorizonEdge>& rim) const {
    for (std::size_t k = 0; k < seen.size(); ++k) {
      const Face& face = faces_[seen[k]];
      for (int e = 0; e < 3; ++e) {
        const int beyond = face.beyond[e];
        if (std::find(seen.begin(), seen.end(), beyond) != seen.end()) continue;
        if (height(faces_[beyond], apex) > tolerance_) {
          seen.push_back(beyond);
        } else {
          rim.push_back({face.v[e], face.v[(e + 1) % 3], beyond});
        }
      }
    }
  }

  // Puts the rim's edges head to tail; false where they are not one loop that visits each point once.
  static bool order(std::vector<HorizonEdge>& rim) {
    for (std::size_t k = 0; k + 1 < rim.size(); ++k) {
      const auto next = std::find_if(rim.begin() + static_cast<std::ptrdiff_t>(k) + 1, rim.end(),
                                     [&](const HorizonEdge& edge) { return edge.from == rim[k].to; });
      if (next == rim.end()) return false;
      std::iter_swap(rim.begin() + static_cast<std::ptrdiff_t>(k) + 1, next);
    }
    return rim.size() >= 3 && rim.back().to == rim.front().from;
  }

  std::span<const Vector3d> points_;
  std::vector<Face> faces_;
  double diagonal_ = 0, tolerance_ = 0;
};

}  // namespace

TriangleMesh convex_hull(std::span<const Eigen::Vector3d> points) {
  for (const Vector3d& point : points) require_finite(point, "points");
  if (points.size() < 4) {
    throw std::invalid_argument("points: expected at least 4 of them, found " + std::to_string(points.size()));
  }
  const TriangleMesh mesh = Quickhull(points).surface();
  double volume = 0;
  Vector3d low = points[0], high = points[0];
  for (const Vector3d& point : points) {
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vector3d& origin = points[0];
    volume += (mesh.vertices[a] - origin).dot((mesh.vertices[b] - origin).cross(mesh.vertices[c] - origin)) / 6;
  }
  if (!(volume > 1e-12 * std::pow((high - low).norm(), 3))) refuse_flat(volume);
  return mesh;
}

}  // namespace locdyn::detail
