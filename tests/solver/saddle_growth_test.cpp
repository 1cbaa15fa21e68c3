// The time of the saddle point: a chain's grows as its links do. Not with Eigen's SparseQR, whose time grows with their
// square.

#include <doctest/doctest.h>

#include <time.h>
#include <algorithm>
#include <limits>

#include <locdyn/solver/saddle/saddle_system.hpp>
#include <solver/random_saddle.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

TEST_CASE("the saddle point of a chain takes a time that grows as the links do") {
  // Processor time a link, the best of three: fill or a dense step would make it grow by ten.
  const auto time_per_link = [](int links) {
    const SaddleProblem chain = chain_of_links(links).problem();
    const Eigen::VectorXd f = Eigen::VectorXd::Constant(3 * links, 1.0), gamma = Eigen::VectorXd::Zero(2 * links);
    double best = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 3; ++round) {
      timespec from{}, to{};
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
      SaddleSystem system;
      system.factorise(chain);
      CHECK(system.solve(f, gamma).converged);
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
      best = std::min(
          best, static_cast<double>(to.tv_sec - from.tv_sec) + 1e-9 * static_cast<double>(to.tv_nsec - from.tv_nsec));
    }
    return best / links;
  };
  CHECK(time_per_link(2000) < 4 * time_per_link(200));
}
