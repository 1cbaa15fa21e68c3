#include <locdyn/ldy/assembly/constraints/joint_friction.hpp>

#include <cmath>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;
namespace {

void require_not_negative(double value, const char* what) {
  if (value >= 0 && std::isfinite(value)) return;
  throw std::invalid_argument(std::string(what) + ": expected a finite number >= 0, found " + spelled(value));
}

}  // namespace

void validate(const JointFriction& friction, FrictionOf coordinate) {
  require_not_negative(friction.limit, "friction limit");
  require_not_negative(friction.coefficient, "friction coefficient");
  require_not_negative(friction.radius, "friction radius");
  require_not_negative(friction.arm, "friction arm");
  if (friction.limit == 0 && friction.coefficient == 0) {
    throw std::invalid_argument("friction: expected a limit or a coefficient above 0, found both 0");
  }
  if (friction.coefficient > 1e6) {
    throw std::invalid_argument("friction coefficient: expected at most 1e6, found " + spelled(friction.coefficient));
  }
  if (coordinate == FrictionOf::length && friction.radius != 0) {
    throw std::invalid_argument("friction radius: expected none of what slides, found " + spelled(friction.radius));
  }
  if (coordinate == FrictionOf::angle && friction.coefficient > 0 && friction.radius == 0) {
    throw std::invalid_argument("friction radius: expected one above 0 beside a coefficient, found 0");
  }
}

void validate(const ForceRange& range) {
  if (range.lower <= 0 && range.upper >= 0) return;  // not a number fails, too
  throw std::invalid_argument("force range: expected a lower limit <= 0 and an upper one >= 0, found " +
                              spelled(range.lower) + " and " + spelled(range.upper));
}

}  // namespace locdyn
