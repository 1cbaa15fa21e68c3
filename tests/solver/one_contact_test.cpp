// The one-contact law: analytic cases, properties, and a million random blocks against the residual's own bound.

#include <doctest/doctest.h>

#include <array>
#include <cstdio>

#include <locdyn/solver/one_contact/contact_block.hpp>

#include "solver/random_contacts.hpp"

using namespace locdyn;
using testing::ContactCase;
using testing::RandomContacts;

TEST_CASE("a million random contacts meet the bound of the natural map") {
  constexpr int kCases = 20000000;
  RandomContacts random(31);
  std::array<int, kContactPaths> paths{};
  double worst = 0;
  int over = 0;
  for (int i = 0; i < kCases; ++i) {
    const ContactCase c = random.next(0.02);
    const ContactBlock block(c.W, c.friction);
    const ContactSolution s = block.solve(c.b, Eigen::Vector3d::Zero());
    ++paths[static_cast<std::size_t>(s.path)];
    const double residual = natural_map(c.W, c.friction, block.rho(), c.b, s.R);
    const double bound = natural_map_bound(c.W, c.b, s.R);
    const double ratio = bound > 0 ? residual / bound : (residual > 0 ? 1e300 : 0);
    if (!(ratio <= 1)) {
      ++over;
      if (over < 20) std::printf("case %d kind %d mu %g ratio %g path %s regular %d\n", i, int(c.kind), c.friction, ratio, to_string(s.path), block.regular());
    }
    worst = std::max(worst, ratio);
  }
  for (int k = 0; k < kContactPaths; ++k) std::printf("%s %d\n", to_string(ContactPath(k)), paths[k]);
  std::printf("worst %g over %d\n", worst, over);
  CHECK(over == 0);
}
