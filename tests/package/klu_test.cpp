// The sparse LU as it is without the GPL parts of SuiteSparse: this program compiles it anew, and it goes before the
// library's own.

#include <doctest/doctest.h>

#include <array>

#include <locdyn/solver/newton/newton.hpp>
#include <locdyn/solver/newton/sparse_lu.hpp>

using namespace locdyn;
using namespace locdyn::detail;

TEST_CASE("KLU solves an unsymmetric system and refuses a singular one") {
  // A = [2 1 0; 0 3 1; 4 0 5], x = (1, 2, 3).
  SparseRows A{.start = {0, 2, 4, 6}, .column = {0, 1, 1, 2, 0, 2}, .value = {2, 1, 3, 1, 4, 5}};
  const std::array<double, 3> b = {4, 9, 19};
  std::array<double, 3> x{};
  SparseLu lu;
  REQUIRE(lu.factorise(A));
  REQUIRE(lu.solve(A, b, x));
  for (int i = 0; i < 3; ++i) CHECK(x[i] == doctest::Approx(i + 1).epsilon(1e-15));

  CHECK(lu.determinant_sign() == 1);
  for (double& value : A.value) value = -value;
  REQUIRE(lu.factorise(A));
  CHECK(lu.determinant_sign() == -1);

  A.value = {2, 1, 0, 0, 4, 2};  // the second row vanishes
  CHECK_FALSE(lu.factorise(A));
}

TEST_CASE("Newton on KLU solves a stack of two") {
  // Masses 1 and 2 kg, the upper one pushed by 5 N: both stick, (−5, 0, 3 g) and (−5, 0, 2 g).
  LocalDynamics ldy;
  const auto alpha = ldy.insert(ContactLaw{.friction = 0.6}), beta = ldy.insert(ContactLaw{.friction = 0.6});
  ldy.couple(alpha, beta);
  ldy.row(alpha).W = Eigen::Matrix3d::Identity();
  ldy.row(beta).W = 1.5 * Eigen::Matrix3d::Identity();
  ldy.find(alpha, 0, beta, 0)->W = ldy.find(beta, 0, alpha, 0)->W = -Eigen::Matrix3d::Identity();
  ldy.row(alpha).B = {0, 0, -9.81};
  ldy.row(beta).B = {2.5, 0, 0};
  const SolveReport report = solve_newton(ldy, {.stop = {.tolerance = 1e-12}, .first_sweeps = 0});
  CHECK(report.status == SolveStatus::converged);
  CHECK(report.factorisation_flops > 0);
  CHECK((ldy.row(alpha).R - Eigen::Vector3d(-5, 0, 29.43)).norm() < 1e-10);
  CHECK((ldy.row(beta).R - Eigen::Vector3d(-5, 0, 19.62)).norm() < 1e-10);
}
