#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>
#include <vector>

#include <locdyn/contact/coulomb_cone.hpp>
#include <locdyn/contact/friction_pyramid.hpp>

using namespace locdyn;
using namespace locdyn::detail;

namespace {

class Points {
 public:
  explicit Points(unsigned seed) : generator_(seed) {}
  Eigen::Vector3d next() { return {normal_(generator_), normal_(generator_), normal_(generator_)}; }

 private:
  std::mt19937 generator_;
  std::normal_distribution<double> normal_;
};

// The nearest point of the face between two generators by brute force: nested ternary search, then cyclic clamped
// descent over the coefficients of the two generators, a convex quadratic.
double distance_to_face(const Eigen::Vector3d& z, const Eigen::Vector3d& g, const Eigen::Vector3d& k) {
  double a = 0;
  double b = 0;
  for (int i = 0; i < 4000; ++i) {
    a = std::max(0.0, g.dot(z - b * k) / g.squaredNorm());
    b = std::max(0.0, k.dot(z - a * g) / k.squaredNorm());
  }
  return (z - a * g - b * k).norm();
}

}  // namespace

TEST_CASE("the pyramid is inscribed: generators on the cone, facets inside") {
  const FrictionPyramid pyramid(5);
  CHECK(pyramid.facets() == 5);
  CHECK(pyramid.direction(0) == Eigen::Vector2d(1, 0));
  for (int j = 0; j < 5; ++j) {
    const Eigen::Vector3d g = pyramid.generator(j, 0.7);
    CHECK(cone_violation(g, 0.7) < 1e-15);
    CHECK(pyramid.contains(g, 0.7, 1e-15));
    CHECK_FALSE(pyramid.contains(1.001 * g - Eigen::Vector3d(0, 0, 0.001), 0.7));
    const Eigen::Vector3d middle = 0.5 * (g + pyramid.generator((j + 1) % 5, 0.7));
    CHECK(pyramid.violation(middle, 0.7) < 1e-15);
    CHECK(middle.head<2>().norm() == doctest::Approx(0.7 * std::cos(std::numbers::pi / 5)).epsilon(1e-14));
  }
  CHECK_THROWS_WITH_AS(FrictionPyramid(2), "friction pyramid: expected at least 3 facets, found 2",
                       std::invalid_argument);
}

TEST_CASE("one point in each region of a square pyramid") {
  // Generators (±1, 0, 1), (0, ±1, 1): |R_1| + |R_2| ≤ R_n.
  const FrictionPyramid square(4);
  const auto check = [&](const Eigen::Vector3d& z, const Eigen::Vector3d& expected) {
    CAPTURE(z.transpose());
    CHECK((square.project(z, 1) - expected).norm() < 1e-15);
  };
  check({0.2, -0.3, 1}, {0.2, -0.3, 1});  // inside
  check({1, 1, 0.5}, {0.5, 0.5, 1});      // facet: the foot on R_1 + R_2 = R_n is z − ½ (1, 1, −1)
  check({3, 0.5, 1}, {2, 0, 2});          // generator (1, 0, 1)
  check({0.1, -4, 0}, {0, -2, 2});        // generator (0, −1, 1)
  check({0.2, 0.3, -1}, {0, 0, 0});       // apex
  check({0, 0, -1}, {0, 0, 0});
  check({0, 0, 0}, {0, 0, 0});
  CHECK(square.project({3, 0, 2}, 0) == Eigen::Vector3d(0, 0, 2));
  CHECK(square.project({0, 0, -2}, 0) == Eigen::Vector3d::Zero());
}

TEST_CASE("projection: idempotent, Moreau's decomposition, symmetries of the pyramid commute") {
  Points points(3);
  for (const int k : {3, 4, 5, 8, 64}) {
    CAPTURE(k);
    const FrictionPyramid pyramid(k);
    const double a = 2 * std::numbers::pi / k;
    Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
    turn.topLeftCorner<2, 2>() << std::cos(a), -std::sin(a), std::sin(a), std::cos(a);
    const Eigen::Matrix3d mirror = Eigen::Vector3d(1, -1, 1).asDiagonal();
    for (const double mu : {0.0, 1e-6, 0.3, 1.0, 10.0}) {
      CAPTURE(mu);
      for (int trial = 0; trial < 100; ++trial) {
        const Eigen::Vector3d z = points.next();
        const Eigen::Vector3d p = pyramid.project(z, mu);
        const double rounding = 4e-15 * (1 + mu) * z.norm();
        CHECK((pyramid.project(p, mu) - p).norm() < rounding);
        CHECK(pyramid.contains(p, mu, rounding));
        CHECK(cone_violation(p, mu) < rounding);
        const Eigen::Vector3d q = pyramid.project_on_dual(-z, mu);
        CHECK((p - q - z).norm() < rounding);
        CHECK(std::abs(p.dot(q)) < rounding * z.norm());
        for (int j = 0; j < k; ++j) CHECK(pyramid.generator(j, mu).dot(q) >= -rounding);
        CHECK((pyramid.project(turn * z, mu) - turn * p).norm() < rounding);
        CHECK((pyramid.project(mirror * z, mu) - mirror * p).norm() < rounding);
      }
    }
  }
}

TEST_CASE("the projection is as near as a brute-force search over every facet") {
  Points points(4);
  for (const int k : {3, 4, 7}) {
    const FrictionPyramid pyramid(k);
    for (const double mu : {0.2, 1.5}) {
      for (int trial = 0; trial < 60; ++trial) {
        const Eigen::Vector3d z = points.next();
        double nearest = HUGE_VAL;
        bool inside = true;
        for (int j = 0; j < k; ++j) {
          const Eigen::Vector3d g = pyramid.generator(j, mu);
          const Eigen::Vector3d next = pyramid.generator((j + 1) % k, mu);
          inside = inside && g.cross(next).dot(z) >= 0;  // inward normal of the facet
          nearest = std::min(nearest, distance_to_face(z, g, next));
        }
        CHECK(pyramid.contains(z, mu) == inside);
        CHECK(std::abs((pyramid.project(z, mu) - z).norm() - (inside ? 0 : nearest)) < 1e-12);
      }
    }
  }
}

TEST_CASE("distances and the shift tend to the cone's at the rate 1/k², projected points at 1/k") {
  const double mu = 0.8;
  Eigen::Array3d previous = Eigen::Array3d::Zero();
  for (const int k : {8, 16, 32, 64}) {
    CAPTURE(k);
    const FrictionPyramid pyramid(k);
    Eigen::Array3d largest = Eigen::Array3d::Zero();
    for (int i = 0; i < 4096; ++i) {  // the middles of all facets are among the angles
      const double a = 2 * std::numbers::pi * i / 4096;
      const Eigen::Vector3d z(3 * std::cos(a), 3 * std::sin(a), 0.3);
      const Eigen::Vector3d p = pyramid.project(z, mu);
      const Eigen::Vector3d q = project_on_cone(z, mu);
      const double shift = (pyramid.shift(z, mu) - de_saxce_shift(z, mu)).norm();
      largest = largest.max(Eigen::Array3d((p - z).norm() - (q - z).norm(), shift, (p - q).norm()));
    }
    CHECK(largest[1] == doctest::Approx(3 * mu * (1 - std::cos(std::numbers::pi / k))).epsilon(1e-9));
    if (k > 8) {
      CHECK(previous[0] / largest[0] == doctest::Approx(4).epsilon(0.1));
      CHECK(previous[2] / largest[2] == doctest::Approx(2).epsilon(0.1));
    }
    previous = largest;
  }
}

TEST_CASE("the shift is μ times the largest −d_j·U_t") {
  Points points(6);
  for (const int k : {3, 4, 9}) {
    const FrictionPyramid pyramid(k);
    for (int trial = 0; trial < 100; ++trial) {
      const Eigen::Vector3d U = points.next();
      double support = -HUGE_VAL;
      for (int j = 0; j < k; ++j) support = std::max(support, -pyramid.direction(j).dot(U.head<2>()));
      CHECK((pyramid.shift(U, 0.4) - U - Eigen::Vector3d(0, 0, 0.4 * support)).norm() < 1e-15);
    }
  }
  CHECK(FrictionPyramid(4).shift({0, 0, 1}, 0.4) == Eigen::Vector3d(0, 0, 1));
}
