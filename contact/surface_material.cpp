#include <locdyn/contact/surface_material.hpp>

#include <cmath>
#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {

void validate(const SurfaceMaterial& material) {
  if (!(material.friction >= 0) || !std::isfinite(material.friction)) {
    throw std::invalid_argument("friction: expected a finite number >= 0, found " + spelled(material.friction));
  }
  if (material.friction > kLargestFriction) {
    throw std::invalid_argument("friction: expected at most 1e6, found " + spelled(material.friction));
  }
  if (!(material.restitution >= 0 && material.restitution <= 1)) {
    throw std::invalid_argument("restitution: expected 0 <= e <= 1, found " + spelled(material.restitution));
  }
}

}  // namespace locdyn
