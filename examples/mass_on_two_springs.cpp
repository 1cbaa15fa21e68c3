// A mass on two springs in a vertical plane. They are chosen such that it hangs in a triangle of sides 3, 4 and 5 and
// swings across and up and down at 5 : 4: spring ends at (±0.8, 0) m, rest length l₀ = 9/10.24 m, and at rest at
// (0, −0.6), l = 1 m, m g = 2 k (1 − l₀) 0.6. By hand, with n = (±0.8, 0.6) along the springs at rest, the stiffness
//
//   K = Σ k ((1 − l₀/l) 1 + l₀/l n nᵀ) = 2 k diag(1 − 0.36 l₀, 1 − 0.64 l₀) = 2 k diag(0.68359375, 0.4375)

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <vector>

#include <locdyn/bodies/particle.hpp>
#include <locdyn/forces/point_spring_damper.hpp>
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

constexpr double kMass = 1, kGravity = 9.81, kRest = 9 / 10.24;
constexpr double kStiffness = kMass * kGravity / (1.2 * (1 - kRest));  // 67.5 N/m
const Vector2d kLeft(-0.8, 0), kRight(0.8, 0), kEquilibrium(0, -0.6);

struct TwoSprings {
  System system;
  BodyId mass{0};
  std::vector<Vector2d> path;
  double energy_error = 0;

  TwoSprings(const Vector2d& at, double damping) {
    system.gravity = {0, -kGravity, 0};
    const Vector3d place(at.x(), at.y(), 0);
    mass = system.emplace<Particle>(kMass, place);
    for (const Vector2d& end : {kLeft, kRight}) {
      system.add_force(std::make_unique<PointSpringDamper>(Anchor{{end.x(), end.y(), 0}}, Anchor{place, mass},
                                                           SpringProperties{kStiffness, damping}, kRest));
    }
  }
  [[nodiscard]] Vector2d place() const { return example::place(system.bodies(), mass); }

  MotionReport run(double until, const std::vector<MotionEvent>& events = {}) {
    Mechanism mechanism(system);
    const double start = energies(system).total;
    return integrate(mechanism, loads_of(system),
                     {.until = until, .atol = 1e-14, .output_times = example::times(0, until, 0.01), .events = events},
                     [&](const MotionPoint& point) {
                       energy_error = std::max(energy_error, std::abs(energies(system).total - start));
                       if (point.event < 0) path.push_back(place());
                     });
  }
};

// ω of a small swing along an axis.
double frequency(int axis) {
  TwoSprings springs(kEquilibrium + 1e-4 * Vector2d::Unit(axis), 0);
  return 2 * std::numbers::pi /
         example::period(springs.run(4, {example::falls(springs.mass, axis, kEquilibrium[axis])}));
}

}  // namespace

int main() {
  // Dampers bring it to rest; without them it swings, a little in both directions, and a lot.
  TwoSprings settling({-0.5, 0.3}, 6), small(kEquilibrium + Vector2d(0.01, 0), 0), large({-0.5, 0.3}, 0);
  settling.run(15);
  const double omega_x = std::sqrt(2 * kStiffness * 0.68359375 / kMass);
  const double omega_y = std::sqrt(2 * kStiffness * 0.4375 / kMass);
  small.system.bodies()[small.mass].set_velocity(Vector3d(0, 0.01 * omega_y, 0));
  small.run(5 * 2 * std::numbers::pi / omega_x);
  large.run(6);
  std::printf("let go at (-0.5, 0.3) m: energy changes by %.1e J in 6 s\n", large.energy_error);

  const auto springs = [](const Vector2d& at, const char* colour) {
    return example::Line{{kLeft, at, kRight}, colour, 2, true};
  };
  example::Svg picture;
  picture.panel("let go with dampers: to rest at (0, −0.6) m",
                {springs({-0.5, 0.3}, "#bbb"), {settling.path, "#c33"}, springs(settling.place(), "black")},
                example::Axes::equal);
  picture.panel("1 cm aside: Lissajous’ figure of 5 : 4 [m]", {{small.path, "#36c"}}, example::Axes::equal);
  picture.panel("let go without: 6 s [m]", {{large.path, "#36c", 1}, springs({-0.5, 0.3}, "black")},
                example::Axes::equal);
  bool right = picture.save("mass_on_two_springs.svg");
  right &= example::agrees("rest, x [m]", settling.place().x(), 0, 1e-8);
  right &= example::agrees("rest, y [m]", settling.place().y(), -0.6, 1e-8);
  // Amplitudes of 10⁻⁴ m change a frequency by some 10⁻⁸ of it.
  right &= example::agrees("across [rad/s]", frequency(0), omega_x, 1e-6);
  right &= example::agrees("up and down [rad/s]", frequency(1), omega_y, 1e-6);
  right &= example::agrees("energy lost in 6 s without dampers [J]", large.energy_error, 0, 1e-7);
  return right ? 0 : 1;
}
