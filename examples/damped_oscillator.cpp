// A mass on a spring and a damper, m ẍ + c ẋ + k x = F cos ωt, with ω₀ = √(k/m) and ζ = c/(2 √(k m)). By hand: the
// motion from x₀ at rest with ζ below, at and above 1; the forced amplitude F/√((k − m ω²)² + (c ω)²); and two schemes
// of fixed steps whose errors fall by four with half the step.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <string>

#include <locdyn/bodies/particle.hpp>
#include <locdyn/forces/function_force.hpp>
#include <locdyn/forces/point_spring_damper.hpp>
#include <locdyn/mechanism/smooth/fixed_step.hpp>
#include <locdyn/mechanism/smooth/integrate/integrate.hpp>
#include <locdyn/simulation/system.hpp>

#include "agrees.hpp"
#include "motion.hpp"
#include "svg.hpp"

using namespace locdyn;
using Eigen::Vector3d;

namespace {

constexpr double kMass = 0.5, kOmega = 2 * std::numbers::pi, kStart = 0.1;  // kg, rad/s, m
constexpr double kStiffness = kMass * kOmega * kOmega;

// The spring hangs on a wall at x = −1 m and is at rest with the mass at 0.
struct Oscillator {
  System system;
  BodyId mass = system.emplace<Particle>(kMass, Vector3d(kStart, 0, 0));
  Mechanism mechanism{system};

  explicit Oscillator(double zeta) {
    system.gravity.setZero();
    const SpringProperties spring{kStiffness, 2 * zeta * std::sqrt(kStiffness * kMass)};
    system.add_force(
        std::make_unique<PointSpringDamper>(Anchor{{-1, 0, 0}}, Anchor{{kStart, 0, 0}, mass}, spring, 1.0));
  }
  [[nodiscard]] double x() const { return example::place(system.bodies(), mass).x(); }
};

double by_hand(double zeta, double t) {
  const double decay = zeta * kOmega, root = kOmega * std::sqrt(std::abs(1 - zeta * zeta));
  if (zeta == 1) return kStart * (1 + kOmega * t) * std::exp(-kOmega * t);
  if (zeta < 1) return kStart * std::exp(-decay * t) * (std::cos(root * t) + decay / root * std::sin(root * t));
  return kStart * std::exp(-decay * t) * (std::cosh(root * t) + decay / root * std::sinh(root * t));
}

// The largest error of x over 2 s of fixed steps.
double error(double zeta, FixedStepScheme scheme, double step) {
  Oscillator oscillator(zeta);
  double worst = 0;
  step_through(oscillator.mechanism, loads_of(oscillator.system), {.until = 2, .step = step, .scheme = scheme},
               [&](const FixedStepPoint& point) {
                 worst = std::max(worst, std::abs(oscillator.x() - by_hand(zeta, point.time)));
               });
  return worst;
}

// √(x² + (ẋ/ω)²) once what the start has left has died out.
double amplitude(double zeta, double omega, double force) {
  Oscillator oscillator(zeta);
  oscillator.system.add_force(
      std::make_unique<FunctionForce>(Anchor{{kStart, 0, 0}, oscillator.mass}, [=](const PointState& at) {
        return Wrench{.force = {force * std::cos(omega * at.time), 0, 0}};
      }));
  integrate(oscillator.mechanism, loads_of(oscillator.system), {.until = 22 / (zeta * kOmega)});
  return std::hypot(oscillator.x(), oscillator.system.bodies()[oscillator.mass].velocity()[0] / omega);
}

}  // namespace

int main() {
  const char* colours[] = {"#36c", "black", "#c33"};
  const double zetas[] = {0.15, 1, 2};
  bool right = true;

  // Free: with error control, and by fixed steps.
  std::vector<example::Line> curves{{{{0, 0}, {2, 0}}, "#ccc", 1}}, errors, resonance;
  for (int k = 0; k < 3; ++k) {
    Oscillator oscillator(zetas[k]);
    example::Line curve{{}, colours[k]};
    double worst = 0;
    integrate(oscillator.mechanism, loads_of(oscillator.system),
              {.until = 2, .output_times = example::times(0, 2, 0.01)}, [&](const MotionPoint& point) {
                curve.points.emplace_back(point.time, oscillator.x());
                worst = std::max(worst, std::abs(oscillator.x() - by_hand(zetas[k], point.time)));
              });
    curves.push_back(curve);
    for (const auto scheme : {FixedStepScheme::half_step, FixedStepScheme::generalised_alpha}) {
      const bool half = scheme == FixedStepScheme::half_step;
      example::Line line{{}, half ? colours[k] : "#bbb", 1.5, true};
      for (const double h : {8e-3, 4e-3, 2e-3}) {
        line.points.emplace_back(std::log2(h), std::log2(error(zetas[k], scheme, h)));
      }
      std::printf("zeta %.2f, %s, h = 2 ms: %.1e m; ", zetas[k], half ? "half steps" : "generalised-alpha",
                  std::exp2(line.points[2].y()));
      right &= example::agrees("order", line.points[1].y() - line.points[2].y(), 2, 0.05);
      errors.push_back(line);
    }
    right &= example::agrees("with error control, largest error [m]", worst, 0, 1e-9);
  }

  // Forced: the amplitude over that of a steady force, for two dampings.
  for (const double zeta : {0.15, 0.4}) {
    example::Line found{{}, "#c33", 0, true}, hand{{}, "#bbb"};
    double worst = 0;
    const auto magnified = [zeta](double r) { return 1 / std::hypot(1 - r * r, 2 * zeta * r); };
    for (double r = 0.05; r < 2; r += 0.01) hand.points.emplace_back(r, magnified(r));
    for (double r = 0.2; r < 2; r += 0.2) {
      found.points.emplace_back(r, amplitude(zeta, r * kOmega, kStiffness * kStart) / kStart);
      worst = std::max(worst, std::abs(found.points.back().y() - magnified(r)));
    }
    resonance.insert(resonance.end(), {hand, found});
    right &= example::agrees("forced: largest error of the amplitude over F/k", worst, 0, 1e-7);
  }

  example::Svg picture;
  picture.panel("x [m] over t [s]: ζ = 0.15, 1, 2", curves);
  picture.panel("log₂ of errors over log₂ h (grey: generalised-α)", errors);
  picture.panel("forced amplitude over ω/ω₀: ζ = 0.15, 0.4", resonance);
  right &= picture.save("damped_oscillator.svg");
  return right ? 0 : 1;
}
