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

// The series of small angles goes over into the functions at 0.063.
TEST_CASE("a rotation in extended precision is the one of cosine and sine to its rounding, at any angle") {
  const ExtendedVector v = ExtendedVector::UnitX();
  for (const Extended angle : {1e-9L, 1e-3L, 0.02L, 0.0632L, 0.0633L, 0.3L, 3.0L}) {
    CAPTURE(static_cast<double>(angle));
    const ExtendedVector turned = rotated({0, 0, angle}, v);
    CHECK(std::abs(turned[0] - std::cos(angle)) < 4e-19L);
    CHECK(std::abs(turned[1] - std::sin(angle)) < 4e-19L);
    CHECK(turned[2] == 0);
  }
}

// A steady spin is the worst: the same θ in each step, so that rounding with a bias adds up.
TEST_CASE("a body that turns by the same small angle for a million steps turns by the sum, its orientation unit") {
  const Eigen::Vector3d theta(1e-3, 2e-3, -5e-4);
  for (const double share : {1.0, 25.0, 28.0}) {  // the last beyond the small angles
    CAPTURE(share);
    const Eigen::Vector3d step = share * theta;
    Orientation q(0.5, -0.5, 0.5, 0.5);
    constexpr int kSteps = 1'000'000;
    for (int k = 0; k < kSteps; ++k) turn(q, step);
    CHECK(std::abs(q.norm() - 1) < 4e-16);
    Eigen::Quaternion<Extended> sum(0.5L, -0.5L, 0.5L, 0.5L);
    const ExtendedVector all = kSteps * step.cast<Extended>();
    const Extended half = all.norm() / 2;
    const ExtendedVector v = std::sin(half) / (2 * half) * all;
    sum = sum * Eigen::Quaternion<Extended>(std::cos(half), v[0], v[1], v[2]);
    CHECK((q.coeffs() - sum.coeffs().cast<double>()).norm() < 1e-12);
  }
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
