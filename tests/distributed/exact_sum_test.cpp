// Sums without rounding: in any order, over any number of ranks.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <locdyn/distributed/exact_sum.hpp>
#include "distributed/ranks.hpp"

using namespace locdyn::distributed;

TEST_CASE("exact sum: what rounding would lose is there") {
  ExactSum sum;
  for (const double x : {1e300, 1.0, -1e300, 1e-300, 2.0}) sum.add(x);
  CHECK(sum.value() == 3.0);
  sum.add(-3.0);
  CHECK(sum.value() == 1e-300);

  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  ExactSum least;
  for (int i = 0; i < 5; ++i) least.add(kLeast);
  CHECK(least.value() == 5 * kLeast);

  ExactSum most;
  most.add(-std::numeric_limits<double>::max());
  CHECK(most.value() == -std::numeric_limits<double>::max());
  CHECK(ExactSum().value() == 0);
  most.add(std::numeric_limits<double>::infinity());
  CHECK(std::isnan(most.value()));
}

TEST_CASE("exact sum: the same bits in any order, near the plain sum") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> exponent(-40, 40), mantissa(-1, 1);
  std::vector<double> summands(1000);
  long double plain = 0;
  for (double& x : summands) plain += x = std::exp2(exponent(random)) * mantissa(random);
  ExactSum forward;
  for (const double x : summands) forward.add(x);
  CHECK(std::abs(static_cast<double>(plain) - forward.value()) <= 1e-15 * std::exp2(40));
  for (int trial = 0; trial < 5; ++trial) {
    std::shuffle(summands.begin(), summands.end(), random);
    ExactSum first, second;
    for (std::size_t i = 0; i < summands.size(); ++i) (i < 300 ? first : second).add(summands[i]);
    first.add(second);
    CHECK(first.value() == forward.value());
  }
}

TEST_CASE("exact sum: over ranks") {
  double one = 0;
  for_each_rank_count([&](MPI_Comm comm) {
    const auto rank = static_cast<std::size_t>(rank_of(comm)), ranks = static_cast<std::size_t>(size_of(comm));
    ExactSum sum;
    for (std::size_t i = 0; i < 500; ++i) {
      if (i % ranks == rank) sum.add(std::sin(static_cast<double>(i)) * std::exp2(static_cast<double>(i % 90)));
    }
    ExactSum::add_over_ranks(comm, &sum, 1);
    if (ranks == 1) one = sum.value();
    if (rank == 0) CHECK(sum.value() == one);
  });
}
