// The one-contact law in 2D.

#include <doctest/doctest.h>

#include <locdyn/solver/local/planar_contact.hpp>

#include "solver/random_contacts.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using testing::RandomContacts;

namespace {

Eigen::Matrix3d planar_block(double t, double n, double tn, double nt) {
  Eigen::Matrix3d W = Eigen::Matrix3d::Zero();
  W(0, 0) = t;
  W(2, 2) = n;
  W(0, 2) = tn;
  W(2, 0) = nt;
  return W;
}

}  // namespace

TEST_CASE("2D: open, stick, slide both ways, μ = 0") {
  const Eigen::Matrix3d W = planar_block(2, 4, 0, 0);
  CHECK(solve_planar_contact(W, 0.5, {1, 0, 1}).R == Eigen::Vector3d(0, 0, 0));
  CHECK(solve_planar_contact(W, 0.5, {0.5, 0, -4}).R == Eigen::Vector3d(-0.25, 0, 1));
  CHECK(solve_planar_contact(W, 0.5, {9, 0, -4}).R == Eigen::Vector3d(-0.5, 0, 1));
  CHECK(solve_planar_contact(W, 0.5, {-9, 0, -4}).R == Eigen::Vector3d(0.5, 0, 1));
  CHECK(solve_planar_contact(W, 0, {-9, 0, -4}).R == Eigen::Vector3d(0, 0, 1));
}

TEST_CASE("2D: random blocks, coupled, graded, skew and singular, meet the bound") {
  RandomContacts random(20);
  int over = 0;
  for (int i = 0; i < 300'000; ++i) {
    const double t = random.log_uniform(1e-4, 1e4), n = random.log_uniform(1e-4, 1e4);
    const double share = random.pick(10) == 0 ? 1 : 1 - random.log_uniform(1e-9, 1);
    const double coupling = (random.pick(2) == 0 ? share : -share) * std::sqrt(t * n);
    const double skew = random.pick(2) == 0 ? random.uniform(-0.02, 0.02) * std::sqrt(t * n) : 0;
    const Eigen::Matrix3d W = planar_block(t, n, coupling + skew, coupling - skew);
    const double friction = random.friction();
    Eigen::Vector3d b(random.uniform(-1, 1), 0, random.uniform(-1, 1));
    if (share == 1 || random.pick(2) == 0) {
      // A stick or a slide that is known: singular blocks have no other solution for certain.
      const double d = random.pick(2) == 0 ? 1 : -1;
      const bool slides = random.pick(2) == 0;
      b = -W * Eigen::Vector3d((slides ? d : random.uniform(-1, 1)) * friction, 0, 1);
      if (slides) b[0] -= d * random.log_uniform(1e-3, 1e3) * t;
    }
    const ContactSolution s = solve_planar_contact(W, friction, b);
    CHECK_MESSAGE(s.R[1] == 0, i);
    const double residual = natural_map(W, friction, 2 / W.trace(), b, s.R);
    if (!(residual <= natural_map_bound(W, b, s.R))) ++over;
  }
  CHECK(over == 0);
}

TEST_CASE("2D agrees with 3D where t2 is alone") {
  RandomContacts random(21);
  for (int i = 0; i < 10'000; ++i) {
    CAPTURE(i);
    Eigen::Matrix3d W = planar_block(random.uniform(0.5, 2), random.uniform(0.5, 2), 0.3, 0.3);
    const double friction = random.uniform(0, 1);
    const Eigen::Vector3d b(random.uniform(-1, 1), 0, random.uniform(-1, 1));
    const Eigen::Vector3d planar = solve_planar_contact(W, friction, b).R;
    W(1, 1) = 1;
    CHECK((ContactBlock(W, friction).solve(b, Eigen::Vector3d::Zero()).R - planar).norm() < 1e-12);
  }
}

TEST_CASE("2D: W without sign gives a finite candidate, never worse than R = 0") {
  RandomContacts random(22);
  for (int i = 0; i < 10'000; ++i) {
    const Eigen::Matrix3d W =
        planar_block(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    const Eigen::Vector3d b(random.uniform(-1, 1), 0, random.uniform(-1, 1));
    const ContactSolution s = solve_planar_contact(W, 0.5, b);
    REQUIRE(s.R.allFinite());
    const double rho = W.trace() > 0 ? 2 / W.trace() : 1;
    if (b[2] < 0)
      CHECK(natural_map(W, 0.5, rho, b, s.R) <= 1.01 * natural_map(W, 0.5, rho, b, Eigen::Vector3d::Zero()));
  }
}
