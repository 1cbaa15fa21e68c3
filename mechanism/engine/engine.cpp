#include <locdyn/mechanism/engine/engine.hpp>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr double kRodClearance = 1e-6;  // of r + |e|: nearer to it the rod stands across the cylinder
constexpr double kHalfTurn = std::numbers::pi;

// Where a cylinder of an engine stands.
struct CylinderPlace {
  double throw_angle, bank;
};

Engine lay_out_engine(const EngineCylinder& cylinder, double spacing, const std::vector<CylinderPlace>& places) {
  require_positive(spacing, "spacing of cylinders");
  Engine engine;
  const double middle = 0.5 * static_cast<double>(places.size() - 1);
  for (std::size_t i = 0; i < places.size(); ++i) {
    EngineCylinder& next = engine.cylinders.emplace_back(cylinder);
    next.throw_angle = places[i].throw_angle;
    next.bank = places[i].bank;
    next.position = (static_cast<double>(i) - middle) * spacing;
  }
  validate(engine);
  return engine;
}

}  // namespace

void validate(const Engine& engine) {
  if (engine.cylinders.empty()) throw std::invalid_argument("engine: expected cylinders, found none");
  std::size_t number = 0;
  for (const EngineCylinder& c : engine.cylinders) {
    const std::string of = "cylinder " + std::to_string(++number) + ": ";
    require_finite(c.throw_angle, (of + "throw angle").c_str());
    require_finite(c.position, (of + "position").c_str());
    require_finite(c.bank, (of + "bank").c_str());
    require_finite(c.offset, (of + "offset").c_str());
    require_positive(c.reciprocating_mass, (of + "reciprocating mass").c_str());
    require_positive(c.crank_radius, (of + "crank radius").c_str());
    require_positive(c.rod_length, (of + "rod length").c_str());
    const double reach = c.crank_radius + std::abs(c.offset);
    if (c.rod_length > reach * (1 + kRodClearance)) continue;
    throw std::invalid_argument(of + "rod length: expected more than crank radius and offset together, " +
                                spelled(reach) + ", found " + spelled(c.rod_length));
  }
}

Engine inline4(const EngineCylinder& cylinder, double spacing) {
  return lay_out_engine(cylinder, spacing, {{0, 0}, {kHalfTurn, 0}, {kHalfTurn, 0}, {0, 0}});
}

Engine boxer4(const EngineCylinder& cylinder, double spacing) {
  return lay_out_engine(cylinder, spacing, {{0, 0}, {kHalfTurn, kHalfTurn}, {kHalfTurn, 0}, {0, kHalfTurn}});
}

Engine inline3(const EngineCylinder& cylinder, double spacing) {
  return lay_out_engine(cylinder, spacing, {{0, 0}, {kHalfTurn * 2 / 3, 0}, {kHalfTurn * 4 / 3, 0}});
}

}  // namespace locdyn
