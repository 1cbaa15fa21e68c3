// The one-contact law: one contact in each region, symmetries, borders.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/local/contact_block.hpp>
#include <locdyn/solver/local/sliding_quartic.hpp>

#include "solver/random_contacts.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using testing::RandomContacts;

namespace {

const Eigen::Vector3d kCold = Eigen::Vector3d::Zero();

Eigen::Matrix3d diagonal(double t1, double t2, double n) {
  return Eigen::Vector3d(t1, t2, n).asDiagonal();
}

// A well-conditioned block with moderate coupling and friction: the solution is unique.
Eigen::Matrix3d plain_block(RandomContacts& random) {
  const Eigen::Vector3d v = random.vector();
  return Eigen::Matrix3d::Identity() + 0.3 * v * v.transpose();
}

}  // namespace

TEST_CASE("open: b_n ≥ 0 gives R = 0") {
  const ContactBlock block(diagonal(1, 2, 4), 0.5);
  for (const double normal : {0.0, 1e-300, 3.0}) {
    const ContactSolution s = block.solve({7, -2, normal}, {1, 1, 1});
    CHECK(s.R == kCold);
    CHECK(s.path == ContactPath::open);
  }
}

TEST_CASE("stick: R = −W⁻¹ b in the cone") {
  const ContactSolution s = ContactBlock(diagonal(1, 2, 4), 0.5).solve({0.25, -0.5, -4}, kCold);
  CHECK((s.R - Eigen::Vector3d(-0.25, 0.25, 1)).norm() < 1e-15);
  CHECK(s.path == ContactPath::stick);
}

TEST_CASE("slide without coupling: R_n = −b_n / W_nn, R_t = −μ R_n b_t/‖b_t‖") {
  // U_t = b_t − w μ R_n b_t/‖b_t‖: isotropic W_tt slides along b_t.
  const ContactBlock block(diagonal(2, 2, 4), 0.5);
  const ContactSolution cold = block.solve({3, 4, -8}, kCold);
  CHECK((cold.R - Eigen::Vector3d(-0.6, -0.8, 2)).norm() < 1e-14);
  CHECK(cold.path == ContactPath::newton);
  const ContactSolution warm = block.solve({3, 4, -8}, {-0.5, 0, 1});
  CHECK((warm.R - Eigen::Vector3d(-0.6, -0.8, 2)).norm() < 1e-13);
  CHECK(warm.path == ContactPath::warm_angle);
}

TEST_CASE("slide with coupling: U_n = 0 and U_t opposes R_t on the cone") {
  // Planar by symmetry: R_n (W_nn − μ W_nt) = −b_n.
  Eigen::Matrix3d W = diagonal(2, 1, 1);
  W(0, 2) = W(2, 0) = 0.5;
  const ContactSolution s = ContactBlock(W, 0.5).solve({5, 0, -3}, kCold);
  CHECK((s.R - Eigen::Vector3d(-2, 0, 4)).norm() < 1e-13);
}

TEST_CASE("μ = 0: R_t = 0 exactly, and b_n < 0 rebounds to U_n = 0") {
  RandomContacts random(1);
  for (int i = 0; i < 1000; ++i) {
    const Eigen::Matrix3d W = plain_block(random);
    const Eigen::Vector3d b = random.vector();
    const ContactSolution s = ContactBlock(W, 0).solve(b, random.vector());
    CHECK(s.R.head<2>() == Eigen::Vector2d::Zero());
    CHECK(s.R[2] == doctest::Approx(b[2] < 0 ? -b[2] / W(2, 2) : 0).epsilon(1e-15));
  }
}

TEST_CASE("b = 0, b_t = 0") {
  const ContactBlock block(diagonal(1, 2, 4), 0.5);
  CHECK(block.solve(kCold, {1, 2, 3}).R == kCold);
  CHECK((block.solve({0, 0, -2}, kCold).R - Eigen::Vector3d(0, 0, 0.5)).norm() == 0);
}

TEST_CASE("a rotation about n commutes with the law") {
  RandomContacts random(2);
  for (int i = 0; i < 2000; ++i) {
    CAPTURE(i);
    const Eigen::Matrix3d W = random.unsymmetric(plain_block(random), 0.02);
    const Eigen::Vector3d b = random.vector();
    const Eigen::Matrix3d Q = Eigen::AngleAxisd(random.uniform(0, 6.28), Eigen::Vector3d::UnitZ()).toRotationMatrix();
    const Eigen::Vector3d R = ContactBlock(W, 0.6).solve(b, kCold).R;
    const Eigen::Vector3d turned = ContactBlock(Q * W * Q.transpose(), 0.6).solve(Q * b, kCold).R;
    CHECK((Q * R - turned).norm() <= 1e-12 * (1 + R.norm()));
  }
}

TEST_CASE("units: powers of two in W and b scale R to the bit, cold and warm") {
  RandomContacts random(3);
  for (int i = 0; i < 20'000; ++i) {
    const testing::ContactCase c = random.next(0.02);
    if (c.W.trace() > 1e6 || c.W.trace() < 1e-6 || !(c.b.norm() > 1e-6 && c.b.norm() < 1e6)) continue;
    CAPTURE(i);
    const double w = std::ldexp(1.0, random.pick(61) - 30), v = std::ldexp(1.0, random.pick(121) - 60);
    const ContactSolution one = ContactBlock(c.W, c.friction).solve(c.b, kCold);
    const ContactSolution scaled = ContactBlock(w * c.W, c.friction).solve(v * c.b, kCold);
    CHECK(one.path == scaled.path);
    CHECK(v / w * one.R == scaled.R);
    const Eigen::Vector3d warm = one.R + 1e-3 * one.R.norm() * random.vector();
    CHECK(v / w * ContactBlock(c.W, c.friction).solve(c.b, warm).R ==
          ContactBlock(w * c.W, c.friction).solve(v * c.b, v / w * warm).R);
  }
}

TEST_CASE("R is continuous across the border of stick and slide, and of open") {
  RandomContacts random(4);
  for (int i = 0; i < 2000; ++i) {
    CAPTURE(i);
    const Eigen::Matrix3d W = plain_block(random);
    const ContactBlock block(W, 0.5);
    const Eigen::Vector2d d = random.direction();
    const Eigen::Vector3d R(0.5 * d[0], 0.5 * d[1], 1);
    const Eigen::Vector3d b = -W * R;
    for (const double step : {1e-6, 1e-9, 1e-13}) {
      // R is Lipschitz in b; 20 is above its constant for these blocks.
      CHECK((block.solve(b + step * random.vector(), kCold).R - R).norm() <= 20 * step + 1e-14);
      CHECK((block.solve(b + step * random.vector(), R).R - R).norm() <= 20 * step + 1e-14);
    }
    CHECK(block.solve({random.uniform(-1, 1), random.uniform(-1, 1), -1e-12}, kCold).R.norm() < 1e-11);
  }
}

TEST_CASE("warm and cold starts agree where the solution is unique") {
  RandomContacts random(5);
  for (int i = 0; i < 5000; ++i) {
    CAPTURE(i);
    const ContactBlock block(plain_block(random), random.uniform(0.1, 0.7));
    const Eigen::Vector3d b = random.vector();
    const Eigen::Vector3d R = block.solve(b, kCold).R;
    CHECK((block.solve(b, random.vector()).R - R).norm() <= 1e-11);
  }
}

TEST_CASE("the natural map of one contact is the one that ldy judges by") {
  RandomContacts random(6);
  for (int i = 0; i < 500; ++i) {
    CAPTURE(i);
    const testing::ContactCase c = random.next(0.02);
    if (!(c.b.norm() > 0)) continue;
    LocalDynamics ldy;
    const ConstraintId id = ldy.insert(ContactLaw{.friction = c.friction});
    ldy.row(id).W = c.W;
    ldy.row(id).B = c.b;
    const double rho = ContactBlock(c.W, c.friction).rho();
    ldy.row(id).R = rho * c.b.norm() * random.vector();
    const double judged = evaluate_residual(ldy).scaled * c.b.norm();
    CHECK(natural_map(c.W, c.friction, rho, c.b, ldy.row(id).R) == doctest::Approx(judged).epsilon(1e-12));
  }
}

TEST_CASE("the roots of a quartic: four, a double pair, none") {
  std::array<double, 4> roots{};
  REQUIRE(quartic_roots({24, -50, 35, -10, 1}, roots) == 4);  // (x − 1)(x − 2)(x − 3)(x − 4)
  std::sort(roots.begin(), roots.end());
  for (int k = 0; k < 4; ++k) CHECK(roots[k] == doctest::Approx(k + 1).epsilon(1e-13));
  CHECK(quartic_roots({1, 0, 2, 0, 1}, roots) >= 0);  // (x² + 1)²: a pair at most within rounding
  CHECK(quartic_roots({5, 0, 0, 0, 1}, roots) == 0);
  const int found = quartic_roots({36, -60, 37, -10, 1}, roots);  // (x − 2)² (x − 3)²
  REQUIRE(found >= 2);
  for (int k = 0; k < found; ++k) CHECK(std::min(std::abs(roots[k] - 2), std::abs(roots[k] - 3)) < 1e-6);
}
