#pragma once
// What the examples of motion have in common: times, places in the picture's plane, the period between events.

#include <Eigen/Core>
#include <vector>

#include <locdyn/bodies/body_set.hpp>
#include <locdyn/mechanism/smooth/integrate/integrate.hpp>

namespace example {

/// `from`, `from` + `step` … `until` [s].
inline std::vector<double> times(double from, double until, double step) {
  std::vector<double> t;
  for (int k = 0; from + k * step < until - 0.5 * step; ++k) t.push_back(from + k * step);
  t.push_back(until);
  return t;
}

/// (x, y) of a point of a body, by default its mass centre [m].
inline Eigen::Vector2d place(const locdyn::BodySet& bodies, locdyn::BodyId body,
                             const Eigen::Vector3d& X = Eigen::Vector3d::Zero()) {
  return bodies[body].to_space(X).head<2>();
}

/// Where a coordinate of the mass centre falls through `level`: once in each period.
inline locdyn::MotionEvent falls(locdyn::BodyId body, int axis, double level = 0) {
  return {.g = [=](const locdyn::Mechanism& m) { return place(m.bodies(), body)[axis] - level; },
          .direction = locdyn::MotionEvent::Direction::falling};
}

/// The mean time between two events of a motion [s]; there are at least two.
[[nodiscard]] inline double period(const locdyn::MotionReport& motion) {
  const auto n = static_cast<double>(motion.events.size());
  return (motion.events.back().time - motion.events.front().time) / (n - 1);
}

}  // namespace example
