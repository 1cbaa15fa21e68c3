// A straight chain of rods pinned end to end, from a fixed pin down to the floor, with a peg under its middle:
// bilateral and unilateral rows in one system.

#include <algorithm>
#include <cmath>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/local_frame.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_point.hpp>
#include "builtin/scenes.hpp"

namespace locdyn {
namespace {

constexpr double kLinkLength = 0.2, kLinkRadius = 0.01;  // of a link, from pin to pin [m]
constexpr double kLinkDensity = 7800.0;
constexpr double kSlope = 0.5;  // of the chain to the floor [rad]
constexpr SurfaceMaterial kLinkSurface{.friction = 0.3, .restitution = 0};

}  // namespace

void build_chain(BuiltinProblem& problem, std::size_t size, const BuiltinOptions&) {
  problem.h = 1e-3;
  const std::size_t count = std::max<std::size_t>(size, 5) - 2;
  const BodyId ground = problem.bodies->emplace<Obstacle>();
  Assembly& assembly = *problem.assembly;

  // Rods turned so that their axis, z in their own frame, runs down the slope.
  const Eigen::Vector3d along(std::cos(kSlope), 0, -std::sin(kSlope));
  const Orientation turn(local_frame(along));
  const MassProperties rod = cylinder_mass(kLinkDensity, kLinkRadius, kLinkLength);
  const double height = static_cast<double>(count) * kLinkLength * std::sin(kSlope);
  Eigen::Vector3d pin(0, 0, height);
  Anchor above{pin, std::nullopt};
  for (std::size_t i = 0; i < count; ++i) {
    const BodyId id = problem.bodies->emplace<RigidBody>(rod, pin + 0.5 * kLinkLength * along, turn);
    assembly.emplace<FixedPoint>(above, Anchor{pin, id});
    if (i == count / 2) {
      const Eigen::Vector3d normal(std::sin(kSlope), 0, std::cos(kSlope));
      assembly.emplace<Contact>(ContactPoint{.master = ground,
                                             .slave = id,
                                             .point = pin + 0.5 * kLinkLength * along - kLinkRadius * normal,
                                             .frame = local_frame(normal),
                                             .gap = 0,
                                             .material = kLinkSurface});
    }
    pin += kLinkLength * along;
    above = {pin, id};
  }
  assembly.emplace<Contact>(ContactPoint{.master = ground,
                                         .slave = *above.body,
                                         .point = pin,
                                         .frame = Eigen::Matrix3d::Identity(),
                                         .gap = 0,
                                         .material = kLinkSurface});
}

}  // namespace locdyn
