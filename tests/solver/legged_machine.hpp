#pragma once
// A platform on ten legs of five links: 50 ball joints, the knees doubled to hinges with a redundant row each, and 40
// contacts under the feet.

#include <cmath>
#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/ldy/assembly/assembly.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_point.hpp>

namespace locdyn::test {

struct LeggedMachine {
  BodySet bodies;
  LocalDynamics ldy;
  Assembly assembly{bodies, ldy};
  int joints = 0, doubled = 0, contacts = 0;
  static constexpr double h = 1e-3;

  explicit LeggedMachine(int legs = 10, double friction = 0.6) {
    constexpr int kLinks = 5;
    constexpr double kLink = 0.15, kRadius = 1.0;
    const double height = kLinks * kLink;
    const BodyId ground = bodies.emplace<Obstacle>();
    const BodyId platform = bodies.emplace<RigidBody>(box_mass(500, {2.2, 2.2, 0.1}), Eigen::Vector3d(0, 0, height),
                                                      Orientation(Eigen::Quaterniond::Identity()));
    for (int leg = 0; leg < legs; ++leg) {
      const double angle = 2 * M_PI * leg / legs;
      Eigen::Vector3d pin(kRadius * std::cos(angle), kRadius * std::sin(angle), height);
      BodyId above = platform;
      for (int k = 0; k < kLinks; ++k) {
        const Eigen::Vector3d end = pin - Eigen::Vector3d(0, 0, kLink);
        const BodyId link =
            bodies.emplace<RigidBody>(box_mass(1000, {0.08, 0.05, kLink}), Eigen::Vector3d(0.5 * (pin + end)),
                                      Orientation(Eigen::Quaterniond::Identity()));
        assembly.emplace<FixedPoint>(Anchor{pin, above}, Anchor{pin, link});
        ++joints;
        if (k == 2) {  // a knee: a second ball beside the first, one row of which says nothing new
          const Eigen::Vector3d beside = pin + Eigen::Vector3d(-std::sin(angle), std::cos(angle), 0) * 0.03;
          assembly.emplace<FixedPoint>(Anchor{beside, above}, Anchor{beside, link});
          ++doubled;
        }
        pin = end;
        above = link;
      }
      for (int corner = 0; corner < 4; ++corner) {
        const Eigen::Vector3d off(corner % 2 == 0 ? -0.04 : 0.04, corner < 2 ? -0.025 : 0.025, 0);
        assembly.emplace<Contact>(ContactPoint{.master = ground,
                                               .slave = above,
                                               .point = pin + off,
                                               .frame = Eigen::Matrix3d::Identity(),
                                               .gap = 0,
                                               .material = {.friction = friction, .restitution = 0}});
        ++contacts;
      }
    }
    bodies[platform].set_velocity((Eigen::VectorXd(6) << 0.1, 0.05, 0.2, 0.3, -0.2, -0.1).finished());
    bodies.predict(h, {0, 0, -9.81});
    assembly.update(h);
  }
};

/// The largest |U + σ + C R| of bilateral rows in use [m/s], as the last residual left U.
inline double joint_velocity_error(const LocalDynamics& ldy) {
  double worst = 0;
  for (ConstraintId id = 0; id < ldy.id_bound(); ++id) {
    const auto* law = ldy.contains(id) ? std::get_if<BilateralLaw>(&ldy.law(id)) : nullptr;
    for (int k = 0; law != nullptr && k < law->blocks(); ++k) {
      const DiagonalBlock& row = ldy.row(id, k);
      const Eigen::Vector3d left = row.U + law->block[k].shift + law->block[k].compliance.cwiseProduct(row.R);
      for (int axis = 0; axis < 3; ++axis) {
        if (uses(law->rows(k), axis)) worst = std::max(worst, std::abs(left[axis]));
      }
    }
  }
  return worst;
}

}  // namespace locdyn::test
