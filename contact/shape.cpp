#include <locdyn/contact/shape.hpp>

#include <cmath>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/contact/convex_hull.hpp>

namespace locdyn {
using namespace detail;
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& expected, const std::string& found) {
  throw std::invalid_argument(what + ": expected " + expected + ", found " + found);
}

void check(const Sphere& sphere) {
  require_positive(sphere.radius, "radius");
}
void check(const Box& box) {
  for (int axis = 0; axis < 3; ++axis) require_positive(box.size[axis], "size");
}
void check(const Capsule& capsule) {
  require_positive(capsule.radius, "radius");
  require_positive(capsule.length, "length");
}
void check(const Cylinder& cylinder) {
  require_positive(cylinder.radius, "radius");
  require_positive(cylinder.height, "height");
}
void check(const ConvexHull& hull) {
  static_cast<void>(convex_hull(hull.points));
}
void check(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) refuse("triangles", "at least one", "none");
  for (const Eigen::Vector3d& vertex : mesh.vertices) require_finite(vertex, "vertices");
  for (const auto& triangle : mesh.triangles) {
    for (int v : triangle) {
      if (v >= 0 && static_cast<std::size_t>(v) < mesh.vertices.size()) continue;
      refuse("triangles", "a vertex index from 0 to " + std::to_string(static_cast<long>(mesh.vertices.size()) - 1),
             std::to_string(v));
    }
  }
}
void check(const HeightField& field) {
  if (field.heights.rows() < 2 || field.heights.cols() < 2) {
    refuse("heights", "at least 2×2 of them",
           std::to_string(field.heights.rows()) + "×" + std::to_string(field.heights.cols()));
  }
  require_finite(field.heights, "heights");
  require_positive(field.spacing[0], "spacing");
  require_positive(field.spacing[1], "spacing");
}
void check(const Plane&) {}

MassProperties mass_of(const Sphere& sphere, double density) {
  return sphere_mass(density, sphere.radius);
}
MassProperties mass_of(const Box& box, double density) {
  return box_mass(density, box.size);
}
MassProperties mass_of(const Capsule& capsule, double density) {
  return capsule_mass(density, capsule.radius, capsule.length);
}
MassProperties mass_of(const Cylinder& cylinder, double density) {
  return cylinder_mass(density, cylinder.radius, cylinder.height);
}
MassProperties mass_of(const ConvexHull& hull, double density) {
  const TriangleMesh surface = convex_hull(hull.points);
  return polyhedron_mass(density, surface.vertices, surface.triangles);
}
template <class Surface>
MassProperties mass_of(const Surface& surface, double) {
  refuse("shape", "a solid one (sphere, box, capsule, cylinder, convex hull)", std::string(name_of(Shape(surface))));
}

}  // namespace

std::string_view name_of(const Shape& shape) noexcept {
  static constexpr std::array<std::string_view, std::variant_size_v<Shape>> names{
      "sphere", "box", "capsule", "cylinder", "convex hull", "triangle mesh", "height field", "plane"};
  return shape.valueless_by_exception() ? "none" : names[shape.index()];
}

bool is_solid(const Shape& shape) noexcept {
  return !std::holds_alternative<TriangleMesh>(shape) && !std::holds_alternative<HeightField>(shape) &&
         !std::holds_alternative<Plane>(shape);
}

void validate(const Shape& shape) {
  try {
    std::visit([](const auto& alternative) { check(alternative); }, shape);
  } catch (const std::invalid_argument& fault) {
    throw std::invalid_argument(std::string(name_of(shape)) + ": " + fault.what());
  }
}

MassProperties mass_properties(const Shape& shape, double density) {
  validate(shape);
  return std::visit([density](const auto& alternative) { return mass_of(alternative, density); }, shape);
}

}  // namespace locdyn
