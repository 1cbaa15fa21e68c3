// Cubes one on the other: the plain stack and the heavy block on light ones, whose mass ratio makes sweeps slow.

#include <algorithm>
#include <cmath>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include "builtin/face_contact.hpp"
#include "builtin/scenes.hpp"

namespace locdyn {
namespace {

constexpr double kEdge = 1.0;
constexpr double kCubeDensity = 1000.0;
constexpr SurfaceMaterial kCubeSurface{.friction = 0.5, .restitution = 0};

// `count` cubes, the top one of density top_ratio times the others' and pushed by a share of its weight.
void pile_up(BuiltinProblem& problem, std::size_t count, double top_ratio, double push) {
  problem.h = 1e-3;
  BodyId below = problem.bodies->emplace<Obstacle>();
  for (std::size_t i = 0; i < count; ++i) {
    const bool top = i + 1 == count;
    const double z = static_cast<double>(i) * kEdge;
    const MassProperties cube = box_mass(kCubeDensity * (top ? top_ratio : 1.0), Eigen::Vector3d::Constant(kEdge));
    const Eigen::Vector3d center(0, 0, z + 0.5 * kEdge);
    const BodyId id = problem.bodies->emplace<RigidBody>(cube, center);
    if (top) (*problem.bodies)[id].add_force({push * 9.81 * cube.mass, 0, 0}, center);
    insert_face_contact(*problem.assembly, below, id,
                        horizontal_face(-0.5 * kEdge, 0.5 * kEdge, -0.5 * kEdge, 0.5 * kEdge, z), kCubeSurface);
    below = id;
  }
}

std::size_t cubes(std::size_t size, std::size_t least) {
  return std::max(least, (size + 2) / 4);
}

}  // namespace

void build_stack(BuiltinProblem& problem, std::size_t size, const BuiltinOptions&) {
  pile_up(problem, cubes(size, 1), 1.0, 0.05);
}

void build_heavy(BuiltinProblem& problem, std::size_t size, const BuiltinOptions& options) {
  pile_up(problem, cubes(size, 2), options.mass_ratio, 0.02);
}

}  // namespace locdyn
