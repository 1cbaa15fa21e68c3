#pragma once
// Triangles of a Wavefront OBJ file, from its statements `v` and `f` (Appendix B1 of the Advanced Visualizer's manual).
// A reader of its own, since the libraries at hand lose something here: Assimp rounds coordinates to single precision,
// and not always to the nearest; tinyobjloader reads what is no number as 0, and cuts polygons that are not convex
// outside themselves.

#include <filesystem>

#include <locdyn/contact/shape.hpp>

namespace locdyn::detection {

/// All triangles of the file in its own units, in double precision; faces of more corners are split (`split_polygon`),
/// of one or two left out, corners in the same place are one vertex, and vertices without a face are left out. Indices
/// count from 1, or back from the last vertex before the face where negative. Statements other than `v` and `f` are
/// passed over: groups and materials are not told apart, curves and patches not read.
/// Throws std::invalid_argument, naming file and line, for a coordinate that is no finite number or missing, an index
/// that is none of a vertex, and a face of more than 5000 corners.
[[nodiscard]] TriangleMesh read_obj_file(const std::filesystem::path& path);

}  // namespace locdyn::detection
