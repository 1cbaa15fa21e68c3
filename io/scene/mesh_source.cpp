#include <locdyn/io/scene/mesh_source.hpp>

#ifdef LOCDYN_WITH_ASSIMP
#include <locdyn/contact/detection/mesh_file.hpp>
#else
#include <locdyn/ldy/file_error.hpp>
#endif

namespace locdyn::scene_format {
namespace {

#ifdef LOCDYN_WITH_ASSIMP
TriangleMesh read_file(const std::filesystem::path& file, const Eigen::Vector3d& scale) {
  TriangleMesh mesh = read_mesh_file(file);
  for (Eigen::Vector3d& vertex : mesh.vertices) vertex = vertex.cwiseProduct(scale);
  return mesh;
}
#else
TriangleMesh read_file(const std::filesystem::path& file, const Eigen::Vector3d&) {
  throw FileError(file, "", "a build that reads mesh files (LOCDYN_WITH_ASSIMP)", "one that does not");
}
#endif

struct GeometryMaker {
  Shape operator()(const SceneHull& hull) const {
    if (hull.file.empty()) return ConvexHull{hull.points};
    return ConvexHull{read_file(hull.file, hull.scale).vertices};
  }
  Shape operator()(const SceneMesh& mesh) const {
    if (mesh.file.empty()) return TriangleMesh{mesh.vertices, mesh.triangles};
    return read_file(mesh.file, mesh.scale);
  }
  template <class Geometry>
  Shape operator()(const Geometry& geometry) const {
    return geometry;
  }
};

}  // namespace

Shape make_shape(const SceneGeometry& geometry) {
  Shape shape = std::visit(GeometryMaker{}, geometry);
  validate(shape);
  return shape;
}

}  // namespace locdyn::scene_format
