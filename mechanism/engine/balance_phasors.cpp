#include <locdyn/mechanism/engine/balance_phasors.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;
namespace {

// From N points to 2 N the error goes from δ to about δ²: a change of this size leaves rounding.
constexpr double kHarmonicChange = 1e-10;

// Of (x − x(0))/r − cos ψ, by the trapezoidal rule on `points` points. With s = sin ψ, λ = r/l, η = e/l it is
//   (√(1 − (λ s − η)²) − √(1 − η²))/λ = s (2 η − λ s)/(√(1 − (λ s − η)²) + √(1 − η²))
Eigen::VectorXcd rod_harmonics(double lambda, double eta, int highest_order, int points) {
  Eigen::VectorXcd found = Eigen::VectorXcd::Zero(highest_order + 1);
  const double step = 2 * std::numbers::pi / points;
  for (int j = 0; j < points; ++j) {
    const double s = std::sin(j * step), u = lambda * s - eta;
    const double value = s * (2 * eta - lambda * s) / (std::sqrt((1 - u) * (1 + u)) + std::sqrt(1 - eta * eta));
    for (int n = 0; n <= highest_order; ++n) {
      const auto turned = static_cast<int>(static_cast<long>(n) * j % points);
      found[n] += (n == 0 ? 1.0 : 2.0) / points * value * std::polar(1.0, -turned * step);
    }
  }
  return found;
}

void require_order(int highest_order) {
  if (highest_order >= 0) return;
  throw std::invalid_argument("highest_order: expected a number >= 0, found " + std::to_string(highest_order));
}

}  // namespace

Eigen::VectorXcd piston_harmonics(const EngineCylinder& cylinder, int highest_order) {
  validate({{cylinder}});
  require_order(highest_order);
  const double lambda = cylinder.crank_radius / cylinder.rod_length, eta = cylinder.offset / cylinder.rod_length;
  int points = 64;
  while (points <= 4 * highest_order) points *= 2;
  Eigen::VectorXcd x = rod_harmonics(lambda, eta, highest_order, points), before;
  do {
    before = x;
    points *= 2;
    x = rod_harmonics(lambda, eta, highest_order, points);
  } while ((x - before).cwiseAbs().maxCoeff() > kHarmonicChange);
  if (highest_order >= 1) x[1] += 1;
  for (int n = 0; n <= highest_order; ++n) x[n] *= -static_cast<double>(n) * n;
  return x;
}

EngineHarmonics balance_phasors(const Engine& engine, const PhasorBalanceOptions& options) {
  validate(engine);
  require_finite(options.speed, "speed");
  require_order(options.highest_order);
  EngineHarmonics balance{.force = Eigen::Matrix2Xcd::Zero(2, options.highest_order + 1),
                          .couple = Eigen::Matrix2Xcd::Zero(2, options.highest_order + 1)};
  for (const EngineCylinder& c : engine.cylinders) {
    const double size = -c.reciprocating_mass * c.crank_radius * options.speed * options.speed;
    const Eigen::VectorXcd A = piston_harmonics(c, options.highest_order);
    const Eigen::Vector2d d(std::cos(c.bank), std::sin(c.bank));
    for (int n = 0; n <= options.highest_order; ++n) {
      const Eigen::Vector2cd F = size * A[n] * std::polar(1.0, n * c.lead()) * d;
      balance.force.col(n) += F;
      balance.couple.col(n) += c.position * Eigen::Vector2cd(-F.y(), F.x());
    }
  }
  return balance;
}

}  // namespace locdyn
