#include <locdyn/io/scene/mjcf/masses.hpp>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include <locdyn/io/scene/read_values.hpp>

namespace locdyn::scene_format::mjcf {
namespace {

struct Triangle {
  Eigen::Vector3d a, b, c;

  [[nodiscard]] Eigen::Vector3d center() const { return (a + b + c) / 3; }
  [[nodiscard]] double area() const { return 0.5 * (b - a).cross(c - a).norm(); }
  // Of the pyramid over it, > 0 where its outside looks away from the apex.
  [[nodiscard]] double volume(const Eigen::Vector3d& apex) const {
    return (a - apex).dot((b - apex).cross(c - apex)) / 6;
  }
};

std::vector<Triangle> triangles_of(const TriangleMesh& mesh) {
  std::vector<Triangle> list;
  for (const std::array<int, 3>& t : mesh.triangles) {
    const auto at = [&](std::size_t k) { return mesh.vertices[static_cast<std::size_t>(t[k])]; };
    list.push_back({at(0), at(1), at(2)});
  }
  return list;
}

MassProperties at_placement(const MassProperties& mass, const ScenePlacement& placement) {
  return moved(mass, placement.orientation.toRotationMatrix(), placement.position);
}

}  // namespace

MassProperties mesh_mass(const Mesh& mesh, double density) {
  if (mesh.triangles.triangles.empty()) return mass_properties(ConvexHull{mesh.triangles.vertices}, density);
  const std::vector<Triangle> triangles = triangles_of(mesh.triangles);
  const auto counted = [&mesh](double volume) {
    return mesh.volume == Mesh::Volume::legacy ? std::abs(volume) : volume;
  };
  // The mean of the surface.
  Eigen::Vector3d apex = Eigen::Vector3d::Zero();
  double area = 0;
  for (const Triangle& t : triangles) {
    apex += t.area() * t.center();
    area += t.area();
  }
  apex /= area;
  // Mass centre: that of a pyramid lies at a quarter of its height.
  double volume = 0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  for (const Triangle& t : triangles) {
    const double part = counted(t.volume(apex));
    volume += part;
    center += part * (0.75 * t.center() + 0.25 * apex);
  }
  center /= volume;
  if (!(volume > 0) || !center.allFinite()) mesh.node.fault("", "a mesh of a volume > 0", spelled(volume));
  // Volume and ∫ x xᵀ of pyramids with their apex in the mass centre.
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  volume = 0;
  for (const Triangle& t : triangles) {
    const Eigen::Vector3d a = t.a - center, b = t.b - center, c = t.c - center, sum = a + b + c;
    const double part = counted(t.volume(center));
    volume += part;
    second += part / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
  }
  MassProperties mass;
  mass.mass = density * volume;
  mass.center = center;
  mass.inertia = density * (second.trace() * Eigen::Matrix3d::Identity() - second);
  return mass;
}

MassProperties geom_mass(const Geom& geom, const Model& model) {
  const auto of_density = [&](double density) -> MassProperties {
    const Eigen::Vector3d& s = geom.size;
    switch (geom.kind) {
      case Geom::Kind::sphere: return sphere_mass(density, s[0]);
      case Geom::Kind::capsule: return capsule_mass(density, s[0], 2 * s[1]);
      case Geom::Kind::cylinder: return cylinder_mass(density, s[0], 2 * s[1]);
      case Geom::Kind::box: return box_mass(density, 2 * s);
      case Geom::Kind::mesh: {
        const auto mesh = model.meshes.find(geom.mesh);
        if (mesh == model.meshes.end()) geom.node.fault("mesh", "the name of a mesh", '"' + geom.mesh + '"');
        return mesh_mass(mesh->second, density);
      }
      case Geom::Kind::plane: break;
    }
    return {};
  };
  const double stated = geom.mass.value_or(geom.density);
  if (stated == 0 || geom.kind == Geom::Kind::plane) return {};
  MassProperties mass = of_density(geom.mass ? 1 : geom.density);
  if (geom.mass) {
    mass.inertia *= *geom.mass / mass.mass;
    mass.mass = *geom.mass;
  }
  return at_placement(mass, geom.placement);
}

MassProperties together(const std::vector<MassProperties>& parts) {
  std::vector<MassProperties> there;
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(there),
               [](const MassProperties& m) { return m.mass > 0; });
  return there.empty() ? MassProperties{} : combined(there);
}

MassProperties body_mass(const Body& body, const Model& model) {
  const bool from_geoms = model.inertia_from_geom.value_or(!body.inertial);
  if (!from_geoms) return body.inertial.value_or(MassProperties{});
  std::vector<MassProperties> parts;
  for (const Geom& geom : body.geoms) parts.push_back(geom_mass(geom, model));
  // Geoms that all weigh nothing leave what is written.
  const MassProperties sum = together(parts);
  return sum.mass > 0 || !body.inertial ? sum : *body.inertial;
}

}  // namespace locdyn::scene_format::mjcf
