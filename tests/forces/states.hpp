#pragma once
// What every applied force is held to: the gradient of its potential and the balance of its power, by differences.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <locdyn/bodies/body_set.hpp>
#include <locdyn/forces/force_set.hpp>

namespace locdyn::testing {

/// V after body `id` has gone by `dt` along its velocity `u`; the body is then back bit for bit.
inline double potential_along(const ForceSet& forces, BodySet& bodies, BodyId id, const Eigen::VectorXd& u, double dt) {
  Body& body = bodies[id];
  const Eigen::VectorXd q = body.configuration(), before = body.velocity();
  body.set_velocity(u);
  body.advance(dt);
  const double energy = forces.potential_energy(bodies);
  body.set_configuration(q);
  body.set_velocity(before);
  return energy;
}

/// dV/dt along u by a difference of sixth order. With dt = 2e-3 and quantities of order 1 it errs by some 1e-12.
inline double slope_along(const ForceSet& forces, BodySet& bodies, BodyId id, const Eigen::VectorXd& u, double dt) {
  const std::array<double, 3> weights = {45.0 / 60, -9.0 / 60, 1.0 / 60};
  double slope = 0;
  for (int k = 0; k < 3; ++k) {
    const double step = (k + 1) * dt;
    slope += weights[static_cast<std::size_t>(k)] / dt *
             (potential_along(forces, bodies, id, u, step) - potential_along(forces, bodies, id, u, -step));
  }
  return slope;
}

/// The largest error of Q = −∂V/∂q over all bodies, against the largest entry of Q. Bodies are brought to rest, so that
/// nothing but the potential acts; obstacles stay.
inline double gradient_error(ForceSet& forces, BodySet& bodies, double dt = 2e-3) {
  for (const BodyId id : bodies.ids()) {
    bodies[id].set_velocity(Eigen::VectorXd::Zero(bodies[id].freedoms()));
    bodies[id].clear_forces();
  }
  forces.add_to(bodies);
  double error = 0, largest = 0;
  for (const BodyId id : bodies.ids()) {
    const Eigen::VectorXd Q = bodies[id].added_force();
    for (Eigen::Index i = 0; i < Q.size(); ++i) {
      const double slope = slope_along(forces, bodies, id, Eigen::VectorXd::Unit(Q.size(), i), dt);
      error = std::max(error, std::abs(Q[i] + slope));
      largest = std::max(largest, std::abs(Q[i]));
    }
  }
  REQUIRE(largest > 0);
  return error / largest;
}

/// Σ Q·u + dV/dt by differences, the rate at which forces change T + V, and what they say they dissipate.
struct PowerBalance {
  double rate, dissipated;
};
inline PowerBalance power_balance(ForceSet& forces, BodySet& bodies, double dt = 2e-3) {
  for (const BodyId id : bodies.ids()) bodies[id].clear_forces();
  forces.add_to(bodies);
  PowerBalance balance{0, forces.dissipated_power(bodies)};
  for (const BodyId id : bodies.ids()) {
    if (bodies[id].freedoms() == 0) continue;
    const Eigen::VectorXd u = bodies[id].velocity();
    balance.rate += bodies[id].added_force().dot(u) + slope_along(forces, bodies, id, u, dt);
  }
  return balance;
}

}  // namespace locdyn::testing
