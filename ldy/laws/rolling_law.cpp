#include <locdyn/ldy/laws/rolling_law.hpp>

#include <cmath>
#include <stdexcept>
#include <string>

#include <locdyn/ldy/laws/coefficient_check.hpp>

namespace locdyn {
using namespace detail;

void RollingLaw::validate() const {
  if (!(length > 0) || !std::isfinite(length)) {
    throw std::invalid_argument("length: expected a finite length > 0, found " + std::to_string(length));
  }
  check_coefficient(friction, "friction");
  check_coefficient(rolling / length, "rolling friction over its length");
  check_coefficient(torsional / length, "torsional friction over its length");
  if (moment_rows != kRowsAll && moment_rows != kRowsRolling && moment_rows != kRowPlanarRolling) {
    throw std::invalid_argument("moment rows: expected a mask of 2, 3 or 7, found " + std::to_string(moment_rows));
  }
  for (const double s : shift) check_velocity(s, "shift");
  if (planar() && shift[1] != 0) {
    throw std::invalid_argument("shift: expected 0 along t2 of a planar contact, found " + std::to_string(shift[1]));
  }
}

}  // namespace locdyn
