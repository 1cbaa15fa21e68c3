#include <locdyn/ldy/laws/elliptic_law.hpp>

#include <locdyn/ldy/laws/coefficient_check.hpp>

namespace locdyn {
using namespace detail;

void EllipticLaw::validate() const {
  check_coefficient(friction[0], "friction along t1");
  check_coefficient(friction[1], "friction along t2");
  for (const double s : shift) check_velocity(s, "shift");
}

}  // namespace locdyn
