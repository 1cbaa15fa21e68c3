#include <locdyn/contact/height_field_mesh.hpp>

namespace locdyn::detail {

TriangleMesh mesh_of(const HeightField& field) {
  const int rows = static_cast<int>(field.heights.rows()), columns = static_cast<int>(field.heights.cols());
  TriangleMesh mesh;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      mesh.vertices.emplace_back((i - 0.5 * (rows - 1)) * field.spacing[0],
                                 (j - 0.5 * (columns - 1)) * field.spacing[1], field.heights(i, j));
    }
  }
  const auto at = [columns](int i, int j) { return i * columns + j; };
  for (int i = 0; i + 1 < rows; ++i) {
    for (int j = 0; j + 1 < columns; ++j) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return mesh;
}

}  // namespace locdyn::detail
