// A free asymmetric top, moved by the time stepper.

#include <doctest/doctest.h>

#include "experiments/free_top.hpp"

namespace locdyn::physics {
namespace {

TEST_CASE("A free asymmetric top keeps its angular momentum") {
  CHECK(momentum_error(1000) < 1e-12);
}

TEST_CASE("The Dzhanibekov flip has the period of the elliptic integral, with an error of second order in h") {
  const Flip coarse = flip_period(0.01), fine = flip_period(0.005);
  CHECK(coarse.period == doctest::Approx(coarse.expected).epsilon(1e-3));
  CHECK((4 * fine.period - coarse.period) / 3 == doctest::Approx(fine.expected).epsilon(1e-7));
}

}  // namespace
}  // namespace locdyn::physics
