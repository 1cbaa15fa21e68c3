#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <locdyn/solver/local/elliptic_block.hpp>

#include "random_contacts.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using testing::RandomContacts;

namespace {

// The judge, in the axes of the contact: ‖R − P_K(R − ρ Û)‖ / ρ.
double judged_elliptic(const EllipticLaw& law, const Eigen::Matrix3d& W, const Eigen::Vector3d& b,
                       const Eigen::Vector3d& R) {
  const std::array<Eigen::Vector3d, 1> U = {W * R + b}, F = {R};
  std::array<Eigen::Vector3d, 1> U_hat, z;
  law.dual_velocity(U, F, U_hat);
  const double rho = 3 / W.trace();
  z[0] = R - rho * U_hat[0];
  law.project(z);
  return (R - z[0]).norm() / rho;
}

}  // namespace

TEST_CASE("a contact with elliptic friction is solved to rounding") {
  RandomContacts random(41);
  for (int trial = 0; trial < 20000; ++trial) {
    const Eigen::Matrix3d W = random.body(random.log_uniform(1e-3, 1e3));
    EllipticLaw law{.friction = {random.log_uniform(1e-2, 2), random.log_uniform(1e-2, 2)}};
    if (trial % 10 == 0) law.friction[trial % 20 == 0 ? 0 : 1] = 0;
    if (trial % 100 == 1) law.friction.setZero();
    const Eigen::Vector3d b = random.vector() - Eigen::Vector3d(0, 0, 0.3);
    const Eigen::Vector3d warm = trial % 2 == 0 ? Eigen::Vector3d(Eigen::Vector3d::Zero()) : random.vector();
    const Eigen::Vector3d R = EllipticBlock(law, W).solve(b, warm);
    CAPTURE(trial);
    CAPTURE(law.friction.transpose());
    CHECK(R.allFinite());
    const double ratio = law.friction.minCoeff() > 0 ? law.friction.maxCoeff() / law.friction.minCoeff() : 1;
    const double bound = ratio * (2e-12 * b.norm() + 16 * std::numeric_limits<double>::epsilon() * W.norm() * R.norm());
    CHECK(judged_elliptic(law, W, b, R) <= bound);
  }
}

TEST_CASE("with equal coefficients the elliptic law gives Coulomb's reaction") {
  RandomContacts random(42);
  for (int trial = 0; trial < 1000; ++trial) {
    const Eigen::Matrix3d W = random.body(1);
    const double mu = random.log_uniform(1e-2, 2);
    const Eigen::Vector3d b = random.vector();
    const Eigen::Vector3d R = EllipticBlock({.friction = {mu, mu}}, W).solve(b, Eigen::Vector3d::Zero());
    CHECK(R == ContactBlock(W, mu).solve(b, Eigen::Vector3d::Zero()).R);
  }
}

TEST_CASE("an elliptic contact that slides obeys maximal dissipation, not the direction of its velocity") {
  // A unit mass pushed along (1, 1) with μ = (0.2, 0.4): R_i = −μ_i² R_n U_i / √(μ_1² U_1² + μ_2² U_2²).
  const EllipticLaw law{.friction = {0.2, 0.4}};
  const Eigen::Vector3d b(10, 10, -1);
  const Eigen::Vector3d R = EllipticBlock(law, Eigen::Matrix3d::Identity()).solve(b, Eigen::Vector3d::Zero());
  const Eigen::Vector3d U = R + b;
  const double slip = std::hypot(0.2 * U[0], 0.4 * U[1]);
  CHECK(R[2] == doctest::Approx(1).epsilon(1e-12));
  CHECK(R[0] == doctest::Approx(-0.04 * U[0] / slip).epsilon(1e-12));
  CHECK(R[1] == doctest::Approx(-0.16 * U[1] / slip).epsilon(1e-12));
  CHECK(R[1] / R[0] > 3.5);
}
