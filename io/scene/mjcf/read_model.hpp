#pragma once
// From XML to a model. What the subset does not have is noted in `left_out`; what contradicts itself throws.
//
// Taken: compiler, default, option gravity, asset mesh, worldbody with body, inertial, joint, freejoint and geom,
// contact pair and exclude, equality connect and weld, actuator motor, position and velocity, keyframe, include.
// Passed over, because nothing moves by it: visual, statistic, size, custom, textures, materials, lights, cameras,
// sites, groups, colours. Passed over, because contacts and joints are hard here: solref, solimp, solmix and what
// <option> says of MuJoCo's solver.

#include <locdyn/io/scene/mjcf/attributes.hpp>
#include <locdyn/io/scene/mjcf/model.hpp>
#include <locdyn/io/scene/scene.hpp>

namespace locdyn::scene_format::mjcf {

/// The document must outlive the model; `scene` says where meshes may lie, `mesh_inertia` is of meshes that do not say.
/// Throws FileError.
[[nodiscard]] Model read_model(Document& document, const Scene& scene, SceneMeshInertia mesh_inertia,
                               LeftOut& left_out);

}  // namespace locdyn::scene_format::mjcf
