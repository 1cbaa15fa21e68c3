#pragma once
// The shapes of bodies that contact detection knows, each in coordinates of its own [m]. A shape knows no body and no
// detection library.

#include <Eigen/Core>
#include <array>
#include <string_view>
#include <variant>
#include <vector>

#include <locdyn/bodies/mass_properties.hpp>

namespace locdyn {

/// Centred at the origin.
struct Sphere {
  double radius = 0;  ///< [m] > 0
};
/// Centred at the origin, edges along the axes.
struct Box {
  Eigen::Vector3d size = Eigen::Vector3d::Zero();  ///< edge lengths
};
/// Centred at the origin, axis along z.
struct Capsule {
  double radius = 0;  ///< [m] > 0
  double length = 0;  ///< of the cylindrical part, without the two half-spheres
};
/// Centred at the origin, axis along z.
struct Cylinder {
  double radius = 0;  ///< [m] > 0
  double height = 0;  ///< from end to end
};
/// The convex hull of its points, wherever they lie; at least four that span a volume.
struct ConvexHull {
  std::vector<Eigen::Vector3d> points;  ///< [m]
};
/// Triangles that index the vertices, anticlockwise seen from the free side. Obstacles only.
struct TriangleMesh {
  std::vector<Eigen::Vector3d> vertices;      ///< [m]
  std::vector<std::array<int, 3>> triangles;  ///< three vertices each, anticlockwise from outside
};
/// The surface z = heights(i, j) at x = x0 + i dx, y = y0 + j dy, centred so that x and y run from −½ to +½ of the
/// extent; each cell is two triangles, parted along the diagonal from (i, j) to (i + 1, j + 1); free above.
/// Obstacles only.
struct HeightField {
  Eigen::MatrixXd heights;                            ///< at least 2×2
  Eigen::Vector2d spacing = Eigen::Vector2d::Zero();  ///< dx, dy
};
/// The half-space z ≤ 0, free above. Obstacles only.
struct Plane {};

/// A new shape is one more alternative here and its file in detection/.
using Shape = std::variant<Sphere, Box, Capsule, Cylinder, ConvexHull, TriangleMesh, HeightField, Plane>;

/// "sphere", "box", ….
[[nodiscard]] std::string_view name_of(const Shape& shape) noexcept;
/// May it belong to a body that moves? Not mesh, height field and plane.
[[nodiscard]] bool is_solid(const Shape& shape) noexcept;

/// Throws std::invalid_argument naming the field where a length is not > 0, a number is not finite, an index is out of
/// range, there are too few points, or a hull has no volume (less than 1e-12 of its diagonal cubed).
void validate(const Shape& shape);

/// Mass properties of the homogeneous solid, `center` in the coordinates of the shape. Throws std::invalid_argument for
/// what `validate` refuses, a density that is not > 0, and shapes that are not solid.
[[nodiscard]] MassProperties mass_properties(const Shape& shape, double density);

}  // namespace locdyn
