#include <locdyn/mechanism/smooth/integrate/integrate.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/mechanism/smooth/integrate/stepper.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr int kMostBisections = 100;

void require(bool good, const char* field, const char* expected, double found) {
  if (good) return;
  throw std::invalid_argument(std::string(field) + ": expected " + expected + ", found " + spelled(found));
}

void check(const IntegrateOptions& options, double start) {
  require(std::isfinite(options.until) && options.until >= start, "until", "a time not before that of the bodies",
          options.until);
  require_positive(options.rtol, "rtol");
  const auto not_negative = [](double value, const char* field) {
    require(value >= 0 && std::isfinite(value), field, "a number >= 0", value);
  };
  not_negative(options.atol, "atol");
  not_negative(options.first_step, "first_step");
  not_negative(options.max_step, "max_step");
  require(options.max_steps > 0, "max_steps", "a number > 0", static_cast<double>(options.max_steps));
  double before = start;
  for (const double t : options.output_times) {
    require(t >= before && t <= options.until, "output_times", "ascending times within the interval", t);
    before = t;
  }
  for (const MotionEvent& event : options.events) {
    if (!event.g) throw std::invalid_argument("event \"" + event.name + "\": expected a function g, found none");
  }
}

std::unique_ptr<Stepper> make_stepper(FirstOrderForm& form, double t, const Eigen::VectorXd& y,
                                      const IntegrateOptions& options) {
  const StepperOptions chosen{
      .rtol = options.rtol, .atol = options.atol, .first_step = options.first_step, .max_step = options.max_step};
  switch (options.integrator) {
    case Integrator::bdf: return make_bdf(form, t, y, chosen);
    case Integrator::adams: return make_adams(form, t, y, chosen);
    default: return make_runge_kutta(form, t, y, chosen);
  }
}

class Motion {
 public:
  Motion(Mechanism& mechanism, const AppliedLoads& loads, const IntegrateOptions& options, const MotionVisit& visit)
      : form_(mechanism, loads, options.stabilisation), options_(options), visit_(visit) {}

  MotionReport run() {
    double t = form_.mechanism().bodies().time();
    const MechanismState before = form_.mechanism().state();
    try {
      note(form_.start());
      report_.redundant = rates_.redundant;
      y_ = form_.state();
      stepper_ = make_stepper(form_, t, y_, options_);
      for (const MotionEvent& event : options_.events) g_.push_back(value(event));
      give_outputs(t);
    } catch (...) {
      form_.mechanism().restore(before);
      throw;
    }
    try {
      while (t < options_.until && report_.stopped_by < 0) t = step(t);
    } catch (...) {
      form_.set_state(t, y_);
      throw;
    }
    report_.reached = t;
    const StepperCounts counts = stepper_->counts();
    report_.steps = counts.steps;
    report_.rejected = counts.rejected;
    report_.evaluations = counts.evaluations;
    return std::move(report_);
  }

 private:
  struct Crossing {
    std::size_t event;
    double time;
  };

  // One step, what happens within it, and what is asked for within it.
  double step(double t) {
    if (steps_++ == options_.max_steps) {
      throw MotionError(MotionError::Reason::step_limit, t,
                        "expected at most " + std::to_string(options_.max_steps) + " steps, found no end");
    }
    const double next = stepper_->step(options_.until);
    if (!(next > t)) {
      throw MotionError(MotionError::Reason::step_too_small, t,
                        "expected steps that meet the tolerances, found one of " + spelled(next - t) + " s");
    }
    Eigen::VectorXd y = arrive(next, stepper_->state());
    std::vector<double> g;
    for (const MotionEvent& event : options_.events) g.push_back(value(event));
    for (const Crossing& crossing : crossings(t, next, g)) {
      give_outputs(crossing.time);
      y = arrive(crossing.time, stepper_->state_at(crossing.time));
      const auto event = static_cast<long>(crossing.event);
      report_.events.push_back({event, crossing.time});
      if (visit_) visit_({.time = crossing.time, .event = event, .rates = form_.examine()});
      if (!options_.events[crossing.event].stops) continue;
      report_.stopped_by = event;
      y_ = y;
      return crossing.time;
    }
    give_outputs(next);
    y_ = arrive(next, stepper_->state());
    note(form_.examine());
    g_ = std::move(g);
    return next;
  }

  // The bodies at y, projected where that is wanted; y as they have it then.
  Eigen::VectorXd arrive(double t, const Eigen::VectorXd& y) { return form_.projected(t, y); }

  void note(AccelerationReport rates) {
    const ConstraintErrors errors = form_.errors();
    report_.position_error = std::max(report_.position_error, errors.position);
    report_.velocity_error = std::max(report_.velocity_error, errors.velocity);
    if (rates.weakest < report_.weakest) {
      report_.weakest = rates.weakest;
      report_.weakest_row = rates.weakest_row;
      report_.weakest_time = form_.mechanism().bodies().time();
    }
    rates_ = std::move(rates);
  }

  void give_outputs(double t) {
    while (output_ < options_.output_times.size() && options_.output_times[output_] <= t) {
      const double at = options_.output_times[output_++];
      arrive(at, stepper_->state_at(at));
      if (visit_) visit_({.time = at, .event = -1, .rates = form_.examine()});
    }
  }

  // --- events --------------------------------------------------------------------------------------------------------

  [[nodiscard]] double value(const MotionEvent& event) {
    const double t = form_.mechanism().bodies().time();
    double g = std::numeric_limits<double>::quiet_NaN();
    try {
      g = event.g(form_.mechanism());
    } catch (const std::exception& fault) {
      throw MotionError(MotionError::Reason::bad_function, t, "event \"" + event.name + "\": " + fault.what());
    }
    if (std::isfinite(g)) return g;
    throw MotionError(MotionError::Reason::bad_function, t,
                      "event \"" + event.name + "\": expected a finite number, found " + spelled(g));
  }

  [[nodiscard]] static bool crosses(MotionEvent::Direction direction, double before, double after) {
    const bool rises = before < 0 && after >= 0, falls = before > 0 && after <= 0;
    switch (direction) {
      case MotionEvent::Direction::rising: return rises;
      case MotionEvent::Direction::falling: return falls;
      default: return rises || falls;
    }
  }

  [[nodiscard]] std::vector<Crossing> crossings(double from, double to, const std::vector<double>& g) {
    std::vector<Crossing> found;
    for (std::size_t i = 0; i < g.size(); ++i) {
      const MotionEvent& event = options_.events[i];
      if (crosses(event.direction, g_[i], g[i])) found.push_back({i, root(event, from, g_[i], to, g[i])});
    }
    std::stable_sort(found.begin(), found.end(), [](const Crossing& a, const Crossing& b) { return a.time < b.time; });
    return found;
  }

  // The zero of g by regula falsi with halving (Illinois), on states of the integrator's own order: the end of the
  // bracket beyond it.
  double root(const MotionEvent& event, double a, double g_a, double b, double g_b) {
    for (int i = 0; i < kMostBisections && g_b != 0; ++i) {
      const double resolution = 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(a), std::abs(b));
      if (b - a <= resolution) break;
      double t = b - g_b * (b - a) / (g_b - g_a);
      if (i % 8 == 7) t = 0.5 * (a + b);
      t = std::clamp(t, a + 0.25 * resolution, b - 0.25 * resolution);
      arrive(t, stepper_->state_at(t));
      const double g = value(event);
      if (g == 0) return t;
      if ((g < 0) == (g_b < 0)) {
        b = t;
        g_b = g;
        g_a /= last_ == 1 ? 2 : 1;
        last_ = 1;
      } else {
        a = t;
        g_a = g;
        g_b /= last_ == -1 ? 2 : 1;
        last_ = -1;
      }
    }
    last_ = 0;
    return b;
  }

  FirstOrderForm form_;
  const IntegrateOptions& options_;
  const MotionVisit& visit_;
  std::unique_ptr<Stepper> stepper_;
  Eigen::VectorXd y_;  // where the last good step ended
  std::vector<double> g_;
  AccelerationReport rates_;
  std::size_t output_ = 0;
  long steps_ = 0;
  int last_ = 0;  // the end of the bracket that moved last
  MotionReport report_;
};

}  // namespace

MotionReport integrate(Mechanism& mechanism, const AppliedLoads& loads, const IntegrateOptions& options,
                       const MotionVisit& visit) {
  check(options, mechanism.bodies().time());
  return Motion(mechanism, loads, options, visit).run();
}

}  // namespace locdyn
