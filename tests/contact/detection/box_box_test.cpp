// Box on box against brute force: all 15 separating axes where they overlap; every corner against the other box and
// every edge against every edge where they are apart.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

struct PosedBox {
  Vector3d half;
  Eigen::Matrix3d Q;
  Vector3d x;

  [[nodiscard]] Vector3d corner(int k) const {
    return x + Q * half.cwiseProduct(Vector3d(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1));
  }
  [[nodiscard]] double radius(const Vector3d& n) const { return (Q.transpose() * n).cwiseAbs().dot(half); }
  [[nodiscard]] double distance(const Vector3d& point) const {
    const Vector3d local = Q.transpose() * (point - x);
    return (local.cwiseAbs() - half).cwiseMax(0).norm();
  }
};

double separation(const PosedBox& a, const PosedBox& b, const Vector3d& n) {
  return n.dot(b.x - a.x) - a.radius(n) - b.radius(n);
}

// Distance of two segments: ends against the other one, and the common perpendicular where its feet lie inside.
double distance(const Vector3d& a0, const Vector3d& a1, const Vector3d& b0, const Vector3d& b1) {
  const auto to_segment = [](const Vector3d& p, const Vector3d& s0, const Vector3d& s1) {
    const double t = std::clamp((p - s0).dot(s1 - s0) / (s1 - s0).squaredNorm(), 0.0, 1.0);
    return (p - s0 - t * (s1 - s0)).norm();
  };
  double least =
      std::min({to_segment(a0, b0, b1), to_segment(a1, b0, b1), to_segment(b0, a0, a1), to_segment(b1, a0, a1)});
  const Vector3d u = a1 - a0, v = b1 - b0, n = u.cross(v);
  if (n.squaredNorm() > 1e-12 * u.squaredNorm() * v.squaredNorm()) {
    const double s = (b0 - a0).cross(v).dot(n) / n.squaredNorm(), t = (b0 - a0).cross(u).dot(n) / n.squaredNorm();
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) least = std::min(least, (a0 + s * u - b0 - t * v).norm());
  }
  return least;
}

// Distance, or minus the depth of penetration.
double reference_gap(const PosedBox& a, const PosedBox& b) {
  double most = -HUGE_VAL;
  const auto try_axis = [&](const Vector3d& n) {
    if (n.norm() > 1e-7) most = std::max({most, separation(a, b, n.normalized()), separation(a, b, -n.normalized())});
  };
  for (int i = 0; i < 3; ++i) {
    try_axis(a.Q.col(i));
    try_axis(b.Q.col(i));
    for (int j = 0; j < 3; ++j) try_axis(a.Q.col(i).cross(b.Q.col(j)));
  }
  if (most <= 0) return most;
  double least = HUGE_VAL;
  for (int k = 0; k < 8; ++k) least = std::min({least, a.distance(b.corner(k)), b.distance(a.corner(k))});
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      for (int along_a = 1; along_a < 8; along_a *= 2) {
        for (int along_b = 1; along_b < 8; along_b *= 2) {
          if (i & along_a || j & along_b) continue;
          least = std::min(least, distance(a.corner(i), a.corner(i | along_a), b.corner(j), b.corner(j | along_b)));
        }
      }
    }
  }
  return least;
}

void check_against_brute_force(const Vector3d& size_a, const Pose& at, const Vector3d& size_b, const Pose& there,
                               double reach) {
  const PosedBox a{0.5 * size_a, at.orientation.toRotationMatrix(), at.position};
  const PosedBox b{0.5 * size_b, there.orientation.toRotationMatrix(), there.position};
  const double gap = reference_gap(a, b);
  const auto contacts = contacts_of(Box{size_a}, at, Box{size_b}, there, reach);
  CAPTURE(gap);
  if (std::abs(gap - reach) < 1e-9) return;  // either is right
  REQUIRE(contacts.empty() == (gap > reach));
  if (contacts.empty()) return;
  CHECK(std::abs(least_gap(contacts) - gap) < 1e-9);
  for (const auto& contact : contacts) {
    CHECK(std::abs(contact.normal.norm() - 1) < 1e-12);
    // The normal is one of largest separation …
    CHECK(std::abs(separation(a, b, contact.normal) - (gap > 0 ? contact.gap : gap)) <
          1e-9 + std::abs(contact.gap - gap));
    CHECK(separation(a, b, contact.normal) > gap - 1e-9);
    // … and each point has a surface on both sides at half the gap.
    CHECK(a.distance(contact.point - 0.5 * contact.gap * contact.normal) < 1e-9);
    CHECK(b.distance(contact.point + 0.5 * contact.gap * contact.normal) < 1e-9);
    CHECK(contact.gap <= reach);
  }
}

}  // namespace

TEST_CASE("box on box anywhere: gap, normal and points by brute force") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> length(0.3, 1.5);
  for (int trial = 0; trial < 3000; ++trial) {
    CAPTURE(trial);
    const Vector3d size_a(length(random), length(random), length(random));
    const Vector3d size_b(length(random), length(random), length(random));
    const Pose at{random_vector(random, 2), random_orientation(random)};
    const Orientation turn = random_orientation(random);
    // Along a random direction, from the first touch of two spheres in each to that of spheres about them.
    const Vector3d direction = random_vector(random, 1).normalized();
    const double low = 0.4 * (size_a.minCoeff() + size_b.minCoeff()), high = 0.5 * (size_a.norm() + size_b.norm());
    std::uniform_real_distribution<double> distance(low, high);
    check_against_brute_force(size_a, at, size_b, {at.position + distance(random) * direction, turn}, 0.2);
  }
}

TEST_CASE("box on box nearly face to face, at every small tilt") {
  std::mt19937 random(2);
  for (int trial = 0; trial < 3000; ++trial) {
    CAPTURE(trial);
    const double tilt = std::pow(10, -1 - trial % 14);
    const double offset = trial % 3 == 0 ? 0 : std::pow(10, -1 - trial % 5) * (trial % 2 ? 1 : -1);
    const Orientation base = random_orientation(random);
    const Orientation spin = turned(trial % 4 == 0 ? 0 : 0.1 * (trial % 16), Vector3d::UnitZ());
    const Orientation other = base * turned(tilt, random_vector(random, 1)) * spin;
    const Vector3d aside(trial % 5 == 0 ? 0 : 0.3, trial % 7 == 0 ? 1 : 0.2, 1 + 0.1 * offset);
    check_against_brute_force({1, 1, 1}, {Vector3d(0.1, 0.2, 0.3), base}, {1, 1, 1},
                              {Vector3d(0.1, 0.2, 0.3) + base * aside, other}, 0.05);
  }
}
