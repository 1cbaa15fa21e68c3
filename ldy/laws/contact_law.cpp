#include <locdyn/ldy/laws/contact_law.hpp>

#include <stdexcept>
#include <string>

#include <locdyn/ldy/laws/coefficient_check.hpp>

namespace locdyn {
using namespace detail;

static_assert(ContactLaw::kLargestFriction == kLargestCoefficient);

void ContactLaw::check_numbers() const {
  check_coefficient(friction, "friction");
  for (const double s : shift) check_velocity(s, "shift");
  if (planar && shift[1] != 0) {
    throw std::invalid_argument("shift: expected 0 along t2 of a planar contact, found " + std::to_string(shift[1]));
  }
}

}  // namespace locdyn
