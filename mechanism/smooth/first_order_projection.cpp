// What an integrator takes away from the rows, given back; and what is found out about the rows on the way.

#include <algorithm>
#include <cmath>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/mechanism/jacobian_check.hpp>
#include <locdyn/mechanism/smooth/first_order_form.hpp>

namespace locdyn::detail {
namespace {

constexpr double kNearSingular = 0.2;    // smallest singular value of the rows, of the largest so far
constexpr int kMostNewton = 10;          // of one projection
constexpr double kDone = 1e-15;          // [m], relative to lengths of 1 m: nothing is projected below
constexpr double kGain = 0.5;            // of ‖C‖ in an iteration; less is rounding
constexpr double kStart = 1e-6;          // [m], [m/s]: what a start may be off
constexpr double kClosed = 1e-10;        // [m], [m/s]: what a projection must reach
constexpr double kContradiction = 1e-8;  // [m], [m/s]: what a redundant row may be off

double largest(const Eigen::VectorXd& x) {
  return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff();
}

[[noreturn]] void contradict(double t, double missing, const char* unit, const std::string& row) {
  throw MotionError(MotionError::Reason::contradictory, t,
                    "expected rows that can be met together, found " + spelled(missing) + unit + " missing in " + row,
                    row);
}

}  // namespace

// Newton by the nearest displacement, to rounding.
void FirstOrderForm::close_positions() {
  Eigen::VectorXd C = of_independent(mechanism_.error());
  for (int i = 0; i < kMostNewton; ++i) {
    const double before = largest(C);
    if (before <= kDone) return;
    const Eigen::VectorXd y = state();
    factorise();
    mechanism_.displace(solve_.smallest(-C));
    C = of_independent(mechanism_.error());
    if (largest(C) > kGain * before) {
      if (largest(C) > before) set_state(mechanism_.bodies().time(), y);
      return;
    }
  }
}

void FirstOrderForm::meet_velocities() {
  mechanism_.evaluate();
  const Eigen::VectorXd u = mechanism_.velocity();
  const Eigen::VectorXd missing = -(mechanism_.G() * u + mechanism_.d());
  if (largest(of_independent(missing)) <= kDone * (1 + largest(u))) return;
  factorise();
  mechanism_.set_velocity(u + solve_.smallest(of_independent(missing)));
}

Eigen::VectorXd FirstOrderForm::projected(double t, const Eigen::Ref<const Eigen::VectorXd>& y) {
  return guarded(t, [&] {
    set_state(t, y);
    if (!independent_.empty() && options_.kind == Stabilisation::projection) {
      close_positions();
      meet_velocities();
      require_closed(t);
    }
    return state();
  });
}

void FirstOrderForm::close(double t, const Eigen::Ref<const Eigen::VectorXd>& y) {
  guarded(t, [&] {
    set_state(t, y);
    close_positions();
    require_closed(t);
  });
}

void FirstOrderForm::require_closed(double t) {
  if (largest(of_independent(mechanism_.error())) <= kClosed) return;
  const ConstraintErrors found = errors();
  throw MotionError(
      MotionError::Reason::does_not_close, t,
      "expected positions that close, found " + spelled(found.position) + " m in " + found.worst_position_row,
      found.worst_position_row);
}

ConstraintErrors FirstOrderForm::errors() {
  ConstraintErrors found;
  if (mechanism_.rows().empty()) return found;
  mechanism_.evaluate();
  Eigen::Index worst = 0;
  found.position = mechanism_.error().cwiseAbs().maxCoeff(&worst);
  found.worst_position_row = mechanism_.spelled(worst);
  found.velocity = (mechanism_.G() * mechanism_.velocity() + mechanism_.d()).cwiseAbs().maxCoeff(&worst);
  found.worst_velocity_row = mechanism_.spelled(worst);
  return found;
}

void FirstOrderForm::require_consistent() {
  if (independent_.size() == mechanism_.rows().size()) return;
  const double t = mechanism_.bodies().time();
  guarded(t, [&] {
    mechanism_.evaluate();
    Eigen::VectorXd missing = mechanism_.error();
    const Eigen::VectorXd rate = mechanism_.G() * mechanism_.velocity() + mechanism_.d();
    Eigen::Index worst = 0;
    for (Eigen::Index i = 0; i < missing.size(); ++i) {
      if (!mechanism_.rows()[static_cast<std::size_t>(i)].holonomic) missing[i] = rate[i];
    }
    const double found = missing.cwiseAbs().maxCoeff(&worst);
    if (found <= kContradiction) return;
    const bool position = mechanism_.rows()[static_cast<std::size_t>(worst)].holonomic;
    contradict(t, found, position ? " m" : " m/s", mechanism_.spelled(worst));
  });
}

AccelerationReport FirstOrderForm::start() {
  const double t = mechanism_.bodies().time();
  const ConstraintErrors found = guarded(t, [&] { return errors(); });
  guarded(t, [&] { require_jacobians(mechanism_); });
  const auto refuse = [&](const char* what, double value, const char* unit, const std::string& row, const char* hint) {
    throw MotionError(MotionError::Reason::does_not_close, t,
                      std::string("expected ") + what + " that meet all rows, found " + spelled(value) + unit +
                          " missing in " + row + hint,
                      row);
  };
  if (!(found.position <= kStart)) {
    refuse("positions", found.position, " m", found.worst_position_row, ": close the mechanism first");
  }
  if (!(found.velocity <= kStart)) {
    refuse("velocities", found.velocity, " m/s", found.worst_velocity_row, ": solve for velocities first");
  }
  choose_rows();
  static_cast<void>(projected(t, state()));
  return examine();
}

void FirstOrderForm::choose_rows() {
  guarded(mechanism_.bodies().time(), [&] { return all_.solve(loads_); });
  independent_ = all_.independent();
}

AccelerationReport FirstOrderForm::examine() {
  const double t = mechanism_.bodies().time();
  return guarded(t, [&] {
    const ConstraintErrors found = errors();
    const bool projects = options_.kind == Stabilisation::projection;
    if (projects && std::max(found.position, found.velocity) > kContradiction) {
      const bool position = found.position > kContradiction;
      const std::string& row = position ? found.worst_position_row : found.worst_velocity_row;
      contradict(t, position ? found.position : found.velocity, position ? " m" : " m/s", row);
    }
    AccelerationReport report = all_.solve(loads_);
    if (!report.met && report.at_fault.empty()) {
      throw MotionError(MotionError::Reason::no_solution, t, "expected accelerations, found none");
    }
    if (!report.met) {
      throw MotionError(MotionError::Reason::contradictory, t,
                        "expected accelerations that meet all rows, found " + spelled(report.residual) +
                            " m/s² missing in " + report.at_fault,
                        report.at_fault);
    }
    independent_ = all_.independent();
    best_ = std::max(best_, report.weakest);
    near_singular_ = report.weakest < kNearSingular * best_;
    return report;
  });
}

}  // namespace locdyn::detail
