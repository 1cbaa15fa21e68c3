#pragma once
// Masses and inertia tensors: of geoms by their mass or density, of bodies by <inertial> or the sum of their geoms.
//
// A mesh has by default the volume that MuJoCo 3 gives it ("legacy"): the sum of the pyramids over its triangles, each
// counted as positive, with their apex in the mean of the surface for the mass centre, in the mass centre for the rest.
// For convex meshes that is the volume enclosed; others come out too heavy. `exact` counts by orientation, `convex`
// takes the hull, `shell` the surface, `box` is what MuJoCo 2 has (single_precision.hpp), and no later version.

#include <locdyn/io/scene/mjcf/model.hpp>

namespace locdyn::scene_format::mjcf {

/// In the coordinates of the mesh, for a density [kg/m³]. Throws FileError about the mesh where its volume is not > 0.
[[nodiscard]] MassProperties mesh_mass(const Mesh& mesh, double density);
/// In the coordinates of the body; mass 0 where it has none. Throws FileError about a mesh that is not there.
[[nodiscard]] MassProperties geom_mass(const Geom& geom, const Model& model);
/// In its own coordinates; mass 0 where it has none.
[[nodiscard]] MassProperties body_mass(const Body& body, const Model& model);
/// Those of the parts that have a mass.
[[nodiscard]] MassProperties together(const std::vector<MassProperties>& parts);

}  // namespace locdyn::scene_format::mjcf
