#include <locdyn/mechanism/smooth/fixed_step.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/mechanism/smooth/fixed_stepper.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr double kMostSteps = 1e15;  // more are no count

void require(bool good, const char* field, const char* expected, double found) {
  if (good) return;
  throw std::invalid_argument(std::string(field) + ": expected " + expected + ", found " + spelled(found));
}

}  // namespace

// --- what the schemes share ------------------------------------------------------------------------------------------

Eigen::VectorXd FixedStepper::spread(const Eigen::VectorXd& independent) const {
  Eigen::VectorXd all = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(mechanism_.rows().size()));
  all(form_.independent()) = independent;
  return all;
}

// --- all steps -------------------------------------------------------------------------------------------------------

FixedStepReport step_through(Mechanism& mechanism, const AppliedLoads& loads, const FixedStepOptions& options,
                             const FixedStepVisit& visit) {
  const double start = mechanism.bodies().time();
  require(std::isfinite(options.until) && options.until >= start, "until", "a time not before that of the bodies",
          options.until);
  require_positive(options.step, "step");
  require(options.spectral_radius >= 0 && options.spectral_radius <= 1, "spectral_radius", "a number in [0, 1]",
          options.spectral_radius);
  require_positive(options.tolerance, "tolerance");
  require(options.max_iterations > 0, "max_iterations", "a number > 0", options.max_iterations);

  const double length = options.until - start;
  require(length / options.step <= kMostSteps, "step", "at most 1e15 steps", length / options.step);
  const auto count = static_cast<long>(std::ceil(length / options.step * (1 - 1e-12)));
  const double h = count > 0 ? length / static_cast<double>(count) : options.step;
  FirstOrderForm form(mechanism, loads);
  const MechanismState before = mechanism.state();
  std::unique_ptr<FixedStepper> stepper;
  try {
    form.start();
    stepper = options.scheme == FixedStepScheme::half_step ? make_half_step(form, loads)
                                                           : make_generalised_alpha(form, loads, options, h);
  } catch (...) {
    mechanism.restore(before);
    throw;
  }
  FixedStepReport report;
  for (long k = 0; k < count; ++k) {
    const double t = start + static_cast<double>(k) * h;
    const Eigen::VectorXd y = form.state();
    try {
      const FixedStepPoint point = stepper->step(t, h);
      form.require_consistent();
      form.choose_rows();
      ++report.steps;
      const ConstraintErrors errors = form.errors();
      report.position_error = std::max(report.position_error, errors.position);
      report.velocity_error = std::max(report.velocity_error, errors.velocity);
      if (visit) visit(point);
    } catch (const MotionError&) {
      form.set_state(t, y);
      throw;
    } catch (const std::exception& fault) {
      form.set_state(t, y);
      throw MotionError(MotionError::Reason::bad_function, t, fault.what());
    } catch (...) {
      form.set_state(t, y);
      throw;
    }
  }
  report.iterations = stepper->iterations();
  return report;
}

}  // namespace locdyn
