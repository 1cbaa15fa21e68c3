#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include <locdyn/contact/coulomb_cone.hpp>
#include <locdyn/contact/rolling_cone.hpp>

using namespace locdyn;

namespace {

using Pair = std::array<Eigen::Vector3d, 2>;

double pair_distance(const Pair& a, const Pair& b) {
  return std::hypot((a[0] - b[0]).norm(), (a[1] - b[1]).norm());
}
double pair_dot(const Pair& a, const Pair& b) {
  return a[0].dot(b[0]) + a[1].dot(b[1]);
}
Pair projected_rolling(Pair z, const RollingCone& cone) {
  project_on_rolling_cone(z, cone);
  return z;
}

// For a given R_n the discs are projected one by one; R_n by a search for the least distance over ever finer grids.
Pair nearest_rolling(const Pair& z, const RollingCone& cone) {
  const auto at = [&](double normal) {
    Pair p = z;
    p[0][2] = normal;
    const auto clip = [&](auto part, double radius) {
      const double length = part.norm();
      if (length > radius) part *= radius / length;
    };
    clip(p[0].head<2>(), cone.sliding * normal);
    clip(p[1].head<2>(), cone.rolling * normal);
    p[1][2] = std::clamp(p[1][2], -cone.torsional * normal, cone.torsional * normal);
    return p;
  };
  double best = 0, low = 0, high = 20;
  for (int level = 0; level < 10; ++level) {
    for (int k = 0; k <= 1000; ++k) {
      const double normal = low + (high - low) * k / 1000;
      if (pair_distance(at(normal), z) < pair_distance(at(best), z)) best = normal;
    }
    const double window = (high - low) / 100;
    low = std::max(best - window, 0.0);
    high = best + window;
  }
  return at(best);
}

Pair random_pair(std::mt19937& generator) {
  std::normal_distribution<double> normal;
  Pair z;
  for (auto& part : z) part = {normal(generator), normal(generator), normal(generator)};
  return z;
}

}  // namespace

TEST_CASE("the projection onto the rolling cone is the nearest point found by search") {
  std::mt19937 generator(21);
  for (const RollingCone cone : {RollingCone{0.5, 0.2, 0.1}, {1, 0.01, 0}, {0, 0, 0}, {3, 2, 5}, {0, 0.4, 0.2}}) {
    CAPTURE(cone.sliding);
    CAPTURE(cone.rolling);
    for (int trial = 0; trial < 100; ++trial) {
      const Pair z = random_pair(generator);
      const Pair p = projected_rolling(z, cone);
      const Pair searched = nearest_rolling(z, cone);
      CHECK(pair_distance(p, z) <= pair_distance(searched, z) + 1e-13);
      CHECK(pair_distance(p, searched) < 1e-6);
    }
  }
}

TEST_CASE("rolling projection: idempotent, Moreau's decomposition, Coulomb's where nothing rolls or spins") {
  std::mt19937 generator(22);
  std::uniform_real_distribution<double> exponent(-6, 2);
  for (int trial = 0; trial < 3000; ++trial) {
    const RollingCone cone{std::pow(10, exponent(generator)), std::pow(10, exponent(generator)),
                           trial % 4 == 0 ? 0 : std::pow(10, exponent(generator))};
    const Pair z = random_pair(generator);
    CAPTURE(trial);
    const double size = std::hypot(z[0].norm(), z[1].norm());
    const double rounding = 4e-15 * (1 + std::max({cone.sliding, cone.rolling, cone.torsional})) * size;
    const Pair p = projected_rolling(z, cone);
    CHECK(rolling_violation(p[0], p[1], cone) <= rounding);
    CHECK(pair_distance(projected_rolling(p, cone), p) <= rounding);
    const Pair q = {p[0] - z[0], p[1] - z[1]};
    CHECK(std::abs(pair_dot(p, q)) <= rounding * size);
    CHECK(q[0][2] - rolling_shift(q[0], q[1], cone) >= -4 * rounding);  // q ∈ K*

    const Pair flat = projected_rolling({z[0], Eigen::Vector3d::Zero()}, cone);
    CHECK((flat[0] - project_on_cone(z[0], cone.sliding)).norm() <= rounding);
    CHECK(flat[1] == Eigen::Vector3d::Zero());
  }
}

TEST_CASE("the rolling cone, one point in each region and the shift") {
  const RollingCone cone{0.75, 0.5, 0.25};
  const Pair inside = {Eigen::Vector3d(0.3, 0.4, 1), Eigen::Vector3d(0.1, 0.1, -0.2)};
  CHECK(projected_rolling(inside, cone) == inside);
  CHECK(projected_rolling({Eigen::Vector3d(0.6, 0, -1), Eigen::Vector3d(0, 0.5, 0)}, cone)[0] ==
        Eigen::Vector3d::Zero());
  // Moment alone: λ = μ_r ‖M‖/(1 + μ_r²) = 0.5 · 5/1.25 = 2, and M falls to μ_r λ = 1.
  const Pair rolled = projected_rolling({Eigen::Vector3d::Zero(), Eigen::Vector3d(3, 4, 0)}, cone);
  CHECK(rolled[0][2] == doctest::Approx(2));
  CHECK(rolled[1][0] == doctest::Approx(0.6));
  CHECK(rolled[1][1] == doctest::Approx(0.8));
  CHECK(rolling_shift({3, 4, 9}, {0, 2, -4}, cone) == doctest::Approx(0.75 * 5 + 1 + 1));
  CHECK(rolling_violation({0, 0, 1}, {0, 0, 3}, cone) == doctest::Approx(2.75));
  CHECK(rolling_violation({0, 0, -1}, {0, 0, 0}, cone) == doctest::Approx(1));
}
