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
  for (const double s : shift) {
    if (!std::isfinite(s)) {
      throw std::invalid_argument("shift: expected a finite velocity, found " + std::to_string(s));
    }
  }
  if (planar && shift[1] != 0) {
    throw std::invalid_argument("shift: expected 0 along t2 of a planar contact, found " + std::to_string(shift[1]));
  }
}

}  // namespace locdyn
