#include <locdyn/forces/torsion_spring.hpp>

#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;
namespace {

void require_not_negative(double value, const char* what) {
  require_finite(value, what);
  if (value < 0) throw std::invalid_argument(std::string(what) + ": expected >= 0, found " + spelled(value));
}

}  // namespace

TorsionSpring::TorsionSpring(Coordinate angle, const TorsionProperties& properties)
    : angle_(std::move(angle)), properties_(properties) {
  if (!angle_.is_angle()) throw std::invalid_argument("coordinate: expected an angle, found a length");
  require_not_negative(properties.stiffness, "stiffness");
  require_not_negative(properties.damping, "damping");
  require_finite(properties.rest_angle, "rest angle");
  if (properties.stiffness + properties.damping == 0) {
    throw std::invalid_argument("stiffness and damping: expected one above 0, found both 0");
  }
}

void TorsionSpring::attach(const BodySet& bodies) {
  angle_.take_hold(bodies);
  memory_[0] = measure(bodies).value;
}

Quantity TorsionSpring::measure(const BodySet& bodies) const {
  return angle_.measure(BodyQuantities(bodies, angle_.bodies(), memory()), 0);
}

void TorsionSpring::add_to(BodySet& bodies) {
  const Quantity angle = measure(bodies);
  memory_[0] = angle.value;
  const double moment =
      -properties_.stiffness * (angle.value - properties_.rest_angle) - properties_.damping * angle.velocity;
  Eigen::Index first = 0;
  for (const BodyId id : angle_.bodies()) {
    const Eigen::Index count = bodies[id].freedoms();
    bodies[id].add_generalised_force(moment * angle.H.segment(first, count).transpose());
    first += count;
  }
}

double TorsionSpring::potential_energy(const BodySet& bodies) const {
  const double turned = measure(bodies).value - properties_.rest_angle;
  return 0.5 * properties_.stiffness * turned * turned;
}

double TorsionSpring::dissipated_power(const BodySet& bodies) const {
  const double rate = measure(bodies).velocity;
  return properties_.damping * rate * rate;
}

void TorsionSpring::set_memory(std::span<const double> memory) {
  if (memory.size() != angle_.memory_size()) {
    throw std::invalid_argument("torsion spring: memory: expected " + std::to_string(angle_.memory_size()) +
                                " numbers, found " + std::to_string(memory.size()));
  }
  if (!memory.empty()) memory_[0] = memory[0];
}

}  // namespace locdyn
