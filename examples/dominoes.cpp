// A row of dominoes, and how fast the wave runs along it, for three spacings.
// By hand: Stronge & Shu's steady wave without friction between dominoes. The one that falls is leant on by all those
// behind it, ℓ sin(θ_j+1 − θ_j) = (s + d) cos θ_j − d, so that one angle moves them all; energy is kept while it falls
// and one share of it is lost when the next is hit (plastically). Source: Stronge & Shu, Proc. R. Soc. A 418 (1988)
// 155–163; van Leeuwen, Am. J. Phys. 78 (2010) 721–727 (the equation for θ_j).

#include <vector>

#include "run.hpp"

using namespace example;

constexpr int kCount = 16;
constexpr double kHeight = 0.048, kThickness = 0.0075, kWidth = 0.024;  // ℓ, d [m]

// Of the group whose first domino leans at θ: Σ (dθ_j/dθ)² and Σ heights of mass centres.
struct Group {
  double inertia = 0, height = 0;
};
Group group(double theta, double spacing) {
  Group sum;
  double rate = 1;
  for (int j = 0; j < 40; ++j) {
    sum.inertia += rate * rate;
    sum.height += (kHeight * std::cos(theta) + kThickness * std::sin(theta)) / 2;
    const double lean = std::asin(((spacing + kThickness) * std::cos(theta) - kThickness) / kHeight);
    rate *= 1 - (spacing + kThickness) * std::sin(theta) / (kHeight * std::cos(lean));
    theta += lean;
  }
  return sum;
}

// Speed of the steady wave [m/s].
double by_hand(double spacing) {
  constexpr int kParts = 2000;
  const double hit = std::asin(spacing / kHeight);
  const double inertia = (kHeight * kHeight + kThickness * kThickness) / 3;  // of a unit mass, about the edge
  // A hit: (1 + r² S) ω' = r S ω with S before it and r = dθ_1/dθ_0 at θ_0 = 0, where the second leans at `hit`.
  const double S = group(hit, spacing).inertia, r = 1;
  double omega = 0, time = 0;
  for (int pass = 0; pass < 60; ++pass) {
    const double before = group(0, spacing).height, start = (1 + r * r * S) * omega * omega;
    time = 0;
    for (int k = 0; k < kParts; ++k) {
      const Group now = group(hit * (k + 0.5) / kParts, spacing);
      const double squared = (start + 2 * kGravity * (before - now.height) / inertia) / now.inertia;
      time += hit / kParts / std::sqrt(std::max(squared, 1e-12));
    }
    const double end = (start + 2 * kGravity * (before - group(hit, spacing).height) / inertia) / S;
    omega = r * S * std::sqrt(end) / (1 + r * r * S);
  }
  return (spacing + kThickness) / time;
}

// `time` [s]: until the wave is past.
double simulated(double spacing, double time) {
  constexpr int kFrom = 8, kTo = 14;
  locdyn::System system(locdyn::make_bullet_detector());
  const auto floor = system.materials.add_surface("floor", friction(1));
  const auto smooth = system.materials.add_surface("domino", friction(0));
  system.materials.set_pair(floor, smooth, friction(1));
  add_obstacle(system, locdyn::Plane{}, floor);
  std::vector<locdyn::BodyId> row;
  for (int k = 0; k < kCount; ++k) {
    row.push_back(add_solid(system, locdyn::Box{{kThickness, kWidth, kHeight}}, {.density = 1200, .surface = smooth},
                            {.position = {k * (spacing + kThickness), 0, kHeight / 2}}));
  }
  set_velocity(system, row[0], {.linear = {kHeight / 2 * 6, 0, -kThickness / 2 * 6}, .angular = {0, 6, 0}});

  std::vector<double> hit(kCount, 0);  // when each begins to lean
  locdyn::TimeStepper stepper(system, {.step = 2e-3});
  run(stepper, time, [&](const locdyn::StepReport& report) {
    for (int k = 0; k < kCount; ++k) {
      if (hit[k] == 0 && velocity_of(system, row[k]).angular.y() > 0.5) hit[k] = report.time;
    }
  });
  return (kTo - kFrom) * (spacing + kThickness) / (hit[kTo] - hit[kFrom]);
}

int main() {
  bool right = true;
  for (const double spacing : {0.3, 0.5, 0.7}) {
    const double expected = by_hand(spacing * kHeight);
    const double time = 0.2 + 1.1 * kCount * (spacing * kHeight + kThickness) / expected;  // it starts slowly
    std::printf("spacing %.1f of the height\n", spacing);
    right &= agrees("wave [m/s]", simulated(spacing * kHeight, time), expected, 0.15 * expected);
  }
  return right ? 0 : 1;
}
