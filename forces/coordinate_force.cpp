#include <locdyn/forces/coordinate_force.hpp>

#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;

CoordinateForce::CoordinateForce(Coordinate coordinate, CoordinateForceProperties properties)
    : coordinate_(std::move(coordinate)), properties_(std::move(properties)) {
  for (const auto& [value, what] :
       {std::pair(properties_.stiffness, "stiffness"), std::pair(properties_.damping, "damping")}) {
    require_finite(value, what);
    if (value < 0) throw std::invalid_argument(std::string(what) + ": expected >= 0, found " + spelled(value));
  }
  require_finite(properties_.rest, "rest");
}

void CoordinateForce::attach(const BodySet& bodies) {
  coordinate_.take_hold(bodies);
  memory_[0] = measure(bodies).value;
}

Quantity CoordinateForce::measure(const BodySet& bodies) const {
  return coordinate_.measure(BodyQuantities(bodies, coordinate_.bodies(), memory()), 0);
}

void CoordinateForce::add_to(BodySet& bodies) {
  const Quantity x = measure(bodies);
  memory_[0] = x.value;
  double force = -properties_.stiffness * (x.value - properties_.rest) - properties_.damping * x.velocity;
  if (properties_.effort) force += properties_.effort(bodies.time());
  require_finite(force, "effort");
  Eigen::Index first = 0;
  for (const BodyId id : coordinate_.bodies()) {
    const Eigen::Index count = bodies[id].freedoms();
    if (count > 0) bodies[id].add_generalised_force(force * x.H.segment(first, count).transpose());
    first += count;
  }
}

double CoordinateForce::potential_energy(const BodySet& bodies) const {
  const double stretch = measure(bodies).value - properties_.rest;
  return 0.5 * properties_.stiffness * stretch * stretch;
}

double CoordinateForce::dissipated_power(const BodySet& bodies) const {
  const double rate = measure(bodies).velocity;
  return properties_.damping * rate * rate;
}

void CoordinateForce::set_memory(std::span<const double> memory) {
  if (memory.size() != coordinate_.memory_size()) {
    throw std::invalid_argument("force on a coordinate: memory: expected " + std::to_string(coordinate_.memory_size()) +
                                " numbers, found " + std::to_string(memory.size()));
  }
  if (!memory.empty()) memory_[0] = memory[0];
}

}  // namespace locdyn
