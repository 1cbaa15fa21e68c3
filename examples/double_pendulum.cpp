// A double pendulum of two points and two rods: the path of its tip, the energy that ten seconds cost, and two starts
// 10⁻⁹ rad apart that lose sight of each other. By hand, for equal masses and lengths: near the lower rest it swings in
// two modes, the rods at 1 : ±√2, with ω² = (2 ∓ √2) g/l.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <vector>

#include <locdyn/bodies/particle.hpp>
#include <locdyn/ldy/assembly/constraints/rigid_link.hpp>
#include <locdyn/mechanism/smooth/integrate/integrate.hpp>
#include <locdyn/simulation/energies.hpp>
#include <locdyn/simulation/system.hpp>

#include "agrees.hpp"
#include "motion.hpp"
#include "svg.hpp"

using namespace locdyn;
using Eigen::Vector2d;
using Eigen::Vector3d;

namespace {

constexpr double kGravity = 9.81;  // masses of 1 kg, rods of 1 m

struct DoublePendulum {
  System system;
  BodyId elbow, tip;

  // Angles of the rods from the lower vertical.
  DoublePendulum(double first, double second) {
    const Vector3d a(std::sin(first), -std::cos(first), 0), b = a + Vector3d(std::sin(second), -std::cos(second), 0);
    system.gravity = {0, -kGravity, 0};
    elbow = system.emplace<Particle>(1.0, a);
    tip = system.emplace<Particle>(1.0, b);
    system.add_constraint(std::make_unique<RigidLink>(Anchor{}, Anchor{a, elbow}), "upper rod");
    system.add_constraint(std::make_unique<RigidLink>(Anchor{a, elbow}, Anchor{b, tip}), "lower rod");
  }

  MotionReport run(const IntegrateOptions& options, const MotionVisit& visit = {}) {
    Mechanism mechanism(system);
    return integrate(mechanism, loads_of(system), options, visit);
  }
  [[nodiscard]] example::Line bars(const char* colour) const {
    const BodySet& set = system.bodies();
    return {{{0, 0}, example::place(set, elbow), example::place(set, tip)}, colour, 3, true};
  }
};

// ω of a small swing with the rods at 1 : ratio.
double mode(double ratio) {
  DoublePendulum pendulum(1e-5, ratio * 1e-5);
  const double around = ratio > 0 ? 0.76 : 1.85;  // √(2 ∓ √2), to know how long to look
  return 2 * std::numbers::pi /
         example::period(pendulum.run({.until = 22 / (around * std::sqrt(kGravity)),
                                       .atol = 1e-14,
                                       .events = {example::falls(pendulum.elbow, 0)}}));
}

}  // namespace

int main() {
  const std::vector<double> times = example::times(0, 10, 0.01);
  const char *black = "black", *red = "#c33", *blue = "#36c";

  DoublePendulum pendulum(2.0, 2.5), neighbour(2.0 + 1e-9, 2.5);
  example::Line path{{}, red, 1}, drift{{}, blue}, apart{{}, black};
  std::vector<example::Line> drawn;
  const double start = energies(pendulum.system).total;
  double largest = 0;
  const MotionReport motion = pendulum.run({.until = 10, .output_times = times}, [&](const MotionPoint& point) {
    const double error = energies(pendulum.system).total - start;
    largest = std::max(largest, std::abs(error));
    path.points.push_back(example::place(pendulum.system.bodies(), pendulum.tip));
    drift.points.emplace_back(point.time, error);
    if (point.time < 0.31 && path.points.size() % 10 == 1)
      drawn.push_back(pendulum.bars(drawn.empty() ? black : "#bbb"));
  });
  std::size_t k = 0;
  neighbour.run({.until = 10, .output_times = times}, [&](const MotionPoint& point) {
    const Vector2d tip = example::place(neighbour.system.bodies(), neighbour.tip);
    apart.points.emplace_back(point.time, std::log10((tip - path.points.at(k++)).norm()));
  });
  std::printf("%ld steps, %ld rejected; energy of %.3f J drifts by at most %.1e J; tips %.1e m apart at the end\n",
              motion.steps, motion.rejected, start, largest, std::pow(10, apart.points.back().y()));

  std::reverse(drawn.begin(), drawn.end());
  drawn.insert(drawn.begin(), path);
  example::Svg picture;
  picture.panel("start, and path of the tip in 10 s [m]", drawn, example::Axes::equal);
  picture.panel("energy less that of the start [J] over t [s]", {drift});
  picture.panel("log₁₀ of the distance [m] of two tips over t [s]", {apart});
  bool right = picture.save("double_pendulum.svg");
  const double root = std::sqrt(2.0);
  right &= example::agrees("energy after 10 s [J]", energies(pendulum.system).total, start, 1e-6);
  // Amplitudes of 10⁻⁵ rad change a frequency by some 10⁻¹⁰ of it.
  right &= example::agrees("slow mode [rad/s]", mode(root), std::sqrt((2 - root) * kGravity), 1e-7);
  right &= example::agrees("fast mode [rad/s]", mode(-root), std::sqrt((2 + root) * kGravity), 1e-7);
  return right ? 0 : 1;
}
