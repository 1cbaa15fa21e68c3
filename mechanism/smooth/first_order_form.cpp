#include <locdyn/mechanism/smooth/first_order_form.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/kinematic_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>

namespace locdyn::detail {
namespace {

void require_rate(double value, const char* what) {
  if (value >= 0 && std::isfinite(value)) return;
  throw std::invalid_argument(std::string(what) + ": expected a number >= 0, found " + spelled(value));
}

}  // namespace

FirstOrderForm::FirstOrderForm(Mechanism& mechanism, AppliedLoads loads, const StabilisationOptions& options)
    : mechanism_(mechanism),
      loads_(std::move(loads)),
      options_(options),
      all_(mechanism),
      solve_(inertia(mechanism)),
      start_(mechanism.bodies().time()) {
  mechanism.require_complete();
  if (mechanism.coordinates() == 0) {
    throw std::invalid_argument("mechanism: expected bodies that move, found none");
  }
  require_rate(options.alpha, "alpha");
  require_rate(options.beta, "beta");
  const BodySet& bodies = mechanism.bodies();
  for (const BodyId id : bodies.ids()) {
    quaternion_.push_back(dynamic_cast<const RigidBody*>(&bodies[id]) != nullptr);
    if (bodies[id].freedoms() == 0) {
      obstacles_.emplace_back(id, bodies[id].configuration());
    } else {
      first_velocity_ += bodies[id].configuration().size();
    }
  }
  size_ = first_velocity_ + mechanism.coordinates();
  for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(mechanism.rows().size()); ++i) independent_.push_back(i);
}

// --- states ----------------------------------------------------------------------------------------------------------

Eigen::VectorXd FirstOrderForm::state() const {
  Eigen::VectorXd y(size_);
  const BodySet& bodies = mechanism_.bodies();
  Eigen::Index at = 0;
  for (const BodyId id : bodies.ids()) {
    if (bodies[id].freedoms() == 0) continue;
    const Eigen::VectorXd q = bodies[id].configuration();
    y.segment(at, q.size()) = q;
    at += q.size();
  }
  y.tail(mechanism_.coordinates()) = mechanism_.velocity();
  return y;
}

void FirstOrderForm::set_time(double t) {
  BodySet& bodies = mechanism_.bodies();
  bodies.set_time(t);
  for (const auto& [id, q] : obstacles_) {
    bodies[id].set_configuration(q);
    bodies[id].advance(t - start_);
  }
}

void FirstOrderForm::set_state(double t, const Eigen::Ref<const Eigen::VectorXd>& y) {
  set_time(t);
  BodySet& bodies = mechanism_.bodies();
  Eigen::Index at = 0;
  for (const BodyId id : bodies.ids()) {
    if (bodies[id].freedoms() == 0) continue;
    Eigen::VectorXd q = y.segment(at, bodies[id].configuration().size());
    at += q.size();
    if (quaternion_[id]) q.tail<4>().normalize();
    bodies[id].set_configuration(q);
  }
  mechanism_.set_velocity(y.tail(mechanism_.coordinates()));
}

// --- rows ------------------------------------------------------------------------------------------------------------

Eigen::VectorXd FirstOrderForm::of_independent(const Eigen::VectorXd& rows) const {
  return rows(independent_);
}

SparseMatrix FirstOrderForm::independent_G() const {
  const SparseMatrix& all = mechanism_.G();
  if (static_cast<Eigen::Index>(independent_.size()) == all.rows()) return all;
  SparseMatrix choose(static_cast<Eigen::Index>(independent_.size()), all.rows());
  for (std::size_t i = 0; i < independent_.size(); ++i)
    choose.insert(static_cast<Eigen::Index>(i), independent_[i]) = 1;
  return choose * all;
}

void FirstOrderForm::factorise() {
  mechanism_.evaluate();
  solve_.factorise(independent_G());
}

Eigen::VectorXd FirstOrderForm::rate(double t, const Eigen::Ref<const Eigen::VectorXd>& y) {
  return guarded(t, [&] {
    set_state(t, y);
    if (near_singular_ && options_.kind == Stabilisation::projection) {
      close_positions();
      meet_velocities();
    }
    return rate_here();
  });
}

Eigen::VectorXd FirstOrderForm::rate_here() {
  const double t = mechanism_.bodies().time();
  return guarded(t, [&] {
    factorise();
    Eigen::VectorXd gamma = -mechanism_.bias();
    if (options_.kind == Stabilisation::baumgarte) gamma -= pull();
    const Eigen::VectorXd f = smooth_forces(mechanism_, loads_);
    const Eigen::VectorXd acceleration = solve_.solve(f, of_independent(gamma)).a;
    if (!acceleration.allFinite()) {
      throw MotionError(MotionError::Reason::no_solution, t, "expected accelerations, found none");
    }
    Eigen::VectorXd rate(size_);
    const BodySet& bodies = mechanism_.bodies();
    Eigen::Index at = 0;
    for (const BodyId id : bodies.ids()) {
      if (bodies[id].freedoms() == 0) continue;
      const Eigen::VectorXd q = kinematic(bodies, id).configuration_rate();
      rate.segment(at, q.size()) = q;
      at += q.size();
    }
    rate.tail(mechanism_.coordinates()) = acceleration;
    return rate;
  });
}

// Baumgarte's: what is missing, pulled back.
Eigen::VectorXd FirstOrderForm::pull() {
  const Eigen::VectorXd C = mechanism_.error();
  Eigen::VectorXd pull = mechanism_.G() * mechanism_.velocity() + mechanism_.d();
  for (Eigen::Index i = 0; i < pull.size(); ++i) {
    const bool holonomic = mechanism_.rows()[static_cast<std::size_t>(i)].holonomic;
    pull[i] = (holonomic ? 2 : 1) * options_.alpha * pull[i] + options_.beta * options_.beta * C[i];
  }
  return pull;
}

}  // namespace locdyn::detail
