#include "smooth_motion.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <locdyn/io/scene/check_mechanism.hpp>
#include <locdyn/io/scene/read_scene.hpp>
#include <locdyn/mechanism/mobility.hpp>
#include <locdyn/mechanism/smooth/accelerations.hpp>
#include <locdyn/mechanism/smooth/fixed_step.hpp>
#ifdef LOCDYN_WITH_SUNDIALS
#include <locdyn/mechanism/smooth/integrate/integrate.hpp>
#endif

#include "mechanism_run.hpp"

namespace locdyn::app {
namespace {

using Visit = std::function<void(const SmoothPoint&)>;

// How well the rows hold where the bodies are.
SmoothPoint point_at(Mechanism& mechanism, double time, const Eigen::VectorXd& reactions, SmoothMotion& motion) {
  SmoothPoint point{.time = time, .reactions = reactions};
  if (!mechanism.rows().empty()) {
    mechanism.evaluate();
    point.position_error = mechanism.error().cwiseAbs().maxCoeff();
    point.velocity_error = (mechanism.G() * mechanism.velocity() + mechanism.d()).cwiseAbs().maxCoeff();
  }
  motion.position_error = std::max(motion.position_error, point.position_error);
  motion.velocity_error = std::max(motion.velocity_error, point.velocity_error);
  return point;
}

void note_weakest(double weakest, double time, const std::string& row, SmoothMotion& motion) {
  if (!(weakest < motion.weakest)) return;
  motion.weakest = weakest;
  motion.weakest_time = time;
  motion.weakest_row = row;
}

void fixed_steps(const Scene& scene, System& system, Mechanism& mechanism, SmoothMotion& motion, const Visit& visit) {
  const AppliedLoads loads = loads_of(system);
  FixedStepOptions options{.until = scene.duration, .step = scene.stepping.step};
  if (scene.smooth->integrator == SceneIntegrator::half_step) options.scheme = FixedStepScheme::half_step;
  options.spectral_radius = scene.smooth->spectral_radius.value_or(options.spectral_radius);

  const auto give = [&](double time, const Eigen::VectorXd& reactions) {
    const Mobility now = mobility(mechanism);
    note_weakest(now.weakest, time, now.weakest_row, motion);
    visit(point_at(mechanism, time, reactions, motion));
  };
  give(0, accelerations(mechanism, loads).multipliers);
  const long every = std::max(1, scene.output.every);
  const FixedStepReport report = step_through(mechanism, loads, options, [&](const FixedStepPoint& point) {
    stop_if_interrupted();
    ++motion.steps;
    if (motion.steps % every == 0 || point.time > scene.duration - 0.5 * options.step) {
      give(point.time, point.multipliers);
    }
  });
  motion.iterations = report.iterations;
  motion.position_error = std::max(motion.position_error, report.position_error);
  motion.velocity_error = std::max(motion.velocity_error, report.velocity_error);
}

#ifdef LOCDYN_WITH_SUNDIALS

IntegrateOptions options_of(const SceneSmooth& smooth) {
  IntegrateOptions options;
  options.rtol = smooth.rtol.value_or(options.rtol);
  options.atol = smooth.atol.value_or(options.atol);
  options.max_step = smooth.max_step.value_or(options.max_step);
  if (smooth.integrator == SceneIntegrator::bdf) options.integrator = Integrator::bdf;
  if (smooth.integrator == SceneIntegrator::adams) options.integrator = Integrator::adams;
  StabilisationOptions& stabilisation = options.stabilisation;
  if (smooth.stabilisation == SceneStabilisation::baumgarte) stabilisation.kind = Stabilisation::baumgarte;
  stabilisation.alpha = smooth.alpha.value_or(stabilisation.alpha);
  stabilisation.beta = smooth.beta.value_or(stabilisation.beta);
  return options;
}

// 0, step, 2 step, …, duration.
std::vector<double> times_of_output(double step, double duration) {
  std::vector<double> times;
  const auto count = static_cast<long>(std::ceil(duration / step * (1 - 1e-12)));
  for (long k = 0; k < count; ++k) times.push_back(static_cast<double>(k) * step);
  times.push_back(duration);
  return times;
}

void with_error_control(const Scene& scene, System& system, Mechanism& mechanism, double output_step,
                        SmoothMotion& motion, const Visit& visit) {
  const AppliedLoads loads = loads_of(system);
  IntegrateOptions options = options_of(*scene.smooth);
  // Asked after every step, beside the outputs, which may be far apart.
  options.events.push_back({.g =
                                [](const Mechanism&) {
                                  stop_if_interrupted();
                                  return 1.0;
                                },
                            .name = "interrupt"});
  const std::vector<double> outputs = times_of_output(output_step, scene.duration);
  std::vector<double> ends = scene_format::corners(scene);
  std::erase_if(ends, [&](double t) { return t >= scene.duration; });
  ends.push_back(scene.duration);

  auto next = outputs.begin();
  for (const double end : ends) {
    const auto last = std::upper_bound(next, outputs.end(), end);
    options.output_times.assign(next, last);
    next = last;
    options.until = end;
    const MotionReport report = integrate(mechanism, loads, options, [&](const MotionPoint& point) {
      note_weakest(point.rates.weakest, point.time, point.rates.weakest_row, motion);
      visit(point_at(mechanism, point.time, point.rates.multipliers, motion));
    });
    motion.steps += report.steps;
    motion.rejected += report.rejected;
    motion.evaluations += report.evaluations;
    motion.position_error = std::max(motion.position_error, report.position_error);
    motion.velocity_error = std::max(motion.velocity_error, report.velocity_error);
    note_weakest(report.weakest, report.weakest_time, report.weakest_row, motion);
  }
}

#endif

}  // namespace

void require_integrator(const Scene& scene) {
#ifndef LOCDYN_WITH_SUNDIALS
  if (scene.smooth->fixed_step()) return;
  throw SceneError({scene.file.string() +
                    ": smooth.integrator: expected \"generalised_alpha\" or \"half_step\" in a build without SUNDIALS "
                    "(LOCDYN_WITH_SUNDIALS), found one with error control"});
#else
  static_cast<void>(scene);
#endif
}

void smooth_motion(const Scene& scene, System& system, Mechanism& mechanism, double output_step, SmoothMotion& motion,
                   const Visit& visit) {
  if (scene.smooth->fixed_step()) return fixed_steps(scene, system, mechanism, motion, visit);
#ifdef LOCDYN_WITH_SUNDIALS
  with_error_control(scene, system, mechanism, output_step, motion, visit);
#else
  static_cast<void>(output_step);
  require_integrator(scene);
#endif
}

}  // namespace locdyn::app
