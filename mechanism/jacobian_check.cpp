#include <locdyn/mechanism/jacobian_check.hpp>

#include <stdexcept>

#include <locdyn/ldy/assembly/constraints/user_constraint.hpp>
#include <locdyn/ldy/assembly/derivative_check.hpp>

namespace locdyn::detail {
namespace {

constexpr double kWrong = 1e-4;  // relative; differences are good to about 1e-9

}  // namespace

std::string wrong_jacobian(Mechanism& mechanism) {
  for (std::size_t i = 0; i < mechanism.member_count(); ++i) {
    auto* constraint = dynamic_cast<UserConstraint*>(&mechanism.member(i));
    if (constraint == nullptr) continue;
    try {
      DerivativeReport report;
      // The shorter one for mechanisms that are small themselves.
      for (const double step : {1e-5, 1e-8}) {
        report = check_derivatives(*constraint, mechanism.bodies(), {.step = step});
        if (report.H <= kWrong) break;
      }
      if (report.H > kWrong) return mechanism.member_name(i) + ": H: " + report.worst_H;
    } catch (const std::exception&) {
      continue;  // nothing to compare with
    }
  }
  return {};
}

void require_jacobians(Mechanism& mechanism) {
  const std::string wrong = wrong_jacobian(mechanism);
  if (!wrong.empty()) throw std::invalid_argument(wrong);
}

}  // namespace locdyn::detail
