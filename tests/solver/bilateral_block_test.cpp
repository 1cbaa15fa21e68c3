// The solve of one bilateral constraint: full rank, least squares, unused rows, compliance.

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <locdyn/solver/local/bilateral_block.hpp>
#include <stdexcept>

#include "solver/random_contacts.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using testing::RandomContacts;

TEST_CASE("one block: (W + C) R = −b to rounding") {
  RandomContacts random(30);
  for (int i = 0; i < 1000; ++i) {
    CAPTURE(i);
    const Eigen::Matrix3d W = random.body(1) + random.body(random.log_uniform(1e-8, 1e8));
    BilateralLaw law;
    law.block[0].compliance = {0, 0.5, 2};
    const BilateralBlock block(law, W);
    const std::array<Eigen::Vector3d, 1> b{random.vector()};
    std::array<Eigen::Vector3d, 1> R;
    block.solve(b, R);
    CHECK(block.rank() == 3);
    const Eigen::Vector3d left = W * R[0] + law.block[0].compliance.cwiseProduct(R[0]) + b[0];
    CHECK(left.norm() <= 1e-12 * b[0].norm() + 8 * std::numeric_limits<double>::epsilon() * W.norm() * R[0].norm());
  }
}

TEST_CASE("two blocks with unused rows: those stay 0 and are not read") {
  RandomContacts random(31);
  BilateralLaw law;
  law.block_count = 2;
  law.block[1].rows = kRowsPlanar;
  Eigen::MatrixXd half(6, 6);
  for (int i = 0; i < 36; ++i) half.data()[i] = random.uniform(-1, 1);
  Eigen::MatrixXd W = half * half.transpose() + Eigen::MatrixXd::Identity(6, 6);
  const Eigen::MatrixXd used = W;
  W.row(4).setConstant(std::numeric_limits<double>::quiet_NaN());
  W.col(4).setConstant(std::numeric_limits<double>::quiet_NaN());
  const BilateralBlock block(law, W);
  const std::array<Eigen::Vector3d, 2> b{random.vector(), random.vector()};
  std::array<Eigen::Vector3d, 2> R;
  block.solve(b, R);
  CHECK(block.rank() == 5);
  CHECK(R[1][1] == 0);
  Eigen::VectorXd x(6), load(6);
  x << R[0], R[1];
  load << b[0], b[1];
  const Eigen::VectorXd left = used * x + load;
  for (int i = 0; i < 6; ++i) {
    if (i != 4) CHECK(std::abs(left[i]) < 1e-13);
  }
}

TEST_CASE("a singular W gives the R of least norm among those of least residual") {
  // Rank one: W = v vᵀ, ‖v‖ = 3.
  const Eigen::Vector3d v(1, 2, 2);
  const BilateralBlock block(BilateralLaw{}, v * v.transpose());
  CHECK(block.rank() == 1);
  const std::array<Eigen::Vector3d, 1> b{Eigen::Vector3d(9, 0, 0)};
  std::array<Eigen::Vector3d, 1> R;
  block.solve(b, R);
  CHECK((R[0] + v / 9).norm() < 1e-14);  // −v (vᵀ b) / ‖v‖⁴

  const BilateralBlock none(BilateralLaw{}, Eigen::Matrix3d::Zero());
  none.solve(b, R);
  CHECK(R[0].norm() == 0);
}

TEST_CASE("W of the wrong size is refused") {
  CHECK_THROWS_AS(BilateralBlock(BilateralLaw{}, Eigen::MatrixXd::Identity(6, 6)), std::invalid_argument);
  CHECK_THROWS_AS(BilateralBlock(BilateralLaw{}, Eigen::MatrixXd::Identity(3, 2)), std::invalid_argument);
}
