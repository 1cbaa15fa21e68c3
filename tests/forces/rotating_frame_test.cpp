// Motion in a rotating frame against the same motion told in inertial space.

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include <bodies/random_bodies.hpp>
#include <locdyn/forces/rotating_frame.hpp>
#include <locdyn/simulation/energies.hpp>
#include <locdyn/simulation/time_stepper.hpp>

#include "step_of.hpp"

#include "states.hpp"

using namespace locdyn;
using namespace locdyn::testing;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

// A frame that turns about a fixed axis by φ(t) = w t + a t²/2: x_inertial = exp(φ n) (x − o) + o.
struct Turning {
  Vector3d axis = Vector3d(1, -2, 2) / 3, origin{0.3, 0.1, -0.2};
  double w = 1.5, a = 0.8;

  [[nodiscard]] Matrix3d turn(double t) const { return exponential_matrix((w * t + 0.5 * a * t * t) * axis); }
  [[nodiscard]] Vector3d velocity(double t) const { return (w + a * t) * axis; }
  [[nodiscard]] FrameRotation rotation() const {
    return {[frame = *this](double t) { return frame.velocity(t); },
            [frame = *this](double) -> Vector3d { return frame.a * frame.axis; }};
  }
  // What an inertial place and velocity are in the frame.
  [[nodiscard]] Vector3d place(double t, const Vector3d& x) const {
    return origin + turn(t).transpose() * (x - origin);
  }
  [[nodiscard]] Vector3d relative(double t, const Vector3d& x, const Vector3d& v) const {
    return turn(t).transpose() * v - velocity(t).cross(place(t, x) - origin);
  }
};

// One of each kind, free, told in inertial space (frame == nullptr) or in the frame; φ(0) = 0, so that places agree at
// the start. The planar one only where the frame turns about z.
struct Flight {
  System system;

  Flight(const Turning* frame, bool planar) {
    system.gravity.setZero();
    Random random(5);
    std::vector<std::unique_ptr<Body>> kinds = one_of_each(random);
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      if ((k == 1) != planar) continue;
      Body& body = *kinds[k];
      if (frame != nullptr) {
        const Vector3d x = body.to_space(Vector3d::Zero()), W = frame->velocity(0);
        Eigen::VectorXd u = body.velocity();
        if (k == 0) u = frame->relative(0, x, u);
        if (k == 1) {
          u.head<2>() = frame->relative(0, x, Vector3d(u[0], u[1], 0)).head<2>();
          u[2] -= W.z();
        }
        if (k == 2) {
          u.head<3>() -= dynamic_cast<RigidBody&>(body).rotation().transpose() * W;
          u.tail<3>() = frame->relative(0, x, u.tail<3>());
        }
        if (k == 3) {
          const Eigen::VectorXd q = body.configuration();
          for (int column = 0; column < 3; ++column) {
            const Vector3d f(q[column], q[3 + column], q[6 + column]), change = W.cross(f);
            for (int row = 0; row < 3; ++row) u[3 * row + column] -= change[row];
          }
          u.tail<3>() = frame->relative(0, x, u.tail<3>());
        }
        body.set_velocity(u);
      }
      system.add(std::move(kinds[k]));
    }
    if (frame != nullptr) system.add_force(std::make_unique<RotatingFrame>(frame->rotation(), frame->origin));
  }
};

// How far material points of all bodies are from each other after `time`, told in the frame.
double difference(const Turning& frame, bool planar, double h, double time) {
  Flight inertial(nullptr, planar), turning(&frame, planar);
  TimeStepper a(inertial.system, step_of(h)), b(turning.system, step_of(h));
  const int steps = static_cast<int>(std::lround(time / h));
  for (int i = 0; i < steps; ++i) {
    (void)a.step();
    (void)b.step();
  }
  double largest = 0;
  for (const BodyId id : inertial.system.bodies().ids()) {
    for (const Vector3d& X : {Vector3d(0, 0, 0), Vector3d(1, 0, 0), Vector3d(0, 1, 0), Vector3d(0, 0, 1)}) {
      const Vector3d expected = frame.place(time, inertial.system.bodies()[id].to_space(X));
      if (id == 0 && !planar && X != Vector3d::Zero()) continue;  // a particle's axes do not turn
      largest = std::max(largest, (turning.system.bodies()[id].to_space(X) - expected).norm());
    }
  }
  return largest;
}

}  // namespace

TEST_CASE("free bodies of each kind move in the frame as in inertial space, orientation too, to second order") {
  Turning skewed, about_z;
  about_z.axis = Vector3d::UnitZ();
  for (const bool planar : {false, true}) {
    CAPTURE(planar);
    const Turning& frame = planar ? about_z : skewed;
    const double coarse = difference(frame, planar, 4e-3, 1), fine = difference(frame, planar, 2e-3, 1),
                 finest = difference(frame, planar, 1e-3, 1);
    CAPTURE(coarse);
    CAPTURE(finest);
    CHECK(finest < 5e-5);
    CHECK(coarse / fine == doctest::Approx(4).epsilon(0.05));
    CHECK(fine / finest == doctest::Approx(4).epsilon(0.05));
  }
}

TEST_CASE("a free particle follows the inertial straight line") {
  const Turning frame;
  const Vector3d start(1, 2, -0.5), v(0.4, -0.3, 0.8);
  System system;
  system.gravity.setZero();
  const BodyId particle = system.emplace<Particle>(2.0, start);
  system.bodies()[particle].set_velocity(frame.relative(0, start, v));
  system.add_force(std::make_unique<RotatingFrame>(frame.rotation(), frame.origin));
  TimeStepper stepper(system, step_of(1e-4));
  for (int i = 0; i < 10000; ++i) (void)stepper.step();
  const Vector3d line = start + stepper.time() * v;
  CHECK((system.bodies()[particle].to_space(Vector3d::Zero()) - frame.place(stepper.time(), line)).norm() < 1e-7);
  CHECK((system.bodies()[particle].velocity() - frame.relative(stepper.time(), line, v)).norm() < 1e-6);
}

TEST_CASE("centrifugal forces are a gradient, Coriolis forces do no work, on every kind") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    BodySet space, plane;
    std::vector<std::unique_ptr<Body>> kinds = one_of_each(random);
    for (const int k : {0, 2, 3}) space.add(std::move(kinds[static_cast<std::size_t>(k)]));
    plane.add(std::move(kinds[1]));
    const Vector3d W = random.vector(), origin = random.vector();
    for (BodySet* bodies : {&space, &plane}) {
      ForceSet forces;
      forces.add(std::make_unique<RotatingFrame>(steady_rotation(bodies == &space ? W : Vector3d(0, 0, W.z())), origin),
                 *bodies);
      const PowerBalance balance = power_balance(forces, *bodies);
      CHECK(balance.dissipated == 0);
      CHECK(std::abs(balance.rate) < 1e-9 * (1 + bodies->kinetic_energy()));
      CHECK(gradient_error(forces, *bodies) < 1e-7);
    }
  }
}

TEST_CASE("Jacobi's integral T + V is kept in a steady frame") {
  Turning frame;
  frame.a = 0;
  Flight flight(&frame, false);
  const double start = energies(flight.system).total;
  double drift = 0;
  TimeStepper stepper(flight.system, step_of(1e-3));
  for (int i = 0; i < 2000; ++i) {
    const StepReport report = stepper.step();
    drift = std::max(drift, std::abs(report.kinetic_energy + report.potential_energy - start));
  }
  CHECK(drift < 1e-4 * std::abs(energies(flight.system).kinetic));
}

TEST_CASE("a rotating frame acts on those it is given, and refuses what has no meaning") {
  BodySet bodies;
  const BodyId a = bodies.emplace<Particle>(1.0, Vector3d(2, 0, 0));
  const BodyId b = bodies.emplace<Particle>(1.0, Vector3d(2, 0, 0));
  ForceSet forces;
  forces.add(std::make_unique<RotatingFrame>(steady_rotation({0, 0, 3}), Vector3d::Zero(), std::vector<BodyId>{b}),
             bodies);
  forces.add_to(bodies);
  CHECK(bodies[a].added_force() == Vector3d::Zero());
  CHECK((bodies[b].added_force() - Vector3d(18, 0, 0)).norm() < 1e-14);

  CHECK_THROWS_WITH_AS(RotatingFrame({nullptr, nullptr}),
                       "angular velocity of the frame: expected a function, found none", std::invalid_argument);
  CHECK_THROWS_WITH_AS((void)steady_rotation({NAN, 0, 0}),
                       "angular velocity of the frame: expected a finite number, found nan", std::invalid_argument);
  ForceSet bad;
  bad.add(std::make_unique<RotatingFrame>(FrameRotation{[](double t) { return Vector3d(0, 0, 1 / t); }, nullptr}),
          bodies);
  CHECK_THROWS_WITH_AS(bad.add_to(bodies),
                       "force 0 (rotating frame): angular velocity of the frame: expected a finite number, found inf",
                       std::invalid_argument);
  BodySet plane;
  plane.emplace<PlanarBody>(1.0, 1.0, Eigen::Vector2d(0, 0));
  ForceSet tilted;
  tilted.add(std::make_unique<RotatingFrame>(steady_rotation({1, 0, 2})), plane);
  CHECK_THROWS_WITH_AS(tilted.add_to(plane),
                       "force 0 (rotating frame): angular velocity of the frame: expected one along z for planar body "
                       "0, found (1, 0, 2)",
                       std::invalid_argument);
}
