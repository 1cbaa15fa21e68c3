// What a pendulum asks of its support: a point on a rod, let go at the horizontal. By hand, at the angle φ below the
// horizontal: v² = 2 g l sin φ, so that the rod pulls with 3 m g sin φ; 3 m g at the lowest point, where the support
// carries most. A period is 4 K(1/√2) √(l/g) = Γ(1/4)²/√π √(l/g).

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <vector>

#include <locdyn/bodies/particle.hpp>
#include <locdyn/mechanism/smooth/integrate/integrate.hpp>
#include <locdyn/simulation/system.hpp>
#include <locdyn/ldy/assembly/constraints/rigid_link.hpp>

#include "agrees.hpp"
#include "motion.hpp"
#include "svg.hpp"

using namespace locdyn;
using Eigen::Vector2d;
using Eigen::Vector3d;

int main() {
  constexpr double kMass = 2, kLength = 1.5, kGravity = 9.81;
  System system;
  system.gravity = {0, -kGravity, 0};
  const Vector3d out(kLength, 0, 0);
  const BodyId bob = system.emplace<Particle>(kMass, out);
  system.add_constraint(std::make_unique<RigidLink>(Anchor{}, Anchor{out, bob}), "rod");
  Mechanism mechanism(system);
  const Eigen::Index pulls = mechanism.rows_of("rod")[0];

  // Over two periods and a bit. The rod's multiplier pushes the bob outward: the pull is its opposite.
  const double quarter = std::tgamma(0.25),
               by_hand = quarter * quarter / std::sqrt(std::numbers::pi) * std::sqrt(kLength / kGravity);
  example::Line rod{{}, "black", 3, true}, path{{}, "#bbb"}, pull{{}, "black"}, across{{}, "#36c"}, down{{}, "#c33"},
      hodograph{{}, "#c33"};
  std::vector<example::Line> arrows;
  double error = 0, largest = 0;
  const MotionReport motion = integrate(mechanism, loads_of(system),
                                        {.until = 2.5 * by_hand,
                                         .output_times = example::times(0, 2.5 * by_hand, 0.01),
                                         .events = {example::falls(bob, 0)}},
                                        [&](const MotionPoint& point) {
                                          const Vector2d x = example::place(system.bodies(), bob);
                                          const double tension = -point.rates.multipliers[pulls],
                                                       sine = -x.y() / kLength;
                                          error = std::max(error, std::abs(tension - 3 * kMass * kGravity * sine));
                                          largest = std::max(largest, tension);
                                          if (point.event >= 0) return;
                                          const Vector2d force = tension * x / kLength;  // on the support
                                          pull.points.emplace_back(point.time, tension);
                                          across.points.emplace_back(point.time, force.x());
                                          down.points.emplace_back(point.time, -force.y());
                                          if (point.time > 0.5 * by_hand) return;
                                          path.points.push_back(x);
                                          hodograph.points.push_back(force);
                                          if (path.points.size() % 12 == 1) arrows.push_back({{{0, 0}, force}, "#eaa"});
                                          if (path.points.size() == 40) rod.points = {{0, 0}, x};
                                        });
  std::printf("%ld steps; the rod's length is off by at most %.1e m\n", motion.steps, motion.position_error);

  arrows.push_back(hodograph);
  example::Svg picture;
  picture.panel("the pendulum at 0.39 s, its path [m]", {path, rod}, example::Axes::equal);
  picture.panel("force on the support: a circle [N]", arrows, example::Axes::equal);
  picture.panel("its size, x (blue) and −y (red) [N] over t [s]", {across, down, pull});
  bool right = picture.save("pendulum_support.svg");
  right &= example::agrees("largest error of 3 m g sin phi [N]", error, 0, 1e-6);
  right &= example::agrees("pull at the lowest point: 3 m g [N]", largest, 3 * kMass * kGravity, 1e-6);
  right &= example::agrees("period [s]", example::period(motion), by_hand, 1e-8);
  return right ? 0 : 1;
}
