#include <doctest/doctest.h>
#include <cmath>
#include <stdexcept>
#include <string>

#include <bodies/random_bodies.hpp>

using namespace locdyn;
using locdyn::testing::one_of_each;
using locdyn::testing::Random;

namespace {

PointJacobian point_jacobian(const Body& body, const Eigen::Vector3d& x, const Eigen::Matrix3d& frame) {
  PointJacobian H = PointJacobian::Constant(3, body.freedoms(), NAN);
  body.point_jacobian(x, frame, H);
  return H;
}

PointJacobian spin_jacobian(const Body& body, const Eigen::Matrix3d& frame) {
  PointJacobian H = PointJacobian::Constant(3, body.freedoms(), NAN);
  body.spin_jacobian(frame, H);
  return H;
}

// (x(t + d) − x(t − d)) / 2d of the material point X.
Eigen::Vector3d central_difference(Body& body, const Eigen::Vector3d& X, double d) {
  body.advance(d);
  const Eigen::Vector3d after = body.to_space(X);
  body.advance(-2 * d);
  const Eigen::Vector3d before = body.to_space(X);
  body.advance(d);
  return (after - before) / (2 * d);
}

}  // namespace

TEST_CASE("H u is the time derivative of the point's position to second order, for each kind") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    for (const auto& body : one_of_each(random)) {
      CAPTURE(body->freedoms());
      const Eigen::Vector3d X = random.vector();
      const Eigen::Matrix3d frame = random.rotation();
      const Eigen::Vector3d v = frame * (point_jacobian(*body, body->to_space(X), frame) * body->velocity());
      CHECK((body->velocity_at(body->to_space(X)) - v).norm() < 1e-12);
      const double coarse = (central_difference(*body, X, 2e-3) - v).norm();
      const double fine = (central_difference(*body, X, 1e-3) - v).norm();
      // Third derivatives are of order one to a hundred: |u|³ |X|/6 d².
      CHECK(fine <= 3e-4);
      CHECK((coarse < 1e-10 || std::abs(coarse / fine - 4) < 0.01));  // kinds that move straight have no error at all
    }
  }
}

TEST_CASE("the spin is the rotation part of the velocity field") {
  Random random(3);
  for (const auto& body : one_of_each(random)) {
    CAPTURE(body->freedoms());
    if (body->freedoms() == 3 && body->mass() == body->inertia()(2, 2)) {
      CHECK(spin_jacobian(*body, random.rotation()) == PointJacobian::Zero(3, 3));  // a particle
      CHECK(body->angular_velocity() == Eigen::Vector3d::Zero());
      continue;
    }
    // ω = ½ curl v, v linear in x: differences are exact.
    const Eigen::Matrix3d I = Eigen::Matrix3d::Identity();
    const Eigen::Vector3d x = random.vector();
    Eigen::Matrix3d L;
    for (int axis = 0; axis < 3; ++axis) {
      L.col(axis) = (point_jacobian(*body, x + I.col(axis), I) - point_jacobian(*body, x, I)) * body->velocity();
    }
    const Eigen::Vector3d curl(L(2, 1) - L(1, 2), L(0, 2) - L(2, 0), L(1, 0) - L(0, 1));
    const Eigen::Matrix3d frame = random.rotation();
    CHECK((frame * spin_jacobian(*body, frame) * body->velocity() - 0.5 * curl).norm() < 1e-13);
    CHECK((body->angular_velocity() - 0.5 * curl).norm() < 1e-13);
  }
}

TEST_CASE("body and space coordinates undo each other, and A⁻¹ undoes A") {
  Random random(4);
  for (const auto& body : one_of_each(random)) {
    const int n = body->freedoms();
    CAPTURE(n);
    const Eigen::Vector3d X = random.vector();
    CHECK((body->to_body(body->to_space(X)) - X).norm() < 1e-14);
    Eigen::MatrixXd product = body->inertia();
    body->apply_inverse_inertia(product);
    CHECK((product - Eigen::MatrixXd::Identity(n, n)).norm() < 1e-13);
    const Eigen::VectorXd u = body->velocity();
    CHECK(body->kinetic_energy() == doctest::Approx(0.5 * u.dot(body->inertia() * u)).epsilon(1e-14));
  }
}

TEST_CASE("a force and a torque act through Hᵀ, for each kind") {
  Random random(5);
  for (const auto& body : one_of_each(random)) {
    const int n = body->freedoms();
    CAPTURE(n);
    const bool turns = dynamic_cast<Particle*>(body.get()) == nullptr;
    const Eigen::Matrix3d frame = random.rotation();
    const Eigen::Vector3d x = random.vector();
    const Eigen::Vector3d force = random.vector();
    const Eigen::Vector3d torque = turns ? random.vector() : Eigen::Vector3d::Zero();
    const double h = 1e-7;  // the momentum equation of a rigid body differs from A⁻¹ h Hᵀ f by O(h²)

    body->predict(h, Eigen::Vector3d::Zero());
    const Eigen::VectorXd without = body->free_velocity();
    body->add_force(frame * force, x);
    if (turns) body->add_torque(frame * torque);
    body->predict(h, Eigen::Vector3d::Zero());
    const Eigen::VectorXd change = (body->free_velocity() - without) / h;
    Eigen::MatrixXd expected =
        point_jacobian(*body, x, frame).transpose() * force + spin_jacobian(*body, frame).transpose() * torque;
    body->apply_inverse_inertia(expected);
    CHECK((change - expected).norm() < 1e-5 * expected.norm());

    body->clear_forces();
    CHECK(body->added_force() == Eigen::VectorXd::Zero(n));
    body->predict(h, Eigen::Vector3d::Zero());
    CHECK(body->free_velocity() == without);
  }
}

TEST_CASE("a generalised force is Hᵀ times a force and a torque, for each kind") {
  Random random(7);
  for (const auto& body : one_of_each(random)) {
    const int n = body->freedoms();
    CAPTURE(n);
    const bool turns = dynamic_cast<Particle*>(body.get()) == nullptr;
    const Eigen::Matrix3d frame = random.rotation();
    const Eigen::Vector3d x = random.vector(), force = random.vector(), torque = random.vector();
    body->add_force(frame * force, x);
    Eigen::VectorXd Q = point_jacobian(*body, x, frame).transpose() * force;
    if (turns) {
      body->add_torque(frame * torque);
      Q += spin_jacobian(*body, frame).transpose() * torque;
    }
    CHECK((body->added_force() - Q).norm() < 1e-14 * Q.norm());
    body->predict(0.01, Eigen::Vector3d::Zero());
    const Eigen::VectorXd u = body->free_velocity();

    body->clear_forces();
    body->add_generalised_force(0.25 * Q);
    body->add_generalised_force(0.75 * Q);
    CHECK((body->added_force() - Q).norm() < 1e-14 * Q.norm());
    body->predict(0.01, Eigen::Vector3d::Zero());
    CHECK((body->free_velocity() - u).norm() < 1e-14 * u.norm());

    CHECK_THROWS_WITH_AS(
        body->add_generalised_force(random.velocity(n + 1)),
        ("generalised force: expected " + std::to_string(n) + " numbers, found " + std::to_string(n + 1)).c_str(),
        std::invalid_argument);
    Q[n - 1] = NAN;
    CHECK_THROWS_WITH_AS(body->add_generalised_force(Q), "generalised force: expected a finite number, found nan",
                         std::invalid_argument);
  }
}

TEST_CASE("receive_impulse adds A⁻¹ p to the free velocity") {
  Random random(6);
  for (const auto& body : one_of_each(random)) {
    const int n = body->freedoms();
    body->predict(0.01, {0, 0, -9.81});
    body->receive_impulse(Eigen::VectorXd::Zero(n));
    const Eigen::VectorXd free = body->velocity();
    body->set_velocity(random.velocity(n));
    body->receive_no_impulse();
    CHECK(body->velocity() == free);
    const Eigen::VectorXd p = random.velocity(n);
    body->receive_impulse(p);
    CHECK((body->inertia() * (body->velocity() - body->free_velocity()) - p).norm() < 1e-13 * p.norm());
    CHECK_THROWS_WITH_AS(
        body->receive_impulse(random.velocity(n + 1)),
        ("impulse: expected " + std::to_string(n) + " numbers, found " + std::to_string(n + 1)).c_str(),
        std::invalid_argument);
  }
}
