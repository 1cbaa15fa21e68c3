// The multibody benchmark set A01–A05, light versions.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include <locdyn/mechanism/smooth/integrate/integrate.hpp>

#include "problems/bricard_loop.hpp"
#include "problems/four_bars.hpp"
#include "problems/governor.hpp"
#include "problems/pendulum.hpp"
#include "problems/squeezer.hpp"

using namespace locdyn;
using namespace locdyn::test;

TEST_CASE("A01: a pendulum keeps its energy over 10 s") {
  Pendulum pendulum;
  double worst = 0;
  std::vector<double> times;
  for (int k = 1; k <= 100; ++k) times.push_back(0.1 * k);
  integrate(pendulum.mechanism, pendulum.loads, {.until = Pendulum::kDuration, .output_times = times},
            [&](const MotionPoint&) { worst = std::max(worst, std::abs(pendulum.energy())); });
  CHECK(worst < 5e-5);
  CHECK(worst < 1e-7);
}

TEST_CASE("A02: two four-bars pass their singular positions") {
  FourBars bars(2);
  const double start = bars.energy();
  double worst = 0;
  std::vector<double> times;
  for (int k = 1; k < 1000; ++k) times.push_back(0.01 * k);
  const MotionReport report = integrate(
      bars.mechanism, bars.loads, {.until = FourBars::kDuration, .rtol = 1e-12, .atol = 1e-14, .output_times = times},
      [&](const MotionPoint&) { worst = std::max(worst, std::abs(bars.energy() - start)); });
  CHECK(worst < 1e-9);
  CHECK((bars.first_tip() - FourBars::reference()).norm() < 5e-10);
  CHECK(std::abs(bars.energy() - start) < 1e-9);
  CHECK(report.position_error < 1e-12);
  CHECK(report.weakest < 0.1);
}

TEST_CASE("A03: Andrews' squeezer ends where the reference says") {
  Squeezer squeezer;
  const MotionReport report =
      integrate(squeezer.mechanism, squeezer.loads, {.until = Squeezer::kDuration, .rtol = 1e-12, .atol = 1e-14});
  const Squeezer::Angles error = squeezer.angles() - Squeezer::reference();
  CAPTURE(error.transpose());
  CHECK(error.cwiseAbs().maxCoeff() < 1e-10);
  CHECK(report.position_error < 1e-12);
}

TEST_CASE("A04: Bricard's mechanism closes with a row too many") {
  BricardLoop loop;
  const double start = loop.energy();
  const MotionReport report = integrate(loop.mechanism, loop.loads, {.until = 2});
  CHECK(report.redundant.size() == 1);
  CHECK(report.redundant[0].find("hinge \"hinge ") == 0);
  CHECK(report.position_error < 1e-12);
  CHECK(std::abs(loop.energy() - start) < 1e-6);
  CHECK(loop.far_corner().norm() > 0.1);
}

TEST_CASE("A05: a stiff governor keeps its angular momentum, and two integrators agree") {
  Governor stiff, explicit_one;
  const double momentum = stiff.spin_momentum();
  const MotionReport report = integrate(stiff.mechanism, stiff.loads,
                                        {.until = 0.1, .rtol = 1e-8, .atol = 1e-10, .integrator = Integrator::bdf});
  CHECK(report.position_error < 1e-12);
  CHECK(stiff.spin_momentum() == doctest::Approx(momentum).epsilon(1e-6));
  integrate(explicit_one.mechanism, explicit_one.loads, {.until = 0.1});
  CHECK(explicit_one.spin_momentum() == doctest::Approx(momentum).epsilon(1e-9));
  CHECK(stiff.slider_height() == doctest::Approx(explicit_one.slider_height()).epsilon(1e-6));
}
