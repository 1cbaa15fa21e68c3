#pragma once
// What MuJoCo 2 makes of a mesh: the moments of the pyramids over its triangles ("legacy", masses.hpp), and for their
// mass that of the box of the same moments over mass, of edges l_i² = 6 (J_j + J_k − J_i)/m. It keeps vertices in
// single precision, as they are read and again as they are scaled, and computes so what it makes of those of one
// triangle: some 1e-8 of mass and moments. Done likewise, the two agree to rounding in double precision, which shows
// that nothing else differs.

#include <locdyn/bodies/mass_properties.hpp>
#include <locdyn/contact/shape.hpp>

namespace locdyn::scene_format::mjcf {

/// Rounds what a file gave, before it is scaled.
void keep_in_single_precision(TriangleMesh& mesh);

/// For a density of 1 kg/m³, in the coordinates of the mesh. Without a volume its numbers are not finite, or 0.
[[nodiscard]] MassProperties box_mass_in_single_precision(const TriangleMesh& mesh);

}  // namespace locdyn::scene_format::mjcf
