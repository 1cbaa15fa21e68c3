#include <locdyn/contact/detection/mesh_file.hpp>

#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <array>
#include <assimp/Importer.hpp>
#include <cctype>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/contact/detection/obj_file.hpp>

namespace locdyn {
using namespace detail;
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& expected, const std::string& found) {
  throw std::invalid_argument(path.string() + ": expected " + expected + ", found " + found);
}

std::string extension_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

std::string first_line(std::string text) {
  text.erase(std::find(text.begin(), text.end(), '\n'), text.end());
  return text;
}

TriangleMesh read_by_assimp(const std::filesystem::path& path) {
  Assimp::Importer importer;
  const aiScene* scene = importer.ReadFile(path.string(), aiProcess_Triangulate | aiProcess_PreTransformVertices);
  if (scene == nullptr) refuse(path, "a readable mesh", first_line(importer.GetErrorString()));

  TriangleMesh mesh;
  std::map<std::array<float, 3>, int> places;
  for (unsigned part = 0; part < scene->mNumMeshes; ++part) {
    const aiMesh& piece = *scene->mMeshes[part];
    std::vector<int> place;
    for (unsigned v = 0; v < piece.mNumVertices; ++v) {
      const aiVector3D& x = piece.mVertices[v];
      if (!std::isfinite(x.x) || !std::isfinite(x.y) || !std::isfinite(x.z)) {  // NaN has no place in an order
        refuse(path, "finite coordinates", "others at vertex " + std::to_string(v));
      }
      const auto [at, fresh] =
          places.try_emplace(std::array<float, 3>{x.x, x.y, x.z}, static_cast<int>(mesh.vertices.size()));
      if (fresh) mesh.vertices.emplace_back(x.x, x.y, x.z);
      place.push_back(at->second);
    }
    for (unsigned f = 0; f < piece.mNumFaces; ++f) {
      const aiFace& face = piece.mFaces[f];
      if (face.mNumIndices != 3) continue;  // points and lines
      mesh.triangles.push_back({place[face.mIndices[0]], place[face.mIndices[1]], place[face.mIndices[2]]});
    }
  }
  return mesh;
}

}  // namespace

TriangleMesh read_mesh_file(const std::filesystem::path& path, double scale) {
  require_positive(scale, "scale");
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) refuse(path, "a mesh file", "no file");
  const std::string extension = extension_of(path);
  if (extension != ".stl" && extension != ".obj") {
    refuse(path, "a mesh file (.stl, .obj)", extension.empty() ? "no extension" : extension);
  }

  TriangleMesh mesh = extension == ".obj" ? detection::read_obj_file(path) : read_by_assimp(path);
  for (Eigen::Vector3d& vertex : mesh.vertices) vertex *= scale;
  if (mesh.triangles.empty()) refuse(path, "triangles", "none");
  validate(Shape(mesh));
  return mesh;
}

}  // namespace locdyn
