// Nothing adds energy where nothing may: e = 0, no springs, no drive, 1 ms.

#include <doctest/doctest.h>

#include "experiments/energy.hpp"

namespace locdyn::physics {
namespace {

TEST_CASE("A falling pile, a falling arch and dominoes gain no more than 1e-5 of the energy released") {
  for (const Falling example : {Falling::pile, Falling::arch, Falling::dominoes}) {
    CAPTURE(name_of(example));
    const EnergyBalance balance = balance_of(example, 0.4, {.step = 1e-3, .tolerance = 1e-8});
    CHECK(balance.released > 0);
    CHECK(balance.growth <= 1e-5);
  }
}

}  // namespace
}  // namespace locdyn::physics
