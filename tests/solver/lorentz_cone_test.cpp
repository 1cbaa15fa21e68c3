// The Lorentz cone: its Jordan algebra, the Nesterov–Todd scaling, the step to the boundary.

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <locdyn/solver/convex/lorentz_cone.hpp>
#include <random>

using namespace locdyn;
using namespace locdyn::detail;

namespace {

// A point inside L in a subspace of 1 (half-line), 2 (planar) or 3 dimensions, `depth` of its axis off the boundary.
Eigen::Vector3d inside(std::mt19937& random, int dimensions, double depth) {
  std::normal_distribution<double> normal;
  Eigen::Vector3d x(dimensions > 1 ? normal(random) : 0, dimensions > 2 ? normal(random) : 0, 0);
  x[2] = x.norm() * (1 + depth) + (dimensions == 1 ? std::exp(normal(random)) : 0);
  return x;
}

}  // namespace

TEST_CASE("the Jordan product by hand, its quotient, and the determinant as a product of eigenvalues") {
  const Eigen::Vector3d x(1, 2, 5), y(3, -1, 2);
  CHECK(jordan_product(x, y) == Eigen::Vector3d(2 + 15, 4 - 5, 3 - 2 + 10));
  CHECK(jordan_product(x, Eigen::Vector3d::UnitZ()) == x);
  CHECK(lorentz_determinant(x) == doctest::Approx(20).epsilon(1e-15));
  CHECK((jordan_quotient(jordan_product(x, y), x) - y).norm() < 1e-14);
}

TEST_CASE("the scaling: P z = P⁻¹ x, symmetric, with its axes orthonormal, in each dimension and near the boundary") {
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    CAPTURE(i);
    const int dimensions = 1 + i % 3;
    const double depth = i % 2 == 0 ? 0.5 : 1e-6;
    const Eigen::Vector3d x = inside(random, dimensions, depth), z = inside(random, dimensions, depth);
    const NesterovTodd P(x, z);
    const Eigen::Vector3d lambda = P.apply(z);
    // Twelve digits of a determinant of depth 1e-6 at most.
    CHECK((P.apply_inverse(x) - lambda).norm() < 1e-8 * lambda.norm());
    CHECK(lambda.dot(lambda) == doctest::Approx(x.dot(z)).epsilon(1e-8));
    CHECK(lorentz_determinant(lambda) > 0);
    CHECK((P.axes().transpose() * P.axes() - Eigen::Matrix3d::Identity()).norm() < 1e-14);
    CHECK((P.apply_inverse(P.apply(x)) - x).norm() < 1e-12 * x.norm() * (1 + 1 / depth));
    CHECK(P.eigenvalues().minCoeff() > 0);
    if (dimensions < 3) CHECK(lambda[1] == 0);
    if (dimensions == 1) CHECK(P.eigenvalues()[2] == doctest::Approx(std::sqrt(x[2] / z[2])).epsilon(1e-14));
  }
}

TEST_CASE("the step to the boundary ends on it, and is infinite along the cone") {
  const Eigen::Vector3d e = Eigen::Vector3d::UnitZ();
  CHECK(step_to_boundary(e, -e) == doctest::Approx(1).epsilon(1e-15));
  CHECK(step_to_boundary(e, {2, 0, 0}) == doctest::Approx(0.5).epsilon(1e-15));
  CHECK(step_to_boundary(e, {0, 3, 3}) == std::numeric_limits<double>::infinity());
  CHECK(step_to_boundary(e, {0, 0, 0}) == std::numeric_limits<double>::infinity());
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  int ends = 0;
  for (int i = 0; i < 300; ++i) {
    CAPTURE(i);
    const Eigen::Vector3d x = inside(random, 3, 0.3), d(normal(random), normal(random), normal(random));
    const double t = step_to_boundary(x, d);
    CHECK(t > 0);
    if (!std::isfinite(t)) {
      CHECK(lorentz_determinant(x + 1e6 * d) > 0);
      continue;
    }
    ++ends;
    const Eigen::Vector3d end = x + t * d;
    CHECK(std::abs(end[2] - end.head<2>().norm()) < 1e-12 * (1 + end.norm()));
    CHECK(end[2] >= 0);
    CHECK(lorentz_determinant(x + 0.99 * t * d) > 0);
  }
  CHECK(ends > 100);
}
