#include <locdyn/ldy/laws/compliant_law.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include <locdyn/ldy/laws/coefficient_check.hpp>

namespace locdyn {
using namespace detail;

void CompliantLaw::validate() const {
  check_coefficient(friction, "friction");
  for (const double s : shift) check_velocity(s, "shift");
  for (const double c : give) {
    if (!(c >= 0) || !std::isfinite(c)) {
      throw std::invalid_argument("compliance: expected a finite number >= 0, found " + std::to_string(c));
    }
  }
  if (planar && (shift[1] != 0 || give[1] != 0)) {
    throw std::invalid_argument("shift and compliance: expected 0 along t2 of a planar contact, found " +
                                std::to_string(shift[1]) + " and " + std::to_string(give[1]));
  }
}

namespace {

// Of a step that begins at the gap `start` > 0, the share in which it is closed: its damper acts in no other.
double touched_share(double start, double travel) {
  return travel < -start ? 1 + start / travel : 0;
}

// From 0 for a contact that the step resolves to 1 for one that is too stiff for it.
double stiff_share(const KelvinVoigt& contact, double h, double response) {
  const double beyond = std::max(0.0, h * std::sqrt(contact.stiffness * response) - 1);  // ω h − 1
  return beyond < 1e8 ? beyond * beyond / (1 + beyond * beyond) : 1.0;
}

}  // namespace

StepGive kelvin_voigt(const KelvinVoigt& contact, double h, double gap, double V_n, double response) {
  const double start = gap - h / 2 * V_n;
  const double stiff = stiff_share(contact, h, response);
  const bool touches = start > 0;

  // R_n = −k (start + rest + a V + b U) − c (p V + q U).
  const double a = (touches ? h / 2 : h / 4) * (1 - stiff);
  const double b = a + h * stiff;
  const double p = touches ? 0 : (1 - stiff) / 2;
  const double q = touches ? touched_share(start, h * V_n) : 1 - p;
  const double compliance = 1 / (contact.stiffness * b + contact.damping * q);
  return {compliance, compliance * (contact.stiffness * (start + contact.rest + a * V_n) + contact.damping * p * V_n)};
}

StepGive held_kelvin_voigt(const KelvinVoigt& contact, double h, double stretch, double stretching, double response) {
  const double stiff = stiff_share(contact, h, response);
  const double a = h / 4 * (1 - stiff), p = (1 - stiff) / 2;
  const double compliance = 1 / (contact.stiffness * (a + h * stiff) + contact.damping * (1 - p));
  const double start = stretch - h / 2 * stretching;
  return {compliance, compliance * (contact.stiffness * (start + a * stretching) + contact.damping * p * stretching)};
}

}  // namespace locdyn
