#include <locdyn/ldy/laws/contact_law.hpp>

#include <cmath>
#include <stdexcept>
#include <string>

namespace locdyn {

void ContactLaw::validate() const {
  if (!(friction >= 0) || !std::isfinite(friction)) {
    throw std::invalid_argument("friction: expected a finite number >= 0, found " + std::to_string(friction));
  }
  if (friction > kLargestFriction) {
    throw std::invalid_argument("friction: expected at most 1e6, found " + std::to_string(friction));
  }
  if (!std::isfinite(shift)) {
    throw std::invalid_argument("shift: expected a finite velocity, found " + std::to_string(shift));
  }
}

}  // namespace locdyn
