// A tower of planks: three in a layer, each layer across the one below, so that every plank lies on three.

#include <algorithm>
#include <array>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include "builtin/face_contact.hpp"
#include "builtin/scenes.hpp"

namespace locdyn {
namespace {

constexpr double kLength = 0.1176, kWidth = 0.0235, kHeight = 0.0078;  // of a plank [m]
constexpr double kPlankDensity = 600.0;                                // pine
constexpr double kTopSpeed = 0.2;                                      // of the top layer [m/s]
constexpr SurfaceMaterial kPlankSurface{.friction = 0.4, .restitution = 0};
constexpr std::array<double, 3> kOffset = {-0.5 * (kLength - kWidth), 0.0, 0.5 * (kLength - kWidth)};

std::array<BodyId, 3> lay_planks(BuiltinProblem& problem, bool along_x, double z, double speed) {
  std::array<BodyId, 3> ids{};
  const Eigen::Vector3d size(along_x ? kLength : kWidth, along_x ? kWidth : kLength, kHeight);
  const MassProperties plank = box_mass(kPlankDensity, size);
  for (std::size_t i = 0; i < 3; ++i) {
    const Eigen::Vector3d center(along_x ? 0 : kOffset[i], along_x ? kOffset[i] : 0, z + 0.5 * kHeight);
    ids[i] = problem.bodies->emplace<RigidBody>(plank, center);
    Eigen::VectorXd u = Eigen::VectorXd::Zero(6);
    u[3] = speed;
    (*problem.bodies)[ids[i]].set_velocity(u);
  }
  return ids;
}

}  // namespace

void build_tower(BuiltinProblem& problem, std::size_t size, const BuiltinOptions&) {
  problem.h = 1e-3;
  const std::size_t layers = std::max<std::size_t>(1, (size + 24 + 18) / 36);
  const BodyId ground = problem.bodies->emplace<Obstacle>();
  const double a = 0.5 * kWidth;

  std::array<BodyId, 3> below{};
  for (std::size_t layer = 0; layer < layers; ++layer) {
    const bool along_x = layer % 2 == 0;
    const double z = static_cast<double>(layer) * kHeight;
    const auto here = lay_planks(problem, along_x, z, layer + 1 == layers ? kTopSpeed : 0.0);
    for (std::size_t i = 0; i < 3; ++i) {
      if (layer == 0) {
        insert_face_contact(*problem.assembly, ground, here[i],
                            horizontal_face(-0.5 * kLength, 0.5 * kLength, kOffset[i] - a, kOffset[i] + a, z),
                            kPlankSurface);
        continue;
      }
      for (std::size_t j = 0; j < 3; ++j) {
        const double x = along_x ? kOffset[j] : kOffset[i];
        const double y = along_x ? kOffset[i] : kOffset[j];
        insert_face_contact(*problem.assembly, below[j], here[i], horizontal_face(x - a, x + a, y - a, y + a, z),
                            kPlankSurface);
      }
    }
    below = here;
  }
}

}  // namespace locdyn
