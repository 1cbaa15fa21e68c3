#include <locdyn/io/scene/mass_of_body.hpp>

namespace locdyn::scene_format {
namespace {

MassProperties scaled_to(MassProperties properties, double mass) {
  properties.inertia *= mass / properties.mass;
  properties.mass = mass;
  return properties;
}

}  // namespace

MassProperties mass_of_shapes(const SceneBody& body, std::span<const Shape> shapes, const MassStatement& statement) {
  std::vector<MassProperties> parts;
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const SceneShape& stated = body.shapes[k];
    const double density = stated.density.value_or(statement.density.value_or(1));
    MassProperties part = mass_properties(shapes[k], density);
    if (stated.mass) part = scaled_to(part, *stated.mass);
    parts.push_back(moved(part, stated.placement.orientation.toRotationMatrix(), stated.placement.position));
  }
  const MassProperties whole = combined(parts);
  return statement.mass ? scaled_to(whole, *statement.mass) : whole;
}

}  // namespace locdyn::scene_format
