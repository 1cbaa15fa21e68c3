#include <locdyn/ldy/laws/hertz_spring.hpp>

#include <algorithm>
#include <cmath>

namespace locdyn {
namespace {

// Of what swings with ω h = 1: softer than any that a run could tell from none, and one that stops what it was not seen
// to meet, which loses no more than the speed that loads give in a step.
constexpr double kLeastStiffness = 1e-12, kStops = 100;

// F with F f + (F/K)^{2/3} = d > 0. In s = F^{1/3} it is f s³ + s²/K^{2/3} = d, convex: from above Newton's steps fall
// to the root.
double series_force(double hertz, double flexibility, double depth) {
  const double alone = std::sqrt(depth) * std::cbrt(hertz);
  if (!(flexibility > 0)) return alone * alone * alone;
  const double bend = 1 / std::cbrt(hertz * hertz);
  double s = std::min(alone, std::cbrt(depth / flexibility));
  for (int step = 0; step < 60; ++step) {
    const double value = s * s * (flexibility * s + bend) - depth;
    const double slope = s * (3 * flexibility * s + 2 * bend);
    const double next = s - value / slope;
    if (!(next < s) || !(next > 0)) break;
    s = next;
  }
  return s * s * s;
}

// d at a force F > 0, and dF/dd there.
double depth_at(const HertzSpring& spring, double force) {
  return force / spring.stiffness + std::cbrt((force / spring.hertz) * (force / spring.hertz));
}
double tangent_at(const HertzSpring& spring, double force) {
  return 1 / (1 / spring.stiffness + 2.0 / 3 / std::cbrt(force * spring.hertz * spring.hertz));
}

}  // namespace

double force_at(const HertzSpring& spring, double depth) {
  return depth > 0 ? series_force(spring.hertz, 1 / spring.stiffness, depth) : 0;
}

KelvinVoigt of_step(const HertzSpring& spring, double damping, double h, double gap, double V_n, double response) {
  const double swings = response > 0 ? 1 / (response * h * h) : spring.hertz;  // ω h = 1
  const auto made_of = [&](double stiffness, double rest) {
    return KelvinVoigt{.stiffness = std::max(stiffness, kLeastStiffness * swings), .damping = damping, .rest = rest};
  };
  const double start = gap - h / 2 * V_n;
  if (start > 0) {
    // What the free way would be deep is shared by the spring and the mass that it stops.
    const double free = -(start + h * V_n);
    if (!(free > 0)) return made_of(kStops * swings, 0);
    const double force = series_force(spring.hertz, 1 / spring.stiffness + h * h / 2 * response, free);
    return made_of(force > 0 ? force / depth_at(spring, force) : kStops * swings, 0);
  }
  const double depth = std::max(-gap, -start / 4);  // a quarter: of one that leaves before the middle of the step
  const double force = force_at(spring, depth);
  if (!(force > 0)) return made_of(kStops * swings, 0);
  const double tangent = tangent_at(spring, force);
  return made_of(tangent, depth - force / tangent);
}

}  // namespace locdyn
