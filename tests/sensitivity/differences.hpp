#pragma once
// Central differences of a step, to hold its derivatives against.

#include <doctest/doctest.h>
#include <Eigen/Core>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/detection/bullet_detector.hpp>
#include <locdyn/sensitivity/rollout.hpp>

namespace locdyn::trial {

/// A system with its stepper, solved as far as rounding lets it: no correction of positions, no sleep.
struct World {
  System system{make_bullet_detector()};
  std::unique_ptr<TimeStepper> stepper;

  static TimeStepperOptions options() {
    TimeStepperOptions chosen;
    chosen.step = 5e-3;
    chosen.correction = Correction::none;
    chosen.sleep = false;
    chosen.stop.tolerance = 1e-14;
    chosen.solver = "newton";  // whose last step leaves rounding alone: differences divide what a solve leaves by 2e-5
    return chosen;
  }
  void start(const TimeStepperOptions& chosen = options()) { stepper = std::make_unique<TimeStepper>(system, chosen); }
};

/// δ between two configurations of a body, in the axes of its velocities.
inline Eigen::VectorXd between(const Body& body, const Eigen::VectorXd& from, const Eigen::VectorXd& to) {
  if (body.freedoms() < 6) return to - from;
  const Orientation a = orientation_of(from.tail<4>()), b = orientation_of(to.tail<4>());
  Orientation change = a.conjugate() * b;
  if (change.w() < 0) change.coeffs() *= -1;
  Eigen::VectorXd d(6);
  d << 2 * change.vec(), to.head<3>() - from.head<3>();
  return d;
}

/// Where all bodies are, and their velocities.
struct Place {
  std::vector<Eigen::VectorXd> q;
  Eigen::VectorXd u;
};
inline Place place_of(const System& system) {
  Place place;
  std::vector<double> u;
  for (const BodyId id : system.bodies().ids()) {
    const Body& body = system.bodies()[id];
    if (body.freedoms() == 0) continue;
    place.q.push_back(body.configuration());
    u.insert(u.end(), body.velocity().begin(), body.velocity().end());
  }
  place.u = Eigen::Map<const Eigen::VectorXd>(u.data(), static_cast<Eigen::Index>(u.size()));
  return place;
}

/// (q, u) of `to` less that of `from`.
inline Eigen::VectorXd between(const System& system, const Place& from, const Place& to) {
  Eigen::VectorXd d(2 * to.u.size());
  Eigen::Index at = 0;
  std::size_t k = 0;
  for (const BodyId id : system.bodies().ids()) {
    const Body& body = system.bodies()[id];
    if (body.freedoms() == 0) continue;
    d.segment(at, body.freedoms()) = between(body, from.q[k], to.q[k]);
    at += body.freedoms();
    ++k;
  }
  d.tail(to.u.size()) = to.u - from.u;
  return d;
}

/// q ⊕ δq, u + δu of the bodies now.
inline void put_aside(System& system, const Eigen::VectorXd& dq, const Eigen::VectorXd& du) {
  Eigen::Index at = 0;
  for (const BodyId id : system.bodies().ids()) {
    Body& body = system.bodies()[id];
    const int n = body.freedoms();
    if (n == 0) continue;
    const Eigen::VectorXd u = body.velocity();
    body.set_velocity(dq.segment(at, n));
    body.advance(1);
    body.set_configuration(body.configuration());
    body.set_velocity(u + du.segment(at, n));
    at += n;
  }
}

/// R and U of the contacts of the last step, or nothing.
inline Eigen::VectorXd rows_of(const TimeStepper& stepper) {
  std::vector<double> all;
  for (const ActiveContact& c : stepper.contacts()) {
    all.insert(all.end(), c.reaction.begin(), c.reaction.end());
    all.insert(all.end(), c.velocity.begin(), c.velocity.end());
  }
  return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

inline Eigen::VectorXd rows_of(const DifferentiatedStep& step, const StepResponse& response) {
  Eigen::VectorXd all(6 * static_cast<Eigen::Index>(step.contacts().size()));
  Eigen::Index at = 0;
  for (const ActiveContact& c : step.contacts()) {
    all.segment<3>(at) = response.reaction.col(step.row(c.constraint));
    all.segment<3>(at + 3) = response.velocity.col(step.row(c.constraint));
    at += 6;
  }
  return all;
}

inline double worst_share(const Eigen::VectorXd& found, const Eigen::VectorXd& expected) {
  if (expected.size() == 0) return 0;
  const double scale = std::max(expected.cwiseAbs().maxCoeff(), 1e-3);
  return (found - expected).cwiseAbs().maxCoeff() / scale;
}

enum class Reactions { compared, left_out };

/// The next step by q and u of each body against central differences; then adjoint against tangent.
inline void check_state(World& world, Reactions reactions = Reactions::compared, double tolerance = 1e-6) {
  const StepperState start = world.stepper->state();
  const auto n = no_state(world.system).q.size();
  struct Difference {
    Eigen::VectorXd state, rows;
  };
  std::vector<Difference> expected;
  for (Eigen::Index k = 0; k < 2 * n; ++k) {
    const double way = 1e-5;
    Place ends[2];
    Eigen::VectorXd rows[2];
    for (int side = 0; side < 2; ++side) {
      world.stepper->restore(start);
      Eigen::VectorXd d = Eigen::VectorXd::Zero(2 * n);
      d[k] = side == 0 ? way : -way;
      put_aside(world.system, d.head(n), d.tail(n));
      REQUIRE(world.stepper->step().status == SolveStatus::converged);
      ends[side] = place_of(world.system);
      rows[side] = rows_of(*world.stepper);
    }
    REQUIRE(rows[0].size() == rows[1].size());
    expected.push_back({between(world.system, ends[1], ends[0]) / (2 * way), (rows[0] - rows[1]) / (2 * way)});
  }
  world.stepper->restore(start);
  const DifferentiatedStep step(world.system, *world.stepper);
  for (const NotStrict& edge : step.not_strict()) FAIL_CHECK(edge.edge);
  for (Eigen::Index k = 0; k < 2 * n; ++k) {
    CAPTURE(k);
    StepInput input = step.no_input();
    (k < n ? input.state.q[k] : input.state.u[k - n]) = 1;
    const StepResponse found = step.tangent(input);
    Eigen::VectorXd state(2 * n);
    state << found.state.q, found.state.u;
    CHECK(worst_share(state, expected[static_cast<std::size_t>(k)].state) < tolerance);
    if (reactions == Reactions::left_out) continue;
    CHECK(worst_share(rows_of(step, found), expected[static_cast<std::size_t>(k)].rows) < tolerance);
  }

  // <by_response, J input> = <Jᵀ by_response, input>, all fields random.
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto any = [&](auto& values) {
    for (Eigen::Index i = 0; i < values.size(); ++i) values.data()[i] = number(random);
  };
  StepInput input = step.no_input();
  StepResponse by_response = step.no_response();
  any(input.state.q);
  any(input.state.u);
  auto& p = input.parameters;
  any(p.force);
  any(p.gravity);
  any(p.mass);
  any(p.inertia);
  any(p.size);
  any(p.position);
  any(p.friction);
  any(p.restitution);
  for (ContactVariation& c : input.contacts) {
    any(c.point);
    any(c.frame);
    c.gap = number(random);
    c.friction = number(random);
    c.restitution = number(random);
  }
  any(by_response.state.q);
  any(by_response.state.u);
  if (reactions == Reactions::compared) any(by_response.reaction);
  any(by_response.velocity);
  for (const ActiveContact& c : step.contacts()) {
    if (c.identity == 0) continue;
    any(by_response.state.memory[c.identity].frame);
    any(by_response.state.memory[c.identity].velocity);
    any(input.state.memory[c.identity].frame);
    any(input.state.memory[c.identity].velocity);
  }
  if (reactions == Reactions::left_out) input.contacts.clear();
  StepResponse response;
  try {
    response = step.tangent(input);
  } catch (const std::runtime_error&) {  // redundant contacts that a random change sets against each other
    REQUIRE(reactions == Reactions::left_out);
    input.parameters = no_parameters(world.system);
    input.state.memory.clear();
    response = step.tangent(input);
  }
  const StepInput by_input = step.adjoint(by_response);
  double left = dot(by_response.state, response.state) + by_response.reaction.cwiseProduct(response.reaction).sum() +
                by_response.velocity.cwiseProduct(response.velocity).sum();
  double right = dot(by_input.state, input.state) + dot(by_input.parameters, input.parameters);
  for (std::size_t k = 0; k < input.contacts.size(); ++k) {
    const ContactVariation &a = by_input.contacts[k], &b = input.contacts[k];
    right += a.point.dot(b.point) + a.frame.dot(b.frame) + a.gap * b.gap + a.friction * b.friction +
             a.restitution * b.restitution;
  }
  CHECK(std::abs(left - right) < 1e-9 * (std::abs(left) + 1));
  world.stepper->restore(start);
}

}  // namespace locdyn::trial
