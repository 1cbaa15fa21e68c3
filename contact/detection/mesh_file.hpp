#pragma once
// Triangles from a file, by Assimp: STL and OBJ.

#include <filesystem>

#include <locdyn/contact/shape.hpp>

namespace locdyn {

/// All triangles of the file, its lengths times `scale` [m]; polygons are split, corners in the same place are one
/// vertex. Numbers are in single precision, as Assimp has them. Throws std::invalid_argument, naming the file, where
/// there is none, it is neither STL nor OBJ, it cannot be read or has no triangles, and for a scale that is not > 0.
[[nodiscard]] TriangleMesh read_mesh_file(const std::filesystem::path& path, double scale = 1);

}  // namespace locdyn
