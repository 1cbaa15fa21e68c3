#include <doctest/doctest.h>
#include <algorithm>

#include <Eigen/LU>
#include <cmath>
#include <stdexcept>

#include <bodies/random_bodies.hpp>

using namespace locdyn;
using locdyn::testing::Random;

namespace {

const Eigen::Matrix3d kIdentity = Eigen::Matrix3d::Identity();

void half_step(Body& body, double h) {
  body.advance(h / 2);
  body.predict(h, Eigen::Vector3d::Zero());
  body.receive_impulse(Eigen::VectorXd::Zero(body.freedoms()));
  body.advance(h / 2);
}

// The largest |F − I| over the steps, or up to where it passes 1e-3.
double largest_strain(PseudoRigidBody& body, double h, int steps) {
  double largest = 0;
  for (int i = 0; i < steps && largest < 1e-3; ++i) {
    half_step(body, h);
    largest = std::max(largest, (body.deformation() - kIdentity).norm());
  }
  return largest;
}

// Vibrates along x: Ḟ_xx = 1e-6 at F = I.
PseudoRigidBody stretched_along_x(double nu) {
  PseudoRigidBody body(1, 0.1 * kIdentity, {100, nu}, 2, Eigen::Vector3d::Zero());
  Eigen::VectorXd u = Eigen::VectorXd::Zero(12);
  u[0] = 1e-6;
  body.set_velocity(u);
  return body;
}

}  // namespace

TEST_CASE("the stress is the derivative of the energy, and the change of stress its second") {
  Random random(11);
  const ElasticMaterial material{7, 0.31};
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::Matrix3d F = random.deformation();
    const Eigen::Matrix3d dF = Eigen::Matrix3d::NullaryExpr([&] { return random.normal(); });
    const double d = 1e-5;  // central differences: d² against ε/d
    const double slope =
        (strain_energy_density(material, F + d * dF) - strain_energy_density(material, F - d * dF)) / (2 * d);
    CHECK(slope == doctest::Approx(stress(material, F).cwiseProduct(dF).sum()).epsilon(1e-7));
    const Eigen::Matrix3d change = (stress(material, F + d * dF) - stress(material, F - d * dF)) / (2 * d);
    CHECK((change - stress_change(material, F, dF)).norm() < 1e-6 * change.norm());
  }
}

TEST_CASE("turning costs no energy, small strain is Hooke's law") {
  Random random(12);
  const ElasticMaterial material{7, 0.31};
  const Eigen::Matrix3d Q = random.rotation();
  const Eigen::Matrix3d F = random.deformation();
  CHECK(stress(material, Q).norm() < 1e-14 * material.E);
  CHECK(strain_energy_density(material, Q * F) == doctest::Approx(strain_energy_density(material, F)).epsilon(1e-13));
  // Uniaxial stress: strain ε along x, −ν ε across.
  const double e = 1e-7;
  const Eigen::Matrix3d P =
      stress(material, kIdentity + e * Eigen::Matrix3d(Eigen::Vector3d(1, -0.31, -0.31).asDiagonal()));
  CHECK(P(0, 0) == doctest::Approx(7 * e).epsilon(1e-6));
  CHECK(std::abs(P(1, 1)) < 1e-6 * P(0, 0));
}

TEST_CASE("a body stretched along x without cross-contraction vibrates at ω² = V E / 𝓔_xx") {
  PseudoRigidBody body = stretched_along_x(0);
  const double omega = std::sqrt(2 * 100 / 0.1);
  const double h = 1e-4;
  const int steps = 500;
  for (int i = 0; i < steps; ++i) half_step(body, h);
  // Amplitude u/ω; the scheme's phase error is (ωh)²/24 of the phase: 2e-6 of 2.2 rad.
  const double expected = 1e-6 / omega * std::sin(omega * h * steps);
  CHECK(std::abs(body.deformation()(0, 0) - 1 - expected) < 1e-5 * 1e-6 / omega);
}

TEST_CASE("the stable step bounds the half-step scheme from both sides") {
  for (const double nu : {0.0, 0.3, -0.4}) {
    CAPTURE(nu);
    PseudoRigidBody calm = stretched_along_x(nu);
    const double bound = calm.stable_step();
    // Isotropic 𝓔 = 0.1 I: the fastest mode swells, 3K = E/(1 − 2ν), or shears, 2G = E/(1 + ν).
    const double stiffest = 100 * std::max(1 / (1 - 2 * nu), 1 / (1 + nu));
    CHECK(bound == doctest::Approx(2 / std::sqrt(2 * stiffest / 0.1)).epsilon(1e-12));
    CHECK(largest_strain(calm, 0.99 * bound, 3000) < 1e-6);
    PseudoRigidBody wild = stretched_along_x(nu);
    CHECK(largest_strain(wild, 1.02 * bound, 60) > 1e-6);
  }
}

TEST_CASE("a free pseudo-rigid body keeps angular momentum to rounding and energy to second order") {
  Random random(13);
  const Eigen::Matrix3d euler = random.euler_tensor();
  const auto run = [&](double h, int steps) {
    PseudoRigidBody body(2, euler, {10, 0.3}, 1, Eigen::Vector3d::Zero());
    Random velocity(14);
    body.set_velocity(0.3 * velocity.velocity(12));
    const auto momentum = [&] {
      // The axis of 2 skew(Ḟ 𝓔 Fᵀ).
      Eigen::Matrix3d rate;
      for (int row = 0; row < 3; ++row) rate.row(row) = body.velocity().segment<3>(3 * row).transpose();
      const Eigen::Matrix3d L = rate * euler * body.deformation().transpose();
      return Eigen::Vector3d(L(2, 1) - L(1, 2), L(0, 2) - L(2, 0), L(1, 0) - L(0, 1));
    };
    const Eigen::Vector3d L = momentum();
    const double E = body.kinetic_energy() + body.potential_energy(Eigen::Vector3d::Zero());
    double drift = 0;
    for (int i = 0; i < steps; ++i) {
      half_step(body, h);
      drift = std::max(drift, std::abs(body.kinetic_energy() + body.potential_energy(Eigen::Vector3d::Zero()) - E));
    }
    CHECK((momentum() - L).norm() < 1e-13 * L.norm());
    return drift / E;
  };
  const double coarse = run(0.02, 500);
  const double fine = run(0.01, 1000);
  CAPTURE(coarse);
  CHECK(coarse < 1e-2);
  CHECK(coarse / fine == doctest::Approx(4).epsilon(0.05));
}

TEST_CASE("a body turned inside out is an error that names the determinant") {
  PseudoRigidBody body(1, kIdentity, {1, 0.3}, 1, Eigen::Vector3d::Zero());
  Eigen::VectorXd u = Eigen::VectorXd::Zero(12);
  u[0] = -3;
  body.set_velocity(u);
  body.advance(1);
  CHECK_THROWS_WITH_AS(body.predict(0.1, Eigen::Vector3d::Zero()),
                       "deformation gradient: expected a determinant > 0, found -2: the step is too large for the load",
                       std::runtime_error);
}

TEST_CASE("bad input of a pseudo-rigid body is refused") {
  const Eigen::Vector3d origin = Eigen::Vector3d::Zero();
  const ElasticMaterial rubber{1, 0.4};
  CHECK_THROWS_AS(PseudoRigidBody(-1, kIdentity, rubber, 1, origin), std::invalid_argument);
  CHECK_THROWS_AS(PseudoRigidBody(1, -kIdentity, rubber, 1, origin), std::invalid_argument);
  CHECK_THROWS_AS(PseudoRigidBody(1, kIdentity, rubber, 0, origin), std::invalid_argument);
  CHECK_THROWS_WITH_AS(PseudoRigidBody(1, kIdentity, {1, 0.5}, 1, origin),
                       "Poisson's ratio: expected -1 < nu < 0.5, found 0.5", std::invalid_argument);
  CHECK_THROWS_AS(PseudoRigidBody(1, kIdentity, {1, -1}, 1, origin), std::invalid_argument);
  CHECK_THROWS_AS(PseudoRigidBody(1, kIdentity, {1, NAN}, 1, origin), std::invalid_argument);
  CHECK_THROWS_AS(PseudoRigidBody(1, kIdentity, {0, 0.3}, 1, origin), std::invalid_argument);
  CHECK_THROWS_WITH_AS(PseudoRigidBody(1, kIdentity, rubber, 1, origin, -kIdentity),
                       "determinant of the deformation gradient: expected a finite number > 0, found -1",
                       std::invalid_argument);
}
