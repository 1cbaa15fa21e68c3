#pragma once
// Mass properties of a body that is made of shapes.

#include <span>

#include <locdyn/bodies/mass_properties.hpp>
#include <locdyn/io/scene/scene.hpp>

namespace locdyn::scene_format {

/// What the body says of its mass beside its shapes.
struct MassStatement {
  std::optional<double> density, mass;
};

/// Mass, mass centre and inertia of all shapes together, in the body's reference coordinates: each by its own density
/// or mass, else by the body's density; where the body has a mass, all by one density that gives it. `shapes` are those
/// of `body` as detection takes them. Shapes that overlap count twice where they do. Throws std::invalid_argument.
[[nodiscard]] MassProperties mass_of_shapes(const SceneBody& body, std::span<const Shape> shapes,
                                            const MassStatement& statement);

}  // namespace locdyn::scene_format
