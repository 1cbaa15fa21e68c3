#pragma once
// What surfaces, bodies and their shapes must obey beyond the types of their values.

#include <optional>
#include <string>

#include <locdyn/io/scene/faults.hpp>
#include <locdyn/io/scene/scene.hpp>

namespace locdyn::scene_format {

/// Notes the faults in `list`, one line each. It keeps references to both.
class BodyChecker {
 public:
  BodyChecker(const Scene& scene, FaultList& list) : scene_(scene), list_(list) {}

  /// The surfaces of the scene and their pairs.
  void check_surfaces();
  /// The body's surfaces, shapes and mass. `body` may be that of a row, which is no body of the scene.
  void check_body(const SceneBody& body);
  /// Is it the name of a surface? Empty is, too.
  void check_surface(const std::string& place, const std::string& name);

 private:
  void check_material(const std::string& place, const SceneMaterial& material);
  void check_solid_mass(const SceneBody& body, const std::optional<double>& density, const std::optional<double>& mass,
                        bool inertia);
  void check_no_mass(const SceneBody& body, const char* expected);
  void check_planar(const SceneBody& body);

  const Scene& scene_;
  FaultList& list_;
};

}  // namespace locdyn::scene_format
