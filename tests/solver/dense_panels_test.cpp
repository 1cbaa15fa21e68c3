// Kernels of dense blocks beside Eigen.

#include <doctest/doctest.h>
#include <Eigen/Dense>
#include <cmath>
#include <random>
#include <vector>

#include <locdyn/solver/newton/dense_panels.hpp>

using namespace locdyn::detail;

namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Rows random_block(int n, std::mt19937& random, double diagonal) {
  std::uniform_real_distribution<double> number(-1, 1);
  Rows block(n, n);
  for (double& value : block.reshaped()) value = number(random);
  block.diagonal().array() += diagonal;
  return block;
}

}  // namespace

TEST_CASE("dense panels: a block is inverted in its own place, and nothing behind it is touched") {
  std::mt19937 random(1);
  for (int n = 1; n <= 9; ++n) {
    for (const double diagonal : {0.0, 1.0, 10.0}) {
      for (int k = 0; k < 50; ++k) {
        CAPTURE(n);
        CAPTURE(diagonal);
        const Rows block = random_block(n, random, diagonal);
        std::vector<double> room(static_cast<std::size_t>(n * n) + 8, 7.0);
        Eigen::Map<Rows> inverse(room.data(), n, n);
        inverse = block;
        REQUIRE(invert(room.data(), n));
        const double condition = block.norm() * inverse.norm();
        CHECK((block * inverse - Rows::Identity(n, n)).norm() <= 1e-14 * condition * n);
        for (std::size_t behind = room.size() - 8; behind < room.size(); ++behind) CHECK(room[behind] == 7.0);
      }
    }
  }
}

TEST_CASE("dense panels: where a pivot is small beside its column, or none, rows change places") {
  std::mt19937 random(2);
  for (int k = 0; k < 6; ++k) {
    for (const double pivot : {0.0, 1e-14, 1e-3}) {
      CAPTURE(k);
      CAPTURE(pivot);
      Rows block = random_block(6, random, 3);
      // After the columns before it the pivot of column k is what is set here.
      if (k > 0) {
        const auto before = block.topLeftCorner(k, k);
        block(k, k) = pivot + (block.row(k).head(k) * before.inverse() * block.col(k).head(k)).value();
      } else {
        block(0, 0) = pivot;
      }
      Rows inverse = block;
      const bool exists = std::abs(block.determinant()) > 1e-9;
      REQUIRE((exists || k == 5));  // the last has no row to change places with
      if (!exists) continue;
      REQUIRE(invert(inverse.data(), 6));
      CHECK((block * inverse - Rows::Identity(6, 6)).norm() <= 1e-13 * block.norm() * inverse.norm());
    }
  }
}

TEST_CASE("dense panels: a block without an inverse, and one with what is no number, is refused") {
  for (const int n : {1, 3, 6, 8}) {
    CAPTURE(n);
    Rows zero = Rows::Zero(n, n);
    CHECK_FALSE(invert(zero.data(), n));
    std::mt19937 random(3);
    Rows block = random_block(n, random, 5);
    block(n - 1, 0) = std::nan("");
    CHECK_FALSE(invert(block.data(), n));
  }
}

TEST_CASE("dense panels: a panel's transpose times four columns, of any size") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int size = 1; size <= 8; ++size) {
    for (int width = 0; width <= 9; ++width) {
      CAPTURE(size);
      CAPTURE(width);
      Rows P(size, width), X(size, 4);
      for (double& value : P.reshaped()) value = number(random);
      for (double& value : X.reshaped()) value = number(random);
      std::vector<double> product(static_cast<std::size_t>(4 * width) + 4, 7.0);
      transposed_times_four(P.data(), size, width, X.data(), product.data());
      const Rows expected = P.transpose() * X;
      for (int c = 0; c < 4 * width; ++c) CHECK(std::abs(product[c] - expected.data()[c]) <= 1e-15 * size);
      for (std::size_t behind = product.size() - 4; behind < product.size(); ++behind) CHECK(product[behind] == 7.0);
    }
  }
}
