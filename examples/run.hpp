#pragma once
// What the examples with a System have in common: run it and say how that went; hold a number against one found by
// hand.

#include <algorithm>
#include <cstdio>
#include <functional>

#include <locdyn/contact/detection/bullet_detector.hpp>
#include <locdyn/simulation/make_bodies.hpp>
#include <locdyn/simulation/time_stepper.hpp>

#include "agrees.hpp"

namespace example {

constexpr double kGravity = 9.81;

/// The same coefficient at rest and in motion, no restitution unless said.
inline locdyn::PairMaterial friction(double mu, double restitution = 0) {
  return {.static_friction = mu, .kinetic_friction = mu, .restitution = restitution};
}

/// Steps until `time` [s]; after each one `watch` sees its report. Prints steps, contacts, seconds, and how many steps
/// did not converge. Returns the last report.
inline locdyn::StepReport run(locdyn::TimeStepper& stepper, double time,
                              const std::function<void(const locdyn::StepReport&)>& watch = {}) {
  long steps = 0, failures = 0;
  double seconds = 0, slowest = 0, penetration = 0;
  locdyn::StepReport report;
  while (stepper.time() < time - 0.5 * stepper.options().step) {
    report = stepper.step();
    if (report.status != locdyn::SolveStatus::converged && failures++ == 0) {
      std::printf("  first failure: %s\n", report.warning.c_str());
    }
    ++steps;
    seconds += report.seconds.total();
    slowest = std::max(slowest, report.seconds.total());
    penetration = std::max(penetration, report.penetration);
    if (watch) watch(report);
  }
  std::printf(
      "  %ld steps to %.3g s, %zu contacts at the end; %.3f ms a step, the slowest %.1f ms; deepest %.1e m; "
      "not converged: %ld\n",
      steps, stepper.time(), report.contacts, 1e3 * seconds / static_cast<double>(std::max(steps, 1L)), 1e3 * slowest,
      penetration, failures);
  return report;
}

/// Force of the last step that an obstacle exerts on the other bodies [N], in space.
inline Eigen::Vector3d carried_by(const locdyn::TimeStepper& stepper, locdyn::BodyId obstacle) {
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
  for (const locdyn::ActiveContact& contact : stepper.contacts()) {
    if (contact.point.master == obstacle) force += contact.point.frame * contact.reaction;
  }
  return force;
}

}  // namespace example
