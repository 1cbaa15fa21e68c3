#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include <locdyn/contact/coulomb_cone.hpp>

using namespace locdyn;

TEST_CASE("the projection onto the Coulomb cone, one point in each region") {
  const double mu = 0.75;
  CHECK(project_on_cone({0.3, 0.4, 1}, mu) == Eigen::Vector3d(0.3, 0.4, 1));          // inside
  CHECK(project_on_cone({0.6, 0, -1}, mu) == Eigen::Vector3d::Zero());                // in the polar cone
  CHECK(project_on_cone({0, 0, -1}, mu) == Eigen::Vector3d::Zero());                  // below the apex
  // Outside: along (0.75, 0, 1)/1.25 for z = (5, 0, 0) the length is 3.
  CHECK((project_on_cone({5, 0, 0}, mu) - Eigen::Vector3d(1.8, 0, 2.4)).norm() < 1e-15);
  CHECK(project_on_cone({5, 1, 2}, 0) == Eigen::Vector3d(0, 0, 2));
  CHECK(project_on_cone({5, 1, -2}, 0) == Eigen::Vector3d::Zero());
  CHECK(project_on_cone({0, 0, -2}, 0) == Eigen::Vector3d::Zero());
  CHECK(cone_violation({0, 0, -2}, 0) == 2);
  CHECK(cone_violation({0, 3, 2}, 0.5) == 2);
}

TEST_CASE("projection: idempotent, Moreau's decomposition, rotations about n commute") {
  std::mt19937 generator(2);
  std::normal_distribution<double> normal;
  for (const double mu : {0.0, 1e-6, 0.3, 1.0, 10.0}) {
    CAPTURE(mu);
    for (int trial = 0; trial < 200; ++trial) {
      const Eigen::Vector3d z(normal(generator), normal(generator), normal(generator));
      const Eigen::Vector3d p = project_on_cone(z, mu);
      CHECK((project_on_cone(p, mu) - p).norm() < 1e-15 * z.norm());
      CHECK(cone_violation(p, mu) < 1e-15 * (1 + mu) * z.norm());
      const Eigen::Vector3d q = project_on_dual_cone(-z, mu);  // z = P_K(z) − P_K*(−z), the two orthogonal
      CHECK((p - q - z).norm() < 1e-15 * z.norm());
      CHECK(std::abs(p.dot(q)) < 1e-15 * z.squaredNorm());
      CHECK(q[2] >= mu * q.head<2>().norm() - 2e-15 * (1 + mu) * z.norm());

      const double a = normal(generator);
      Eigen::Matrix3d Q = Eigen::Matrix3d::Identity();
      Q.topLeftCorner<2, 2>() << std::cos(a), -std::sin(a), std::sin(a), std::cos(a);
      CHECK((project_on_cone(Q * z, mu) - Q * p).norm() < 2e-15 * z.norm());
    }
  }
}

TEST_CASE("the De Saxcé shift puts a sliding velocity on the dual cone's edge") {
  const Eigen::Vector3d shifted = de_saxce_shift({0.3, 0.4, 0}, 2);
  CHECK(shifted == Eigen::Vector3d(0.3, 0.4, 1));
  // R opposite to the slip on the cone is then orthogonal to it.
  CHECK(std::abs(shifted.dot(Eigen::Vector3d(-1.2, -1.6, 1))) < 1e-15);
}
