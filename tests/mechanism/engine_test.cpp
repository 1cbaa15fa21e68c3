// Engines by phasors and in time: one piston against closed forms, the two ways against each other, what balances.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/mechanism/engine/balance_in_time.hpp>
#include <locdyn/mechanism/engine/balance_phasors.hpp>

using namespace locdyn;
using std::numbers::pi;

namespace {

constexpr double kEngineSpeed = 628, kSpacing = 0.091;  // rad/s, m
constexpr EngineCylinder kOne{.reciprocating_mass = 0.55, .crank_radius = 0.0432, .rod_length = 0.144};
const double kUnit = kOne.reciprocating_mass * kOne.crank_radius * kEngineSpeed * kEngineSpeed;  // m r ω²

// Of order 2j, by Newton's binomial series of √(1 − λ² s²) and s²ᵏ as a sum of cosines: the sum over k >= j of
//   (½ over k) (−λ²)ᵏ 4⁻ᵏ 2 (−1)ʲ (2k over k − j)/λ, times −(2j)².
double even_coefficient(double lambda, int order) {
  const int j = order / 2;
  double sum = 0, half_over = 1, central = 1;  // (½ over k), (2k over k)/4ᵏ
  for (int k = 1; k < 400; ++k) {
    half_over *= (1.5 - k) / k;
    central *= (2.0 * k - 1) / (2.0 * k);
    if (k < j) continue;
    double share = central;  // (2k over k − j)/4ᵏ
    for (int i = 1; i <= j; ++i) share *= (k - i + 1.0) / (k + i);
    sum += half_over * std::pow(-lambda * lambda, k) * share;
  }
  return -order * order * 2 * (j % 2 == 0 ? 1 : -1) * sum / lambda;
}

// The largest difference of force, in m r ω², and of couple, in m r ω² times the spacing.
double difference(const Engine& engine, int highest_order = 8) {
  const EngineHarmonics phasors = balance_phasors(engine, {.speed = kEngineSpeed, .highest_order = highest_order});
  const TimeBalance time = balance_in_time(engine, {.speed = kEngineSpeed, .highest_order = highest_order});
  return std::max((phasors.force - time.harmonics.force).cwiseAbs().maxCoeff() / kUnit,
                  (phasors.couple - time.harmonics.couple).cwiseAbs().maxCoeff() / (kUnit * kSpacing));
}

// Both ways; sizes of orders over m r ω² and m r ω² a.
struct Sizes {
  explicit Sizes(const Engine& engine) {
    for (const EngineHarmonics& h : {balance_phasors(engine, {.speed = kEngineSpeed}),
                                     balance_in_time(engine, {.speed = kEngineSpeed}).harmonics}) {
      force.emplace_back(h.force.colwise().norm().transpose() / kUnit);
      couple.emplace_back(h.couple.colwise().norm().transpose() / (kUnit * kSpacing));
    }
  }
  std::vector<Eigen::VectorXd> force, couple;
};

std::string engine_fault(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("harmonics of a piston: powers of lambda, the whole series, and short rods") {
  EngineCylinder c = kOne;
  // The polynomials leave out 35 λ⁷/512, 35 λ⁷/256 and 45 λ⁷/512, here at most 1.4e-15; λ⁵ is 1e-10.
  c.rod_length = 100 * c.crank_radius;
  const double l = 0.01;
  const Eigen::VectorXcd A = piston_harmonics(c, 8);
  REQUIRE(A.size() == 9);
  CHECK(std::abs(A[1] + 1.0) <= 1e-15);
  CHECK(std::abs(A[2] + l + std::pow(l, 3) / 4 + 15 * std::pow(l, 5) / 128) <= 2e-15);
  CHECK(std::abs(A[4] - std::pow(l, 3) / 4 - 3 * std::pow(l, 5) / 16) <= 2e-15);
  CHECK(std::abs(A[6] + 9 * std::pow(l, 5) / 128) <= 2e-15);
  for (const double lambda : {0.01, 0.25, 0.3, 0.6, 0.9}) {
    CAPTURE(lambda);
    c.rod_length = c.crank_radius / lambda;
    const Eigen::VectorXcd found = piston_harmonics(c, 12);
    CHECK(std::abs(found[0]) == 0);
    CHECK(std::abs(found[1] + 1.0) <= 1e-14);
    for (int n = 2; n <= 12; n += 2) CHECK(std::abs(found[n] - even_coefficient(lambda, n)) <= 2e-14);
    for (int n = 3; n <= 12; n += 2) CHECK(std::abs(found[n]) <= 2e-14);
  }
  // Nearly as short as it can be: at l → r the piston stands still for half a turn, |2 cos ψ|'s harmonics but for
  // √(1 − λ): x/r → cos ψ + |cos ψ|, its order 2 is 4/(3π).
  c.rod_length = c.crank_radius * (1 + 2e-6);
  CHECK(std::abs(piston_harmonics(c, 2)[2] + 4 * 4 / (3 * pi)) <= 1e-4);
}

TEST_CASE("the acceleration of a piston by its mechanism is that of the closed form, offset or not") {
  for (const double offset : {0.0, 0.012, -0.03}) {
    EngineCylinder c = kOne;
    c.offset = offset;
    const double r = c.crank_radius, l = c.rod_length, w = kEngineSpeed;
    const Eigen::VectorXd found = piston_accelerations(c, w, 72);
    const Eigen::VectorXcd A = piston_harmonics(c, 40);
    double closed = 0, series = 0;
    for (int j = 0; j < 72; ++j) {
      // y = r sin ψ − e, x = r cos ψ + √(l² − y²)
      const double psi = 2 * pi * j / 72, y = r * std::sin(psi) - offset, y1 = r * std::cos(psi),
                   y2 = -r * std::sin(psi);
      const double root = std::sqrt(l * l - y * y);
      const double x2 = -r * std::cos(psi) - (y1 * y1 + y * y2) / root - y * y * y1 * y1 / (root * root * root);
      closed = std::max(closed, std::abs(found[j] - w * w * x2));
      double sum = 0;
      for (int n = 1; n <= 40; ++n) sum += (A[n] * std::polar(1.0, n * psi)).real();
      series = std::max(series, std::abs(sum * r - x2));
    }
    CAPTURE(offset);
    CHECK(closed <= 1e-12 * r * w * w);
    CHECK(series <= 1e-12 * r);
  }
}

TEST_CASE("phasors and superposition in time agree, for three engines, uneven ones, and ones in V with offsets") {
  CHECK(difference(inline4(kOne, kSpacing)) <= 1e-9);
  CHECK(difference(boxer4(kOne, kSpacing)) <= 1e-9);
  CHECK(difference(inline3(kOne, kSpacing)) <= 1e-9);
  Engine uneven = inline3(kOne, kSpacing);
  uneven.cylinders[0].reciprocating_mass *= 1.1;
  uneven.cylinders[1].rod_length *= 1.2;
  uneven.cylinders[1].offset = 0.01;
  uneven.cylinders[2].bank = -pi / 3;
  uneven.cylinders[2].throw_angle += 20 * pi;
  CHECK(difference(uneven, 20) <= 1e-9);
  // Nothing of it is small.
  const EngineHarmonics h = balance_phasors(uneven, {.speed = kEngineSpeed});
  CHECK(h.force.middleCols<2>(1).colwise().norm().minCoeff() > 0.1 * kUnit);
  CHECK(h.couple.middleCols<2>(1).colwise().norm().minCoeff() > 0.1 * kUnit * kSpacing);
  // Orders give back the samples.
  const TimeBalance time = balance_in_time(uneven, {.speed = kEngineSpeed, .highest_order = 60});
  Eigen::Matrix2Xd sum = Eigen::Matrix2Xd::Zero(2, 360);
  for (int n = 0; n <= 60; ++n) {
    for (int j = 0; j < 360; ++j)
      sum.col(j) += (time.harmonics.couple.col(n) * std::polar(1.0, n * time.angle[j])).real();
  }
  CHECK((sum - time.couple).cwiseAbs().maxCoeff() <= 1e-10 * kUnit * kSpacing);
}

TEST_CASE("inline-4: first order vanishes, the second is four times one cylinder's, and so are the even ones") {
  const double lambda = kOne.crank_radius / kOne.rod_length;
  const Sizes found(inline4(kOne, kSpacing));
  for (int way = 0; way < 2; ++way) {
    CAPTURE(way);
    for (const int n : {0, 1, 3, 5, 7}) CHECK(found.force[way][n] <= 1e-12);
    for (const int n : {2, 4, 6, 8})
      CHECK(std::abs(found.force[way][n] - 4 * std::abs(even_coefficient(lambda, n))) <= 1e-12);
    CHECK(found.couple[way].maxCoeff() <= 1e-12);
  }
  // Straight up at the top: the sign.
  CHECK(balance_phasors(inline4(kOne, kSpacing)).force(0, 2).real() > 0);
}

TEST_CASE("boxer-4: all forces and odd couples vanish, even couples are twice a pair's") {
  const double lambda = kOne.crank_radius / kOne.rod_length;
  const Sizes found(boxer4(kOne, kSpacing));
  for (int way = 0; way < 2; ++way) {
    CAPTURE(way);
    CHECK(found.force[way].maxCoeff() <= 1e-12);
    for (const int n : {0, 1, 3, 5, 7}) CHECK(found.couple[way][n] <= 1e-12);
    for (const int n : {2, 4, 6, 8})
      CHECK(std::abs(found.couple[way][n] - 2 * std::abs(even_coefficient(lambda, n))) <= 1e-12);
  }
}

TEST_CASE("inline-3: first and second forces vanish, couples of root three remain, the sixth force is three times") {
  const double lambda = kOne.crank_radius / kOne.rod_length, root = std::sqrt(3.0);
  const Sizes found(inline3(kOne, kSpacing));
  for (int way = 0; way < 2; ++way) {
    CAPTURE(way);
    for (const int n : {0, 1, 2, 3, 4, 5, 7, 8}) CHECK(found.force[way][n] <= 1e-12);
    CHECK(std::abs(found.force[way][6] - 3 * std::abs(even_coefficient(lambda, 6))) <= 1e-12);
    CHECK(std::abs(found.couple[way][1] - root) <= 1e-12);
    for (const int n : {2, 4, 8})
      CHECK(std::abs(found.couple[way][n] - root * std::abs(even_coefficient(lambda, n))) <= 1e-12);
    for (const int n : {0, 3, 5, 6, 7}) CHECK(found.couple[way][n] <= 1e-12);
  }
}

TEST_CASE("a V of 90 degrees on one pin: its first force rotates with the shaft and has one size") {
  EngineCylinder left = kOne, right = kOne;
  left.bank = pi / 4;
  right.bank = -pi / 4;
  right.position = 0.02;
  const Engine v{{left, right}};
  CHECK(difference(v) <= 1e-9);
  const EngineHarmonics h = balance_phasors(v, {.speed = kEngineSpeed});
  const RotatingPair first = rotating(h.force.col(1));
  CHECK(std::abs(first.forward - kUnit) <= 1e-12 * kUnit);  // at θ = 0 along x, between the banks
  CHECK(std::abs(first.backward) <= 1e-12 * kUnit);
  CHECK(first.largest() == doctest::Approx(first.least()));
  // The second shakes across the V: √2 λ's series, along y alone.
  const double second = std::sqrt(2.0) * std::abs(even_coefficient(kOne.crank_radius / kOne.rod_length, 2));
  CHECK(std::abs(h.force(0, 2)) <= 1e-12 * kUnit);
  CHECK(std::abs(std::abs(h.force(1, 2)) - second * kUnit) <= 1e-12 * kUnit);
  CHECK(rotating(h.force.col(2)).least() <= 1e-12 * kUnit);
}

TEST_CASE("engines that have no meaning are refused in one line that names the cylinder") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto of = [](const std::function<void(EngineCylinder&)>& change) {
    Engine engine = inline3(kOne, kSpacing);
    change(engine.cylinders[1]);
    const std::string one = engine_fault([&] { (void)balance_phasors(engine); });
    CHECK(one == engine_fault([&] { (void)balance_in_time(engine); }));
    return one;
  };
  CHECK(engine_fault([] { (void)balance_phasors({}); }) == "engine: expected cylinders, found none");
  CHECK(engine_fault([] { (void)balance_in_time({}); }) == "engine: expected cylinders, found none");
  CHECK(of([](EngineCylinder& c) { c.rod_length = 0.04; }) ==
        "cylinder 2: rod length: expected more than crank radius and offset together, 0.0432, found 0.04");
  CHECK(of([](EngineCylinder& c) { c.offset = -0.11; }) ==
        "cylinder 2: rod length: expected more than crank radius and offset together, 0.1532, found 0.144");
  CHECK(of([](EngineCylinder& c) { c.reciprocating_mass = -0.2; }) ==
        "cylinder 2: reciprocating mass: expected a finite number > 0, found -0.2");
  CHECK(of([](EngineCylinder& c) { c.crank_radius = 0; }).find("cylinder 2: crank radius: expected") == 0);
  CHECK(of([&](EngineCylinder& c) { c.throw_angle = nan; }).find("cylinder 2: throw angle: expected") == 0);
  CHECK(of([&](EngineCylinder& c) { c.position = nan; }).find("cylinder 2: position: expected") == 0);
  CHECK(of([&](EngineCylinder& c) { c.bank = nan; }).find("cylinder 2: bank: expected") == 0);
  CHECK(of([&](EngineCylinder& c) { c.offset = nan; }).find("cylinder 2: offset: expected") == 0);
  CHECK(engine_fault([] { (void)inline4(kOne, 0); }).find("spacing of cylinders: expected") == 0);
  CHECK(engine_fault([] { (void)boxer4({}, 1); }).find("cylinder 1: reciprocating mass: expected") == 0);
  const Engine three = inline3(kOne, kSpacing);
  CHECK(engine_fault([&] { (void)balance_phasors(three, {.highest_order = -1}); }) ==
        "highest_order: expected a number >= 0, found -1");
  CHECK(engine_fault([&] { (void)balance_phasors(three, {.speed = nan}); }).find("speed: expected") == 0);
  CHECK(engine_fault([&] { (void)balance_in_time(three, {.speed = nan}); }).find("speed: expected") == 0);
  CHECK(engine_fault([&] { (void)balance_in_time(three, {.highest_order = 180}); }) ==
        "highest_order: expected a number >= 0 and below half of 360 samples, found 180");
  CHECK(engine_fault([&] { (void)balance_in_time(three, {.highest_order = 1, .samples = 4}); }) ==
        "samples: expected a number >= 8, found 4");
  CHECK(engine_fault([&] { (void)balance_in_time(three, {.samples = 256}); }) ==
        "cylinder 2: throw angle less bank: expected a whole number of 256 samples a turn, found 85.3333");
}
