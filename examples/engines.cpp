// What shakes three engines: an inline-4, a boxer-4 and an inline-3, order by order, once by phasors and once by the
// motion of a slider-crank superposed over a turn. In units of m r ω², and of m r ω² times the spacing of cylinders:
// the inline-4 shakes by 4 A₂ alone, the boxer-4 rocks by 2 A₂ alone, the inline-3 by √3 and √3 A₂.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include <locdyn/mechanism/engine/balance_in_time.hpp>
#include <locdyn/mechanism/engine/balance_phasors.hpp>

#include "agrees.hpp"
#include "svg.hpp"

using namespace locdyn;

namespace {

constexpr double kSpeed = 628, kSpacing = 0.09;  // rad/s, m
constexpr EngineCylinder kCylinder{.reciprocating_mass = 0.5, .crank_radius = 0.043, .rod_length = 0.143};
const double kUnit = kCylinder.reciprocating_mass * kCylinder.crank_radius * kSpeed * kSpeed;

struct Balance {
  EngineHarmonics phasors;
  TimeBalance time;
  double force(int order) const { return phasors.force.col(order).norm() / kUnit; }
  double couple(int order) const { return phasors.couple.col(order).norm() / (kUnit * kSpacing); }
};

// The table, and the two panels: over a turn, and by orders.
Balance balance(const char* name, const Engine& engine, example::Svg& picture, double& worst) {
  const Balance b{balance_phasors(engine, {.speed = kSpeed}), balance_in_time(engine, {.speed = kSpeed})};
  std::printf("%-10s order   force: phasors       in time   couple: phasors       in time\n", name);
  for (const int n : {1, 2, 4, 6}) {
    std::printf("%16d  %15.9f %13.9f  %16.9f %13.9f\n", n, b.force(n), b.time.harmonics.force.col(n).norm() / kUnit,
                b.couple(n), b.time.harmonics.couple.col(n).norm() / (kUnit * kSpacing));
  }
  worst = std::max({worst, (b.phasors.force - b.time.harmonics.force).cwiseAbs().maxCoeff() / kUnit,
                    (b.phasors.couple - b.time.harmonics.couple).cwiseAbs().maxCoeff() / (kUnit * kSpacing)});

  // All act along one line across the shaft: forces along x, couples about y.
  const char *black = "black", *red = "#c33";
  example::Line force{{}, black}, couple{{}, red}, zero{{{0, 0}, {360, 0}}, "#ccc", 1};
  for (Eigen::Index j = 0; j <= b.time.angle.size(); ++j) {
    const Eigen::Index at = j % b.time.angle.size();
    force.points.emplace_back(static_cast<double>(j), b.time.force(0, at) / kUnit);
    couple.points.emplace_back(static_cast<double>(j), b.time.couple(1, at) / (kUnit * kSpacing));
  }
  picture.panel(std::string(name) + ": force (black), couple (red) over θ [°]", {zero, force, couple});
  std::vector<example::Line> bars{{{{0.5, 0}, {6.5, 0}}, "#ccc", 1}};
  for (int n = 1; n <= 6; ++n) {
    bars.push_back({{{n - 0.1, 0}, {n - 0.1, b.force(n)}}, black, 8});
    bars.push_back({{{n + 0.1, 0}, {n + 0.1, b.couple(n)}}, red, 8});
  }
  picture.panel("orders 1 … 6, over m r ω², couple also over a", bars);
  return b;
}

}  // namespace

int main() {
  example::Svg picture;
  double worst = 0;
  const Balance four = balance("inline-4", inline4(kCylinder, kSpacing), picture, worst);
  picture.row();
  const Balance boxer = balance("boxer-4", boxer4(kCylinder, kSpacing), picture, worst);
  picture.row();
  const Balance three = balance("inline-3", inline3(kCylinder, kSpacing), picture, worst);
  bool right = picture.save("engines.svg");

  // A₂ = λ + λ³/4 + 15 λ⁵/128 + 35 λ⁷/512 + …, the next term below 1e-6.
  const double l = kCylinder.crank_radius / kCylinder.rod_length, q = l * l;
  const double second = l * (1 + q * (0.25 + q * (15.0 / 128 + q * 35.0 / 512))), root = std::sqrt(3.0);
  right &= example::agrees("largest difference of the two ways, orders 0 to 8", worst, 0, 1e-9);
  right &= example::agrees("inline-4, first force", four.force(1), 0, 1e-12);
  right &= example::agrees("inline-4, second force: 4 A2", four.force(2), 4 * second, 1e-5);
  right &= example::agrees("boxer-4, largest force", boxer.phasors.force.cwiseAbs().maxCoeff() / kUnit, 0, 1e-12);
  right &= example::agrees("boxer-4, first couple", boxer.couple(1), 0, 1e-12);
  right &= example::agrees("boxer-4, second couple: 2 A2", boxer.couple(2), 2 * second, 1e-5);
  right &= example::agrees("inline-3, first and second force", three.force(1) + three.force(2), 0, 1e-12);
  right &= example::agrees("inline-3, first couple: root 3", three.couple(1), root, 1e-12);
  right &= example::agrees("inline-3, second couple: root 3 A2", three.couple(2), root * second, 1e-5);
  return right ? 0 : 1;
}
