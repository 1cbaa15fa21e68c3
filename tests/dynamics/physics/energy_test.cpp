// Nothing adds energy where nothing may: e = 0, no springs, no drive, 1 ms. A sticking contact of a turning body adds
// some, of first order in h (a stack that topples gains 1.5e-5).

#include <doctest/doctest.h>

#include <string>

#include "experiments/energy.hpp"

namespace locdyn::physics {
namespace {

TEST_CASE("A falling pile and dominoes gain no more than 1e-5 of the energy released") {
  for (const Falling example : {Falling::pile, Falling::dominoes}) {
    const std::string name = name_of(example);
    CAPTURE(name);
    const EnergyBalance balance = balance_of(example, 0.7, {.step = 1e-3, .tolerance = 1e-8});
    CHECK(balance.released > 0);
    CHECK(balance.growth <= 1e-5);
  }
}

}  // namespace
}  // namespace locdyn::physics
