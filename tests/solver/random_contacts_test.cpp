// The one-contact law on a million random blocks against the bound that rounding sets, on blocks without sign, and on
// loads without a solution.

#include "solver/random_contacts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <locdyn/solver/local/contact_block.hpp>
#include <string>

using namespace locdyn;
using namespace locdyn::detail;
using testing::ContactCase;
using testing::RandomContacts;

namespace {

// residual / bound of one solution, 0 where both vanish.
double share_of_bound(const ContactCase& c, double rho, const Eigen::Vector3d& R) {
  const double residual = natural_map(c.W, c.friction, rho, c.b, R);
  const double bound = natural_map_bound(c.W, c.b, R);
  return residual == 0 ? 0 : residual / bound;
}

struct Tally {
  std::array<int, kContactPaths> paths{};
  double worst = 0;
  int over = 0;

  void add(double share, ContactPath path) {
    ++paths[static_cast<std::size_t>(path)];
    if (!(share <= 1)) ++over;
    if (!(share <= worst)) worst = share;
  }
  void report(const char* name) const {
    std::string line = std::string(name) + ": worst residual " + std::to_string(worst) + " of its bound;";
    for (int k = 0; k < kContactPaths; ++k) {
      line += std::string(" ") + to_string(static_cast<ContactPath>(k)) + " " + std::to_string(paths[k]);
    }
    MESSAGE(line);
  }
};

}  // namespace

TEST_CASE("a million random contacts meet the bound of the natural map, cold") {
  constexpr int kSeed = 2011;
  CAPTURE(kSeed);
  RandomContacts random(kSeed);
  Tally tally;
  for (int i = 0; i < 1'000'000; ++i) {
    const ContactCase c = random.next(0.02);
    const ContactBlock block(c.W, c.friction);
    const ContactSolution s = block.solve(c.b, Eigen::Vector3d::Zero());
    tally.add(share_of_bound(c, block.rho(), s.R), s.path);
  }
  tally.report("cold");
  CHECK(tally.over == 0);
}

TEST_CASE("half a million random contacts meet the bound from warm starts near, far and senseless") {
  constexpr int kSeed = 2012;
  CAPTURE(kSeed);
  RandomContacts random(kSeed);
  Tally tally;
  for (int i = 0; i < 500'000; ++i) {
    const ContactCase c = random.next(0.02);
    const ContactBlock block(c.W, c.friction);
    Eigen::Vector3d warm = random.log_uniform(1e-3, 1e3) * random.vector();
    if (i % 4 != 0) {
      const Eigen::Vector3d before = c.b + random.log_uniform(1e-12, 1) * c.b.norm() * random.vector();
      warm = block.solve(before, Eigen::Vector3d::Zero()).R;
    }
    const ContactSolution s = block.solve(c.b, warm);
    tally.add(share_of_bound(c, block.rho(), s.R), s.path);
  }
  tally.report("warm");
  CHECK(tally.over == 0);
  CHECK(tally.paths[static_cast<std::size_t>(ContactPath::warm_angle)] > 50'000);
}

TEST_CASE("blocks skew by up to 16 % meet the bound: their symmetric part keeps its sign") {
  RandomContacts random(16);
  Tally tally;
  for (int i = 0; i < 200'000; ++i) {
    const ContactCase c = random.next(0.16);
    const ContactBlock block(c.W, c.friction);
    REQUIRE(is_regular(c.W) == block.regular());
    const ContactSolution s = block.solve(c.b, Eigen::Vector3d::Zero());
    tally.add(share_of_bound(c, block.rho(), s.R), s.path);
  }
  tally.report("16 % skew");
  CHECK(tally.over == 0);
}

TEST_CASE("W without sign: a solution that is known to exist is found, another may be") {
  RandomContacts random(5);
  Tally tally;
  int indefinite = 0;
  for (int i = 0; i < 100'000; ++i) {
    ContactCase c{};
    for (int column = 0; column < 3; ++column) c.W.col(column) = random.vector();
    c.W(2, 2) = random.uniform(-0.2, 1);
    c.friction = random.uniform(0.05, 5);
    // A slide (even cases) or a stick that W solves by construction, whatever its eigenvalues.
    const Eigen::Vector2d d = random.direction();
    const double part = i % 2 == 0 ? 1 : random.uniform();
    const Eigen::Vector3d R(part * c.friction * d[0], part * c.friction * d[1], 1);
    c.b = -c.W * R;
    if (i % 2 == 0) c.b.head<2>() -= random.log_uniform(1e-3, 10) * d;
    const ContactBlock block(c.W, c.friction);
    if (!block.regular()) ++indefinite;
    REQUIRE(is_regular(c.W) == block.regular());
    const ContactSolution s = block.solve(c.b, Eigen::Vector3d::Zero());
    tally.add(share_of_bound(c, block.rho(), s.R), s.path);
  }
  tally.report("no sign");
  CHECK(indefinite > 50'000);
  CHECK(tally.over == 0);
}

TEST_CASE("where no solution exists the best candidate is finite and no worse than the warm start") {
  RandomContacts random(6);
  for (int i = 0; i < 20'000; ++i) {
    // Rank one with its null space in the cone, b outside its range; W with a negative or no normal part.
    ContactCase c{};
    const Eigen::Vector3d v = random.vector();
    c.W = i % 3 == 0 ? Eigen::Matrix3d(v * v.transpose()) : Eigen::Matrix3d(-v * v.transpose());
    if (i % 3 == 2) c.W.setZero();
    c.friction = random.uniform(0.5, 10);
    c.b = random.vector();
    c.b[2] = -std::abs(c.b[2]);
    const ContactBlock block(c.W, c.friction);
    const Eigen::Vector3d warm = project_on_cone(random.vector(), c.friction);
    const ContactSolution s = block.solve(c.b, warm);
    REQUIRE(s.R.allFinite());
    const double residual = natural_map(c.W, c.friction, block.rho(), c.b, s.R);
    const double before = natural_map(c.W, c.friction, block.rho(), c.b, warm);
    CHECK(residual <= std::max(before, natural_map_bound(c.W, c.b, s.R)));
  }
}
