#include <doctest/doctest.h>
#include <cmath>

#include <bodies/random_bodies.hpp>

using namespace locdyn;
using locdyn::testing::Random;

TEST_CASE("quaternion and matrix exponentials agree and are rotations, from tiny to many turns") {
  Random random(31);
  for (const double angle : {0.0, 1e-300, 1e-12, 1e-4, 0.5, 3.1, 40.0}) {
    CAPTURE(angle);
    const Eigen::Vector3d theta = angle * random.vector().normalized();
    const Eigen::Matrix3d E = exponential_matrix(theta);
    CHECK((exponential(theta).toRotationMatrix() - E).norm() < 1e-14);
    CHECK((E.transpose() * E - Eigen::Matrix3d::Identity()).norm() < 1e-14);
    CHECK((E * theta - theta).norm() <= 1e-14 * angle);
    const Eigen::Vector3d v = random.vector();
    const Eigen::Vector3d turned = rotated(theta.cast<Extended>(), v.cast<Extended>()).cast<double>();
    CHECK((turned - E * v).norm() < 1e-14 * v.norm());
  }
  CHECK((exponential_matrix({0, 0, 0.5}) * Eigen::Vector3d::UnitX() - Eigen::Vector3d(std::cos(0.5), std::sin(0.5), 0))
            .norm() < 1e-15);
}

TEST_CASE("the derivative of the exponential, by central differences") {
  Random random(32);
  for (const double angle : {0.0, 1e-6, 0.3, 0.999, 1.001, 2.5, 7.0}) {
    CAPTURE(angle);
    const Eigen::Vector3d theta = angle * random.vector().normalized();
    const Eigen::Matrix3d T = exponential_derivative(theta);
    for (int axis = 0; axis < 3; ++axis) {
      const double d = 1e-5;
      const Eigen::Vector3d delta = d * Eigen::Vector3d::Unit(axis);
      const Eigen::Matrix3d S = exponential_matrix(theta).transpose() *
                                (exponential_matrix(theta + delta) - exponential_matrix(theta - delta)) / (2 * d);
      const Eigen::Vector3d axis_of_S(S(2, 1), S(0, 2), S(1, 0));
      CHECK((axis_of_S - T.col(axis)).norm() < 1e-9);
    }
  }
}
