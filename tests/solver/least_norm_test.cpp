// The least-norm solution: a case by hand, and the four identities of Moore and Penrose at every rank.

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <algorithm>
#include <random>
#include <utility>

#include <locdyn/solver/least_norm.hpp>

using namespace locdyn;
using namespace locdyn::detail;

TEST_CASE("the least-norm solution of two equal rows shares what they ask for") {
  // x + y = 1 and x + y = 3: the best is x + y = 2, and of those the smallest is (1, 1).
  const LeastNorm twice(Eigen::Matrix2d::Ones(), 1e-12);
  CHECK(twice.rank() == 1);
  CHECK((twice.solve(Eigen::Vector2d(1, 3)) - Eigen::Vector2d(1, 1)).norm() < 1e-15);
}

TEST_CASE("the pseudo-inverse meets Moore's and Penrose's identities at every rank, and Q spans the range") {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const auto drawn = [&](Eigen::Index rows, Eigen::Index columns) {
    Eigen::MatrixXd A(rows, columns);
    for (double& entry : A.reshaped()) entry = normal(random);
    return A;
  };
  for (const auto& shape : {std::pair<Eigen::Index, Eigen::Index>{6, 6}, {7, 4}, {3, 8}}) {
    const Eigen::Index rows = shape.first, columns = shape.second;
    for (Eigen::Index rank = 1; rank <= std::min(rows, columns); ++rank) {
      INFO(rows, " x ", columns, " of rank ", rank);
      const Eigen::MatrixXd A = drawn(rows, rank) * drawn(rank, columns), b = drawn(rows, 2);
      const LeastNorm factor(A, 1e-10);
      REQUIRE(factor.rank() == rank);
      const Eigen::MatrixXd inverse = factor.pseudo_inverse(), Q = factor.orthogonal();
      const double size = 1e-11 * A.norm() * inverse.norm();  // of rounding, times the condition
      CHECK((A * inverse * A - A).norm() < size * A.norm());
      CHECK((inverse * A * inverse - inverse).norm() < size * inverse.norm());
      CHECK((A * inverse - (A * inverse).transpose()).norm() < size);
      CHECK((inverse * A - (inverse * A).transpose()).norm() < size);
      CHECK((factor.solve(b) - inverse * b).norm() < size * inverse.norm() * b.norm());
      CHECK((Q.transpose() * Q - Eigen::MatrixXd::Identity(rows, rows)).norm() < 1e-13);
      CHECK((Q.rightCols(rows - rank).transpose() * A).norm() < 1e-13 * A.norm());
    }
  }
}
