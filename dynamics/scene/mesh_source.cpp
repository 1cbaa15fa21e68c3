#include <locdyn/dynamics/scene/mesh_source.hpp>

#include <locdyn/ldy/file_error.hpp>

namespace locdyn::scene_format {
namespace {

TriangleMesh read_file(const std::filesystem::path& file, const Eigen::Vector3d&) {
  throw FileError(file, "", "a build that reads mesh files", "one that does not");
}

struct Maker {
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
  Shape shape = std::visit(Maker{}, geometry);
  validate(shape);
  return shape;
}

}  // namespace locdyn::scene_format
