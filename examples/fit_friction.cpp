// Friction and first velocity of a puck from where it was seen every 10 ms: Gauss–Newton on ½ Σ ‖x_k − seen_k‖² with
// the derivatives of the run (sensitivity/rollout.hpp). By hand: it slides with the deceleration μ g against its
// velocity, so that the fit must give back the μ = 0.3 and the velocity (2, 0.5) that what was seen was made with.

#include <Eigen/Dense>
#include <cmath>
#include <cstdio>
#include <vector>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/contact/detection/bullet_detector.hpp>
#include <locdyn/sensitivity/rollout.hpp>

namespace {

using namespace locdyn;

constexpr int kSteps = 50;
using Guess = Eigen::Vector3d;  // μ, v_x, v_y

// The puck on a plane, pressed 0.1 mm into it, so that its contact is closed whatever changes a little.
struct Table {
  System system{make_bullet_detector()};
  BodyId puck;
  TimeStepper stepper;

  explicit Table(const Guess& guess) : stepper(system, options()) {
    const SurfaceId ice =
        system.materials.add_surface("ice", {.static_friction = guess[0], .kinetic_friction = guess[0]});
    system.add_collider({.body = system.emplace<Obstacle>(), .shape = Plane{}, .surface = ice});
    puck = system.emplace<Particle>(0.17, Eigen::Vector3d(0, 0, 0.04 - 1e-4));
    system.add_collider({.body = puck, .shape = Sphere{0.04}, .surface = ice});
    system.bodies()[puck].set_velocity(Eigen::Vector3d(guess[1], guess[2], 0));
  }
  static TimeStepperOptions options() {
    TimeStepperOptions chosen;
    chosen.step = 0.01;
    chosen.stop.tolerance = 1e-14;
    chosen.correction = Correction::none;
    chosen.sleep = false;
    return chosen;
  }
  Eigen::Vector3d place() const { return system.bodies()[puck].configuration(); }
};

Eigen::VectorXd run(Table& table, Rollout& rollout) {
  Eigen::VectorXd x(3 * kSteps);
  rollout.run(kSteps, [&](long k) { x.segment<3>(3 * (k - 1)) = table.place(); });
  return x;
}

}  // namespace

int main() {
  const Guess truth(0.3, 2, 0.5);
  Table real(truth);
  Rollout real_run(real.system, real.stepper);
  const Eigen::VectorXd seen = run(real, real_run);

  Guess guess(0.15, 1.5, 0.8);
  double apart = 0;  // adjoint against tangents, of the gradient
  for (int iteration = 0; iteration < 6; ++iteration) {
    Table table(guess);
    Rollout rollout(table.system, table.stepper);
    const Eigen::VectorXd r = run(table, rollout) - seen;
    std::printf("mu = %.9f, v = (%.9f, %.9f): misses by %.2e m\n", guess[0], guess[1], guess[2],
                r.norm() / std::sqrt(kSteps));

    // Columns of the Jacobian, one tangent each.
    Eigen::MatrixXd J(3 * kSteps, 3);
    for (int column = 0; column < 3; ++column) {
      StateVariation state = no_state(table.system);
      ParameterVariation made = no_parameters(table.system);
      if (column == 0) made.friction[ParameterVariation::pair(SurfaceId{1}, SurfaceId{1})] = 1;
      if (column > 0) state.u[column - 1] = 1;
      rollout.tangent(kSteps, state, made, [&](long k, const StateVariation& change) {
        if (k > 0) J.block<3, 1>(3 * (k - 1), column) = change.q;
      });
    }
    // The gradient once more, all of it by one adjoint.
    const RolloutGradient gradient = rollout.adjoint([&](long k, StateVariation& by) {
      if (k > 0) by.q += r.segment<3>(3 * (k - 1));
    });
    const double by_friction = gradient.parameters.friction[ParameterVariation::pair(SurfaceId{1}, SurfaceId{1})];
    const Guess whole(by_friction, gradient.initial.u[0], gradient.initial.u[1]);
    apart = std::fmax(apart, (whole - J.transpose() * r).norm());
    guess -= J.colPivHouseholderQr().solve(r);
  }
  const double error = std::abs(guess[0] - truth[0]);
  std::printf("mu = %.9f, wrong by %.1e; v = (%.9f, %.9f)\nadjoint and tangents apart by %.1e\n", guess[0], error,
              guess[1], guess[2], apart);
  return error < 1e-6 && (guess - truth).norm() < 1e-6 && apart < 1e-9 ? 0 : 1;
}
