// A semicircular voussoir arch: wedges between radial joints. A voussoir is the convex hull of its two joints, so its
// mass properties are those of a hexahedron.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include "builtin/face_contact.hpp"
#include "builtin/scenes.hpp"

namespace locdyn {
namespace {

constexpr double kInner = 5.0, kOuter = 6.0, kDepth = 1.0;  // radii and width [m]
constexpr double kVoussoirDensity = 2400.0;
constexpr double kLoad = 0.2;  // of the weight of the arch
constexpr SurfaceMaterial kVoussoirSurface{.friction = 0.7, .restitution = 0};

// Inner and outer corners of the joint at an angle from the springing, at y = −kDepth/2.
Eigen::Vector3d at_joint(double radius, double angle, double y) {
  return {-radius * std::cos(angle), y, radius * std::sin(angle)};
}

MassProperties voussoir_mass(double angle0, double angle1) {
  std::array<Eigen::Vector3d, 8> corners;
  int k = 0;
  for (const double angle : {angle0, angle1}) {
    for (const double radius : {kInner, kOuter}) {
      for (const double y : {-0.5 * kDepth, 0.5 * kDepth}) corners[k++] = at_joint(radius, angle, y);
    }
  }
  // Corner 4a + 2r + w: joint a, radius r, width w. Faces anticlockwise from outside, as two triangles each.
  constexpr std::array<std::array<int, 4>, 6> faces = {
      {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}};
  std::array<std::array<int, 3>, 12> triangles;
  for (std::size_t f = 0; f < 6; ++f) {
    triangles[2 * f] = {faces[f][0], faces[f][1], faces[f][2]};
    triangles[2 * f + 1] = {faces[f][0], faces[f][2], faces[f][3]};
  }
  return polyhedron_mass(kVoussoirDensity, corners, triangles);
}

// The joint at an angle; its normal points along the arch, in the sense of growing angle.
FaceRectangle joint(double angle) {
  const double middle = 0.5 * (kInner + kOuter);
  return {at_joint(middle, angle, 0), Eigen::Vector3d(0, 0.5 * kDepth, 0), at_joint(0.5 * (kOuter - kInner), angle, 0)};
}

}  // namespace

void build_arch(BuiltinProblem& problem, std::size_t size, const BuiltinOptions&) {
  problem.h = 1e-3;
  const std::size_t count = std::max<std::size_t>(3, (size + 2) / 4) - 1;
  const BodyId abutment = problem.bodies->emplace<Obstacle>();
  const double sector = std::numbers::pi / static_cast<double>(count);

  double mass = 0;
  BodyId before = abutment;
  for (std::size_t i = 0; i < count; ++i) {
    const double angle = static_cast<double>(i) * sector;
    const MassProperties voussoir = voussoir_mass(angle, angle + sector);
    const BodyId id = problem.bodies->emplace<RigidBody>(voussoir, voussoir.center);
    mass += voussoir.mass;
    insert_face_contact(*problem.assembly, before, id, joint(angle), kVoussoirSurface);
    before = id;
  }
  // The abutment owns the frame at the far end too: its normal points back into the arch.
  FaceRectangle far = joint(std::numbers::pi);
  far.s = -far.s;
  insert_face_contact(*problem.assembly, abutment, before, far, kVoussoirSurface);

  const auto loaded = static_cast<BodyId>(1 + count / 4);
  const Eigen::Vector3d crown = at_joint(kOuter, (static_cast<double>(count / 4) + 0.5) * sector, 0);
  (*problem.bodies)[loaded].add_force({0, 0, -kLoad * 9.81 * mass}, crown);
}

}  // namespace locdyn
