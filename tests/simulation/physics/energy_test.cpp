// Nothing adds energy where nothing may: e = 0, no springs, no drive, 1 ms. What is gained is of second order in h.

#include <doctest/doctest.h>

#include <string>

#include "experiments/energy.hpp"

namespace locdyn::physics {
namespace {

TEST_CASE("A falling pile and dominoes gain no more than 1e-5 of the energy released") {
  for (const Falling example : {Falling::pile, Falling::dominoes}) {
    const std::string name = name_of(example);
    CAPTURE(name);
    const EnergyBalance balance = balance_of(example, 0.7, {.step = 1e-3, .stop = {.tolerance = 1e-8}});
    CHECK(balance.released > 0);
    CHECK(balance.growth <= 1e-5);
  }
}

TEST_CASE("What a toppling stack gains is of second order in the step") {
  const EnergyBalance coarse = balance_of(Falling::stack, 1.5, {.step = 1e-3, .stop = {.tolerance = 1e-8}});
  const EnergyBalance fine = balance_of(Falling::stack, 1.5, {.step = 5e-4, .stop = {.tolerance = 1e-8}});
  CAPTURE(coarse.growth);
  CAPTURE(fine.growth);
  CHECK(coarse.growth <= 3e-6);
  CHECK(coarse.growth >= 3.5 * fine.growth);
}

}  // namespace
}  // namespace locdyn::physics
