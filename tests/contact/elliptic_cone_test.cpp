#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <locdyn/contact/coulomb_cone.hpp>
#include <locdyn/contact/elliptic_cone.hpp>

using namespace locdyn;

namespace {

// The nearest point over the cone's surface by brute force: the direction on the ellipse scanned, then refined by
// shrinking the window around the best; along each generator the nearest point is a closed form.
Eigen::Vector3d nearest_elliptic(const Eigen::Vector3d& z, const Eigen::Vector2d& mu) {
  constexpr double kPi = 3.141592653589793;
  const auto on_generator = [&](double angle) -> Eigen::Vector3d {
    const Eigen::Vector3d g(mu[0] * std::cos(angle), mu[1] * std::sin(angle), 1);
    return std::max(g.dot(z), 0.0) / g.squaredNorm() * g;
  };
  double best = 0, window = 2 * kPi;
  for (int level = 0; level < 12; ++level) {
    const double middle = best;
    for (int k = -500; k <= 500; ++k) {
      const double angle = middle + window * k / 1000;
      if ((on_generator(angle) - z).norm() < (on_generator(best) - z).norm()) best = angle;
    }
    window /= 50;
  }
  return on_generator(best);
}

bool inside_elliptic(const Eigen::Vector3d& z, const Eigen::Vector2d& mu) {
  return z[2] >= 0 && z.head<2>().cwiseQuotient(mu).norm() <= z[2];
}

}  // namespace

TEST_CASE("the projection onto an elliptic cone is the nearest point found by search") {
  std::mt19937 generator(11);
  std::normal_distribution<double> normal;
  for (const Eigen::Vector2d& mu :
       std::vector<Eigen::Vector2d>{{0.3, 0.9}, {2, 0.1}, {1, 1}, {1e-3, 0.5}, {20, 1e-2}}) {
    CAPTURE(mu.transpose());
    for (int trial = 0; trial < 60; ++trial) {
      const Eigen::Vector3d z(normal(generator), normal(generator), normal(generator));
      CAPTURE(z.transpose());
      const Eigen::Vector3d p = project_on_elliptic_cone(z, mu);
      const Eigen::Vector3d searched = inside_elliptic(z, mu) ? z : nearest_elliptic(z, mu);
      // Searched distances end at about the square root of rounding in the angle, and its square in the distance.
      CHECK((p - z).norm() <= (searched - z).norm() + 1e-13 * z.norm());
      CHECK((p - searched).norm() <= 1e-6 * z.norm());
    }
  }
}

TEST_CASE("elliptic projection: idempotent, Moreau's decomposition, and the circle where the axes are equal") {
  std::mt19937 generator(12);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> exponent(-6, 3);
  for (int trial = 0; trial < 3000; ++trial) {
    const Eigen::Vector2d mu(std::pow(10, exponent(generator)), std::pow(10, exponent(generator)));
    Eigen::Vector3d z(normal(generator), normal(generator), normal(generator));
    if (trial % 3 == 0) z[2] *= 1e-8;
    if (trial % 5 == 0) z[trial % 2] *= 1e-12;
    CAPTURE(mu.transpose());
    CAPTURE(z.transpose());
    const double size = z.norm();
    const Eigen::Vector3d p = project_on_elliptic_cone(z, mu);
    CHECK(elliptic_violation(p, mu) <= 4e-15 * (1 + mu.maxCoeff()) * size);
    CHECK((project_on_elliptic_cone(p, mu) - p).norm() <= 4e-15 * size);
    // q = P − z lies in K* and is orthogonal to P.
    const Eigen::Vector3d q = p - z;
    CHECK(std::abs(p.dot(q)) <= 1e-14 * size * size);
    CHECK(q[2] - mu.cwiseProduct(q.head<2>()).norm() >= -1e-14 * (1 + mu.maxCoeff()) * size);
    const Eigen::Vector3d circle = project_on_elliptic_cone(z, Eigen::Vector2d::Constant(mu[0]));
    CHECK((circle - project_on_cone(z, mu[0])).norm() <= 4e-15 * size);
  }
}

TEST_CASE("an elliptic cone without friction along one axis or both, and extreme numbers") {
  // μ = (0, 0.75): the plane (t2, n), where z = (7, 5, 0) goes to 3 times (0.75, 1)/1.25 as on the circle.
  CHECK((project_on_elliptic_cone({7, 5, 0}, {0, 0.75}) - Eigen::Vector3d(0, 1.8, 2.4)).norm() < 1e-15);
  CHECK((project_on_elliptic_cone({5, 7, 0}, {0.75, 0}) - Eigen::Vector3d(1.8, 0, 2.4)).norm() < 1e-15);
  CHECK(project_on_elliptic_cone({5, 7, 2}, {0, 0}) == Eigen::Vector3d(0, 0, 2));
  CHECK(project_on_elliptic_cone({5, 7, -2}, {0, 0}) == Eigen::Vector3d::Zero());
  CHECK(project_on_elliptic_cone({0, 0, 0}, {1, 2}) == Eigen::Vector3d::Zero());
  CHECK(project_on_elliptic_cone({0, 0, -3}, {1, 2}) == Eigen::Vector3d::Zero());
  CHECK(project_on_elliptic_cone({0.1, 0.2, 3}, {1, 2}) == Eigen::Vector3d(0.1, 0.2, 3));
  CHECK(elliptic_violation({0, 0, -2}, {0, 0}) == 2);
  CHECK(elliptic_violation({3, 0, 2}, {0, 1}) == 3);
  CHECK(elliptic_violation({3, 0, 2}, {0.5, 1}) == 4);  // ‖(3/0.5, 0)‖ − 2, in the units of the larger μ
  for (const double size : {1e-300, 1e-160, 1e150, 1e300}) {
    CAPTURE(size);
    const Eigen::Vector3d p = project_on_elliptic_cone(size * Eigen::Vector3d(3, 1, -0.5), {0.8, 0.3});
    const Eigen::Vector3d one = project_on_elliptic_cone({3, 1, -0.5}, {0.8, 0.3});
    CHECK((p / size - one).norm() <= 1e-14);
    CHECK(one[2] > 0);
  }
}

TEST_CASE("the elliptic shift puts a sliding velocity on the dual cone's edge") {
  const Eigen::Vector2d mu(0.5, 2);
  const Eigen::Vector3d U(3, -1, 0);
  const Eigen::Vector3d shifted = elliptic_shift(U, mu);
  CHECK(shifted[2] == doctest::Approx(2.5));  // √(1.5² + 2²)
  // The reaction of maximal dissipation R_i = −μ_i² U_i/√… is orthogonal to it and on the cone.
  const Eigen::Vector3d R(-0.25 * 3 / 2.5, 4 / 2.5, 1);
  CHECK(std::abs(R.dot(shifted)) < 1e-15);
  CHECK(std::abs(R.head<2>().cwiseQuotient(mu).norm() - 1) < 1e-15);
}
