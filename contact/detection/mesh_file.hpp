#pragma once
// Triangles from a file: STL by Assimp, OBJ by `obj_file`.

#include <filesystem>

#include <locdyn/contact/shape.hpp>

namespace locdyn {

/// All triangles of the file, its lengths times `scale` [m]; polygons are split, corners in the same place are one
/// vertex. An STL file's numbers are in single precision, as Assimp has them, an OBJ file's in double. Throws
/// std::invalid_argument, naming the file and in OBJ the line, where there is none, it is neither STL nor OBJ, it
/// cannot be read or has no triangles, and for a scale that is not > 0.
[[nodiscard]] TriangleMesh read_mesh_file(const std::filesystem::path& path, double scale = 1);

}  // namespace locdyn
