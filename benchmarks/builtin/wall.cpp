// A brick wall in running bond. Cut at every half brick, a course of b bricks has 2b segments; each is where one brick
// of a course lies on one brick of the course below, over a rectangle.

#include <algorithm>
#include <cmath>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include "builtin/face_contact.hpp"
#include "builtin/scenes.hpp"

namespace locdyn {
namespace {

const Eigen::Vector3d kBrick(0.22, 0.11, 0.07);  // along the wall, across, up
constexpr double kBrickDensity = 1900.0;
constexpr double kPush = 0.1;  // of the weight, along and across the wall
constexpr SurfaceMaterial kBrickSurface{.friction = 0.6, .restitution = 0};

// Lays one course whose bricks begin at segments `start` and returns which brick covers each segment.
std::vector<BodyId> lay_course(BuiltinProblem& problem, std::size_t segments, bool staggered, double z) {
  std::vector<BodyId> covering(segments);
  const double half = 0.5 * kBrick.x();
  for (std::size_t first = 0; first < segments;) {
    const std::size_t last = std::min(segments, first + (staggered && first == 0 ? 1 : 2));
    const Eigen::Vector3d size(half * static_cast<double>(last - first), kBrick.y(), kBrick.z());
    const MassProperties brick = box_mass(kBrickDensity, size);
    const Eigen::Vector3d center(half * 0.5 * static_cast<double>(first + last), 0, z + 0.5 * kBrick.z());
    const BodyId id = problem.bodies->emplace<RigidBody>(brick, center);
    const double push = kPush * 9.81 * brick.mass;
    (*problem.bodies)[id].add_force({push, push, 0}, center);
    for (; first < last; ++first) covering[first] = id;
  }
  return covering;
}

}  // namespace

void build_wall(BuiltinProblem& problem, std::size_t size, const BuiltinOptions&) {
  problem.h = 1e-3;

  // As many courses as bricks in a course: 4b + 8b(c − 1) contacts.
  const double n = static_cast<double>(size);
  const auto courses = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(std::sqrt(n / 8))));
  const double contacts_a_brick = 4 + 8 * static_cast<double>(courses - 1);
  const auto bricks = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(n / contacts_a_brick)));

  const std::size_t segments = 2 * bricks;
  const double half = 0.5 * kBrick.x();
  const BodyId ground = problem.bodies->emplace<Obstacle>();
  std::vector<BodyId> below(segments, ground);
  for (std::size_t course = 0; course < courses; ++course) {
    const double z = static_cast<double>(course) * kBrick.z();
    const std::vector<BodyId> here = lay_course(problem, segments, course % 2 == 1, z);
    for (std::size_t first = 0; first < segments;) {
      // The first course lies on the ground with its whole face.
      std::size_t last = first + 1;
      while (last < segments && here[last] == here[first] && below[last] == below[first]) ++last;
      insert_face_contact(*problem.assembly, below[first], here[first],
                          horizontal_face(half * static_cast<double>(first), half * static_cast<double>(last),
                                          -0.5 * kBrick.y(), 0.5 * kBrick.y(), z),
                          kBrickSurface);
      first = last;
    }
    below = here;
  }
}

}  // namespace locdyn
