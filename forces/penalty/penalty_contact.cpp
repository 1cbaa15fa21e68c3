#include <locdyn/forces/penalty/penalty_contact.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/forces/held_point.hpp>

namespace locdyn {
using namespace detail;
namespace {

void require_at_least(double value, double least, const char* what) {
  if (value >= least && std::isfinite(value)) return;
  throw std::invalid_argument(std::string(what) + ": expected a finite number >= " + spelled(least) + ", found " +
                              spelled(value));
}

double compliance(const HertzBody& body) {
  require_positive(body.young_modulus, "Young's modulus");
  if (!(body.poisson_ratio > -1 && body.poisson_ratio < 0.5)) {
    throw std::invalid_argument("Poisson's ratio: expected -1 … 0.5, found " + spelled(body.poisson_ratio));
  }
  if (!(body.radius > 0)) throw std::invalid_argument("radius: expected > 0, found " + spelled(body.radius));
  return (1 - body.poisson_ratio * body.poisson_ratio) / body.young_modulus;
}

std::optional<BodyId> master_of(std::span<const BodyId> ids) {
  return ids.size() > 1 ? std::optional<BodyId>(ids[1]) : std::nullopt;
}

}  // namespace

void validate(const PenaltyLaw& law) {
  require_positive(law.stiffness, "stiffness");
  require_at_least(law.exponent, 1, "exponent");
  require_at_least(law.damping, 0, "damping");
  require_at_least(law.damping_exponent, 0, "damping exponent");
  require_at_least(law.friction, 0, "friction");
  require_positive(law.slip_speed, "slip speed");
}

double hertz_stiffness(const HertzBody& a, const HertzBody& b) {
  const double modulus = 1 / (compliance(a) + compliance(b));
  const double curvature = 1 / a.radius + 1 / b.radius;
  if (!(curvature > 0)) throw std::invalid_argument("radius: expected a finite one of the two, found none");
  return 4.0 / 3 * modulus / std::sqrt(curvature);
}

PenaltyContact::PenaltyContact(std::unique_ptr<ClosestPointFinder> surfaces, const PenaltyLaw& law)
    : surfaces_(std::move(surfaces)), law_(law) {
  if (!surfaces_) throw std::invalid_argument("surfaces: expected a finder of closest points, found a null pointer");
  validate(law);
  ids_ = surfaces_->bodies();
}

PenaltyState PenaltyContact::state(const BodySet& bodies) const {
  PenaltyState state;
  const std::optional<ClosestPoints> found = surfaces_->find(bodies);
  if (!found || !(found->gap < 0)) return state;
  state.touches = true;
  state.points = *found;
  state.point = 0.5 * (found->on_master + found->on_slave);
  const Eigen::Vector3d& n = found->normal;
  const Eigen::Vector3d v =
      velocity_at(bodies, ids_[0], state.point) - velocity_at(bodies, master_of(ids_), state.point);
  state.approach = -n.dot(v);
  state.slip = v + state.approach * n;

  const double depth = -found->gap;
  const double damper = law_.damping * std::pow(depth, law_.damping_exponent) * state.approach;
  state.normal_force = std::max(0.0, law_.stiffness * std::pow(depth, law_.exponent) + damper);
  const double share = law_.friction / std::hypot(state.slip.norm(), law_.slip_speed);
  state.force = state.normal_force * (n - share * state.slip);
  return state;
}

void PenaltyContact::add_to(BodySet& bodies) {
  const PenaltyState now = state(bodies);
  if (!now.touches) return;
  add_force(bodies, ids_[0], now.force, now.point);
  add_force(bodies, master_of(ids_), -now.force, now.point);
}

double PenaltyContact::potential_energy(const BodySet& bodies) const {
  const std::optional<ClosestPoints> found = surfaces_->find(bodies);
  if (!found || !(found->gap < 0)) return 0;
  return law_.stiffness * std::pow(-found->gap, law_.exponent + 1) / (law_.exponent + 1);
}

double PenaltyContact::dissipated_power(const BodySet& bodies) const {
  const PenaltyState now = state(bodies);
  if (!now.touches) return 0;
  const double elastic = law_.stiffness * std::pow(-now.points.gap, law_.exponent);
  return (now.normal_force - elastic) * now.approach - now.force.dot(now.slip);
}

}  // namespace locdyn
