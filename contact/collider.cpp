#include <locdyn/contact/collider.hpp>

#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;

void validate(const Collider& collider, const BodySet& bodies) {
  if (!bodies.contains(collider.body)) {
    throw std::invalid_argument("body: expected a body id below " + std::to_string(bodies.id_bound()) + ", found " +
                                missing_body(bodies, collider.body));
  }
  validate(collider.shape);
  require_finite(collider.position, "position");
  require_finite(collider.surface_velocity, "surface_velocity");
  require_finite(collider.friction_direction, "friction_direction");
  static_cast<void>(unit_orientation(collider.orientation));
  if (!is_solid(collider.shape) && bodies[collider.body].freedoms() > 0) {
    throw std::invalid_argument("shape: expected a solid one on body " + std::to_string(collider.body) +
                                ", which moves, found a " + std::string(name_of(collider.shape)));
  }
}

}  // namespace locdyn
