// The convex hull point by point: the faces that a new point sees are replaced by a fan from the point to the edge of
// what it sees. Source: de Berg et al., Computational Geometry (2008) §11.2, without the conflict graph.

#include <Eigen/Geometry>
#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

#include <locdyn/dynamics/output/surface_mesh.hpp>

namespace locdyn {
namespace {

using Eigen::Vector3d;
using Triangle = std::array<int, 3>;

struct Face {
  Triangle corners;
  Vector3d normal;  // unit, outward
  double offset;
};

[[noreturn]] void flat(std::size_t count) {
  throw std::invalid_argument("convex hull: expected points that span a volume, found " + std::to_string(count) +
                              " that do not");
}

// Index of the point that is largest by `measure`, which must be more than `least` there.
template <class Measure>
int farthest(const std::vector<Vector3d>& points, double least, Measure measure) {
  int best = 0;
  for (int k = 1; k < static_cast<int>(points.size()); ++k) {
    if (measure(points[k]) > measure(points[best])) best = k;
  }
  if (points.empty() || !(measure(points[best]) > least)) flat(points.size());
  return best;
}

Face face_of(const std::vector<Vector3d>& points, const Triangle& corners, const Vector3d& inside) {
  const Vector3d &a = points[corners[0]], &b = points[corners[1]], &c = points[corners[2]];
  Face face{corners, (b - a).cross(c - a).normalized(), 0};
  face.offset = face.normal.dot(a);
  if (face.normal.dot(inside) > face.offset) {
    std::swap(face.corners[1], face.corners[2]);
    face.normal = -face.normal;
    face.offset = -face.offset;
  }
  return face;
}

// Points that no triangle uses are left out.
SurfaceMesh compact(const std::vector<Vector3d>& points, const std::vector<Face>& faces) {
  SurfaceMesh mesh;
  std::vector<int> place(points.size(), -1);
  for (const Face& face : faces) {
    Triangle triangle = face.corners;
    for (int& corner : triangle) {
      if (place[corner] < 0) {
        place[corner] = static_cast<int>(mesh.points.size());
        mesh.points.push_back(points[corner]);
      }
      corner = place[corner];
    }
    mesh.triangles.push_back(triangle);
  }
  return mesh;
}

}  // namespace

SurfaceMesh convex_hull(const std::vector<Vector3d>& points) {
  if (points.size() < 4) flat(points.size());
  Vector3d low = points[0], high = points[0];
  for (const Vector3d& point : points) {
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
  const double tiny = 1e-9 * (high - low).maxCoeff();

  // A first tetrahedron, as large as is easily found.
  const Vector3d& a = points[farthest(points, -1e300, [&](const Vector3d& p) { return (p - low).sum(); })];
  const int ia = static_cast<int>(&a - points.data());
  const int ib = farthest(points, tiny, [&](const Vector3d& p) { return (p - a).norm(); });
  const Vector3d along = (points[ib] - a).normalized();
  const int ic = farthest(points, tiny, [&](const Vector3d& p) { return (p - a).cross(along).norm(); });
  const Vector3d across = along.cross(points[ic] - a).normalized();
  const int id = farthest(points, tiny, [&](const Vector3d& p) { return std::abs((p - a).dot(across)); });
  const Vector3d inside = 0.25 * (a + points[ib] + points[ic] + points[id]);
  std::vector<Face> faces;
  for (const Triangle& corners : {Triangle{ia, ib, ic}, {ia, ib, id}, {ia, ic, id}, {ib, ic, id}}) {
    faces.push_back(face_of(points, corners, inside));
  }

  for (int k = 0; k < static_cast<int>(points.size()); ++k) {
    const auto sees = [&](const Face& face) { return face.normal.dot(points[k]) > face.offset + tiny; };
    const auto seen = std::stable_partition(faces.begin(), faces.end(), [&](const Face& face) { return !sees(face); });
    std::set<std::pair<int, int>> edges;  // of what is seen; an edge between two such faces goes both ways
    for (auto face = seen; face != faces.end(); ++face) {
      for (int e = 0; e < 3; ++e) edges.insert({face->corners[e], face->corners[(e + 1) % 3]});
    }
    faces.erase(seen, faces.end());
    for (const auto& [from, to] : edges) {
      if (!edges.contains({to, from})) faces.push_back(face_of(points, {from, to, k}, inside));
    }
  }
  return compact(points, faces);
}

}  // namespace locdyn
