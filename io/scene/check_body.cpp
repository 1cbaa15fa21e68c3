#include <locdyn/io/scene/check_body.hpp>

#include <cmath>
#include <string_view>
#include <variant>
#include <vector>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/io/scene/read_values.hpp>

namespace locdyn::scene_format {

void BodyChecker::check_surface(const std::string& place, const std::string& name) {
  if (name.empty() || name == "default" || scene_.surfaces.contains(name)) return;
  std::vector<std::string_view> names = {"default"};
  for (const auto& [known, material] : scene_.surfaces) names.push_back(known);
  list_.fault(place, "the name of a surface, " + choice_text(names), '"' + name + '"');
}

void BodyChecker::check_material(const std::string& place, const SceneMaterial& material) {
  if (material.static_friction && material.kinetic_friction && *material.kinetic_friction > *material.static_friction) {
    list_.fault(place_of(place, "kinetic_friction"), "at most static_friction, " + spelled(*material.static_friction),
                spelled(*material.kinetic_friction));
  }
  const bool gives = material.stiffness || material.hertz_stiffness;
  const auto needs_give = [&](const char* key, bool there) {
    if (there && !gives) list_.fault(place_of(place, key), "stiffness or hertz_stiffness beside it", "none");
  };
  needs_give("damping", material.damping > 0);
  needs_give("tangential_stiffness", material.tangential_stiffness.has_value());
}

void BodyChecker::check_surfaces() {
  for (const auto& [name, material] : scene_.surfaces) check_material("surfaces." + name, material);
  for (std::size_t i = 0; i < scene_.pairs.size(); ++i) {
    const std::string place = place_of(std::string("pairs"), i);
    check_material(place, scene_.pairs[i].material);
    for (std::size_t k = 0; k < 2; ++k) {
      check_surface(place_of(place + ".surfaces", k), scene_.pairs[i].surfaces[k]);
    }
  }
}

void BodyChecker::check_solid_mass(const SceneBody& body, const std::optional<double>& density,
                                   const std::optional<double>& mass, bool inertia) {
  if (inertia || mass) {
    for (std::size_t k = 0; k < body.shapes.size(); ++k) {
      if (body.shapes[k].density || body.shapes[k].mass) {
        list_.fault(body.shapes[k].place, "no density or mass beside the body's mass", "one");
      }
    }
    if (!inertia && body.shapes.empty()) list_.fault(body.place, "a shape or inertia", "mass alone");
    return;
  }
  if (body.shapes.empty()) list_.fault(body.place, "a shape with density, or mass and inertia", "neither");
  for (std::size_t k = 0; k < body.shapes.size() && !density; ++k) {
    if (!body.shapes[k].density && !body.shapes[k].mass) {
      list_.fault(body.shapes[k].place, "density or mass, here or of the body", "none");
    }
  }
}

void BodyChecker::check_no_mass(const SceneBody& body, const char* expected) {
  for (std::size_t k = 0; k < body.shapes.size(); ++k) {
    if (body.shapes[k].density || body.shapes[k].mass) list_.fault(body.shapes[k].place, expected, "one");
  }
}

void BodyChecker::check_body(const SceneBody& body) {
  check_surface(body.place + ".surface", body.surface);
  const bool obstacle = std::holds_alternative<SceneObstacle>(body.kind);
  for (std::size_t k = 0; k < body.shapes.size(); ++k) {
    const SceneShape& shape = body.shapes[k];
    check_surface(body.shapes[k].place + ".surface", shape.surface);
    if (shape.friction_direction && shape.friction_direction->isZero(0)) {
      list_.fault(shape.place + ".friction_direction", "a vector of length > 0", "zero");
    }
    const bool solid = !std::holds_alternative<SceneMesh>(shape.geometry) &&
                       !std::holds_alternative<HeightField>(shape.geometry) &&
                       !std::holds_alternative<Plane>(shape.geometry);
    if (!obstacle && !solid) list_.fault(body.shapes[k].place, "a solid shape on a body that moves", "a surface");
  }
  if (const auto* rigid = std::get_if<SceneRigid>(&body.kind)) {
    check_solid_mass(body, rigid->density, rigid->mass, rigid->inertia.has_value());
  } else if (const auto* planar = std::get_if<ScenePlanar>(&body.kind)) {
    check_solid_mass(body, planar->density, planar->mass, planar->inertia.has_value());
    check_planar(body);
  } else if (const auto* pseudo = std::get_if<ScenePseudoRigid>(&body.kind)) {
    check_solid_mass(body, pseudo->density, pseudo->mass, false);
  } else {
    check_no_mass(body, obstacle ? "no density or mass on an obstacle" : "no density or mass beside the particle's");
  }
}

void BodyChecker::check_planar(const SceneBody& body) {
  if (body.placement.position.z() != 0) {
    list_.fault(body.place + ".position", "z = 0 of a planar body", spelled(body.placement.position.z()));
  }
  if (std::hypot(body.placement.orientation.x(), body.placement.orientation.y()) > 1e-12) {
    list_.fault(body.place + ".orientation", "a rotation about z of a planar body", "another");
  }
}

}  // namespace locdyn::scene_format
