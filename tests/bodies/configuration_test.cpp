// The configuration as numbers and back, bit for bit; angular momentum against sums over mass points.

#include <doctest/doctest.h>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <limits>
#include <stdexcept>

#include <locdyn/bodies/obstacle.hpp>

#include "random_bodies.hpp"

using namespace locdyn;
using locdyn::testing::one_of_each;
using locdyn::testing::Random;

namespace {

// One of each kind, an obstacle that turns and moves last.
std::vector<std::unique_ptr<Body>> all_kinds(Random& random) {
  auto bodies = one_of_each(random);
  bodies.push_back(std::make_unique<Obstacle>(random.vector(), random.vector(), random.vector()));
  return bodies;
}

constexpr Eigen::Index kSizes[] = {3, 3, 7, 12, 10};
constexpr Eigen::Index kQuaternion[] = {-1, -1, 3, -1, 3};  // where it starts

void check_same_place(const Body& a, const Body& b) {
  for (int k = 0; k < 3; ++k) CHECK(a.to_space(Eigen::Vector3d::Unit(k)) == b.to_space(Eigen::Vector3d::Unit(k)));
  CHECK(a.to_space(Eigen::Vector3d::Zero()) == b.to_space(Eigen::Vector3d::Zero()));
  CHECK(a.to_body(Eigen::Vector3d(1, 2, 3)) == b.to_body(Eigen::Vector3d(1, 2, 3)));
  CHECK(a.prescribed_velocity({1, 2, 3}) == b.prescribed_velocity({1, 2, 3}));
}

}  // namespace

TEST_CASE("a configuration put back is the same place bit for bit, and goes on the same way") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Random random(seed), twin(seed);
    const auto bodies = all_kinds(random);
    const auto others = all_kinds(twin);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      CAPTURE(i);
      Body &body = *bodies[i], &other = *others[i];
      for (int step = 0; step < 5; ++step) body.advance(0.02);
      const Eigen::VectorXd q = body.configuration();
      REQUIRE(q.size() == kSizes[i]);
      other.set_configuration(q);
      CHECK(other.configuration() == q);
      check_same_place(body, other);
      // A second trip changes nothing, and both go on together.
      body.set_configuration(q);
      CHECK(body.configuration() == q);
      for (Body* b : {&body, &other}) {
        b->predict(0.01, {0, 0, -9.81});
        b->advance(0.02);
      }
      CHECK(body.free_velocity() == other.free_velocity());
      CHECK(body.configuration() == other.configuration());
      check_same_place(body, other);
    }
  }
}

TEST_CASE("the configuration says where the body is, in the order that its header gives") {
  Random random(3);
  const auto bodies = all_kinds(random);
  for (const std::size_t i : {0, 1, 2, 4}) {
    Eigen::VectorXd q = bodies[i]->configuration();
    if (i == 1) {
      q << 1, 2, 0.5;  // x, y, angle
    } else {
      q.head<3>() << 1, 2, 3;
    }
    if (kQuaternion[i] > 0) q.segment<4>(3) << std::sqrt(0.5), 0, 0, std::sqrt(0.5);  // a quarter turn about z
    bodies[i]->set_configuration(q);
    CHECK(bodies[i]->to_space(Eigen::Vector3d::Zero()) == Eigen::Vector3d(1, 2, i == 1 ? 0 : 3));
    if (kQuaternion[i] > 0) {
      CHECK((bodies[i]->to_space(Eigen::Vector3d::UnitX()) - Eigen::Vector3d(1, 3, 3)).norm() < 1e-15);
    }
  }
  CHECK(
      (bodies[BodyId{1}]->to_space(Eigen::Vector3d::UnitX()) - Eigen::Vector3d(1 + std::cos(0.5), 2 + std::sin(0.5), 0))
          .norm() < 1e-15);
  Eigen::VectorXd q(12);
  q << 1, 2, 3, 4, 5, 6, 7, 8, 10, -1, -2, -3;  // F row by row, then the mass centre
  bodies[BodyId{3}]->set_configuration(q);
  CHECK(bodies[BodyId{3}]->to_space(Eigen::Vector3d::UnitY()) == Eigen::Vector3d(1, 3, 5));
  // The last three of an obstacle are the origin of its motion, where v is its linear velocity.
  Eigen::VectorXd elsewhere = bodies[BodyId{4}]->configuration();
  const Eigen::Vector3d v = bodies[BodyId{4}]->prescribed_velocity(elsewhere.tail<3>());
  elsewhere.tail<3>() = Eigen::Vector3d(4, 4, 4);
  bodies[BodyId{4}]->set_configuration(elsewhere);
  CHECK(bodies[BodyId{4}]->prescribed_velocity({4, 4, 4}) == v);
  CHECK(bodies[BodyId{4}]->prescribed_velocity({4, 5, 4}) != v);
}

TEST_CASE("wrong sizes, numbers that are not finite and quaternions off unit length are refused") {
  Random random(5);
  const auto bodies = all_kinds(random);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    CAPTURE(i);
    Body& body = *bodies[i];
    const Eigen::VectorXd q = body.configuration();
    const auto refuse = [&](const Eigen::VectorXd& bad) {
      CHECK_THROWS_AS(body.set_configuration(bad), std::invalid_argument);
      CHECK(body.configuration() == q);
    };
    refuse(q.head(q.size() - 1));
    refuse(Eigen::VectorXd::Zero(q.size() + 1));
    refuse(Eigen::VectorXd());
    for (Eigen::Index k = 0; k < q.size(); ++k) {
      for (const double value : {nan, std::numeric_limits<double>::infinity()}) {
        Eigen::VectorXd bad = q;
        bad[k] = value;
        refuse(bad);
      }
    }
    if (kQuaternion[i] < 0) continue;
    for (const double length : {0.0, 0.99, 1 + 2e-6}) {
      Eigen::VectorXd bad = q;
      bad.segment<4>(kQuaternion[i]) *= length;
      refuse(bad);
    }
  }
}

TEST_CASE("angular momentum is the sum over mass points") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const auto bodies = all_kinds(random);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      CAPTURE(i);
      const Body& body = *bodies[i];
      // Six points with the body's second moments of mass ∫ρ X Xᵀ, in body coordinates.
      Eigen::Matrix3d euler = Eigen::Matrix3d::Zero();
      if (i == 1) euler.diagonal() << 0.5 * body.inertia()(2, 2), 0.5 * body.inertia()(2, 2), 0;
      if (i == 2) {
        const Eigen::Matrix3d J = body.inertia().topLeftCorner<3, 3>();
        euler = 0.5 * J.trace() * Eigen::Matrix3d::Identity() - J;
      }
      if (i == 3) euler = body.inertia().topLeftCorner<3, 3>();
      const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes(euler);
      const Eigen::Vector3d centre = body.to_space(Eigen::Vector3d::Zero());
      Eigen::Vector3d expected = Eigen::Vector3d::Zero();
      for (int k = 0; k < 6 && body.freedoms() > 3 - (i == 1 ? 1 : 0); ++k) {
        const Eigen::Vector3d X = (k < 3 ? 1 : -1) * axes.eigenvectors().col(k % 3);
        const double mass = 0.5 * axes.eigenvalues()[k % 3];
        const Eigen::Vector3d x = body.to_space(X);
        PointJacobian H(3, body.freedoms());
        body.point_jacobian(x, Eigen::Matrix3d::Identity(), H);
        expected += mass * (x - centre).cross(H * body.velocity());
      }
      CHECK((body.angular_momentum() - expected).norm() <= 1e-13 * (1 + expected.norm()));
      if (i == 0 || i == 4) CHECK(body.angular_momentum().norm() == 0);
      if (i > 0 && i < 4) CHECK(body.angular_momentum().norm() > 0);
    }
  }
}
