// A platform on legs of five links each: ball joints, the knees doubled to hinges (one row of which says nothing new),
// and four contacts under each foot. Joints exact by a factor or swept with the contacts: the same system.

#include <algorithm>
#include <cmath>
#include <numbers>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_point.hpp>
#include "builtin/scenes.hpp"

namespace locdyn {
namespace {

constexpr int kLinks = 5, kKnee = 2;
constexpr std::size_t kConstraints = kLinks + 1 + 4;  // of a leg
constexpr double kLink = 0.15, kRing = 1.0;           // [m]
constexpr double kHalfX = 0.04, kHalfY = 0.025;       // of a foot [m]
constexpr double kBeside = 0.03;                      // of a knee's second ball [m]
constexpr SurfaceMaterial kFootSurface{.friction = 0.6, .restitution = 0};

void add_foot(Assembly& assembly, BodyId ground, BodyId link, const Eigen::Vector3d& sole) {
  for (int corner = 0; corner < 4; ++corner) {
    const Eigen::Vector3d off(corner % 2 == 0 ? -kHalfX : kHalfX, corner < 2 ? -kHalfY : kHalfY, 0);
    assembly.emplace<Contact>(ContactPoint{.master = ground,
                                           .slave = link,
                                           .point = sole + off,
                                           .frame = Eigen::Matrix3d::Identity(),
                                           .gap = 0,
                                           .material = kFootSurface});
  }
}

}  // namespace

void build_machine(BuiltinProblem& problem, std::size_t size, const BuiltinOptions&) {
  problem.h = 1e-3;
  const int legs = static_cast<int>(std::max<std::size_t>((size + kConstraints / 2) / kConstraints, 1));
  BodySet& bodies = *problem.bodies;
  Assembly& assembly = *problem.assembly;
  const Orientation upright(Eigen::Quaterniond::Identity());
  const BodyId ground = bodies.emplace<Obstacle>();
  const BodyId platform =
      bodies.emplace<RigidBody>(box_mass(500, {2.2, 2.2, 0.1}), Eigen::Vector3d(0, 0, kLinks * kLink), upright);
  for (int leg = 0; leg < legs; ++leg) {
    const double angle = 2 * std::numbers::pi * leg / legs;
    const Eigen::Vector3d tangent(-std::sin(angle), std::cos(angle), 0);
    Eigen::Vector3d pin(kRing * std::cos(angle), kRing * std::sin(angle), kLinks * kLink);
    BodyId above = platform;
    for (int k = 0; k < kLinks; ++k) {
      const Eigen::Vector3d end = pin - Eigen::Vector3d(0, 0, kLink);
      const BodyId link = bodies.emplace<RigidBody>(box_mass(1000, {2 * kHalfX, 2 * kHalfY, kLink}),
                                                    Eigen::Vector3d(0.5 * (pin + end)), upright);
      assembly.emplace<FixedPoint>(Anchor{pin, above}, Anchor{pin, link});
      if (k == kKnee) {
        const Eigen::Vector3d beside = pin + kBeside * tangent;
        assembly.emplace<FixedPoint>(Anchor{beside, above}, Anchor{beside, link});
      }
      pin = end;
      above = link;
    }
    add_foot(assembly, ground, above, pin);
  }
  bodies[platform].set_velocity((Eigen::VectorXd(6) << 0.1, 0.05, 0.2, 0.3, -0.2, -0.1).finished());
}

}  // namespace locdyn
