#include <doctest/doctest.h>
#include <Eigen/Dense>
#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include <locdyn/solver/newton/block_lu.hpp>

using namespace locdyn;
using namespace locdyn::detail;

namespace {

// A random symmetric pattern of groups, unsymmetric values, and the same matrix dense.
struct RandomBlocks {
  std::vector<int> size, start{0}, neighbours, first{0};
  BlockLu lu{{}, start, {}};
  Eigen::MatrixXd dense;

  RandomBlocks(std::vector<int> sizes, unsigned seed, double dominance) : size(std::move(sizes)) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    const auto n = static_cast<int>(size.size());
    std::vector<std::set<int>> pattern(n);
    for (int g = 0; g < n; ++g) {
      pattern[g].insert(g);
      for (int k = 0; k < 2; ++k) {
        const int other = static_cast<int>(random() % static_cast<unsigned>(n));
        pattern[g].insert(other);
        pattern[other].insert(g);
      }
      first.push_back(first.back() + size[g]);
    }
    for (const auto& row : pattern) {
      neighbours.insert(neighbours.end(), row.begin(), row.end());
      start.push_back(static_cast<int>(neighbours.size()));
    }
    lu = BlockLu(size, start, neighbours);
    dense.setZero(first.back(), first.back());
    for (int g = 0; g < n; ++g) {
      for (const int other : pattern[g]) {
        for (int i = 0; i < size[g]; ++i) {
          for (int j = 0; j < size[other]; ++j) {
            dense(first[g] + i, first[other] + j) = number(random) + (g == other && i == j ? dominance : 0);
          }
        }
      }
    }
    fill();
  }

  void fill() {
    lu.clear();
    for (std::size_t g = 0; g < size.size(); ++g) {
      for (int at = start[g]; at < start[g + 1]; ++at) {
        const int other = neighbours[at];
        const BlockLu::Block block = lu.block(static_cast<int>(g), other);
        for (int i = 0; i < size[g]; ++i) {
          for (int j = 0; j < size[other]; ++j) {
            block.values[block.transposed ? j * block.stride + i : i * block.stride + j] +=
                dense(first[g] + i, first[other] + j);
          }
        }
      }
    }
  }
};

}  // namespace

TEST_CASE("block LU: solves unsymmetric systems of blocks of any size as a dense LU does") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::vector<int> sizes(3 + seed);
    for (int& size : sizes) size = seed % 3 == 0 ? 6 : 1 + static_cast<int>(random() % 12);
    RandomBlocks problem(sizes, seed, 8);
    REQUIRE(problem.lu.unknowns() == static_cast<std::size_t>(problem.dense.rows()));
    const Eigen::VectorXd exact = Eigen::VectorXd::LinSpaced(problem.dense.rows(), -1, 2);
    const Eigen::VectorXd b = problem.dense * exact;
    Eigen::VectorXd x(b.size());
    REQUIRE(problem.lu.factorise());
    REQUIRE(problem.lu.solve({b.data(), problem.lu.unknowns()}, {x.data(), problem.lu.unknowns()}));
    CHECK((x - exact).norm() <= 1e-12 * exact.norm());
    CHECK(problem.lu.flops() > 0);

    // Cleared and filled with other numbers it starts afresh, and the bits repeat.
    problem.dense *= 0.5;
    problem.dense.diagonal().array() += 1;
    problem.fill();
    const Eigen::VectorXd other = problem.dense * exact;
    REQUIRE(problem.lu.factorise());
    REQUIRE(problem.lu.solve({other.data(), problem.lu.unknowns()}, {x.data(), problem.lu.unknowns()}));
    CHECK((x - exact).norm() <= 1e-12 * exact.norm());
    Eigen::VectorXd again(b.size());
    REQUIRE(problem.lu.solve({other.data(), problem.lu.unknowns()}, {again.data(), problem.lu.unknowns()}));
    CHECK(again == x);
  }
}

TEST_CASE("block LU: what lies between few columns and few rows comes from halves of solves") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::vector<int> sizes(4 + seed);
    for (int& size : sizes) size = seed % 3 == 0 ? 6 : 1 + static_cast<int>(random() % 8);
    RandomBlocks problem(sizes, seed, 8);
    const auto n = problem.dense.rows();
    // Of two groups, or of one twice.
    struct Part {
      std::vector<double> values;
      std::vector<BlockLu::Columns> columns;
      Eigen::MatrixXd dense;
    };
    const auto random_part = [&](std::vector<int> groups) {
      Part part{.values = {}, .columns = {}, .dense = Eigen::MatrixXd::Zero(n, 3)};
      std::uniform_real_distribution<double> number(-1, 1);
      part.values.resize(3 * 8 * groups.size());
      for (double& value : part.values) value = number(random);
      for (std::size_t k = 0; k < groups.size(); ++k) {
        const double* own = part.values.data() + 24 * k;
        part.columns.push_back({groups[k], own});
        for (int c = 0; c < 3; ++c) {
          for (int i = 0; i < sizes[groups[k]]; ++i) {
            part.dense(problem.first[groups[k]] + i, c) += own[c * sizes[groups[k]] + i];
          }
        }
      }
      return part;
    };
    const auto last = static_cast<int>(sizes.size()) - 1;
    const Part B = random_part({0, last}), C = random_part({last / 2, last / 2});
    REQUIRE(problem.lu.factorise());
    BlockLu::Half of_B, of_C, of_other;
    problem.lu.halve(B.columns, of_B);
    problem.lu.halve_transposed(C.columns, of_C);
    const Eigen::MatrixXd solved = problem.dense.partialPivLu().solve(B.dense);
    CHECK((problem.lu.join(of_C, of_B) - C.dense.transpose() * solved).norm() <= 1e-12 * solved.norm());

    Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
    const Eigen::Vector3d q(1, -2, 3), p(-0.5, 0, 2);
    problem.lu.halve(C.columns, of_other);
    problem.lu.add_half(of_B, q, {x.data(), problem.lu.unknowns()});
    problem.lu.add_half(of_other, p, {x.data(), problem.lu.unknowns()});
    problem.lu.complete({x.data(), problem.lu.unknowns()});
    const Eigen::VectorXd exact = problem.dense.partialPivLu().solve(B.dense * q + C.dense * p);
    CHECK((x - exact).norm() <= 1e-12 * exact.norm());
    // Nothing is left behind: the same again, bit by bit.
    BlockLu::Half again;
    problem.lu.halve(B.columns, again);
    CHECK(again.pivots == of_B.pivots);
    CHECK(again.values == of_B.values);
  }
}

TEST_CASE("block LU: the sign of the determinant is that of a dense LU, both of them met") {
  int negative = 0, tried = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    std::vector<int> sizes(3 + seed % 5);
    for (std::size_t g = 0; g < sizes.size(); ++g) sizes[g] = g % 2 == 0 ? 6 : 1 + static_cast<int>(seed % 4);
    RandomBlocks problem(sizes, seed, 0.5);
    const Eigen::VectorXd b = Eigen::VectorXd::Ones(problem.dense.rows());
    Eigen::VectorXd x(b.size());
    if (!problem.lu.factorise()) continue;
    if (!problem.lu.solve({b.data(), problem.lu.unknowns()}, {x.data(), problem.lu.unknowns()})) continue;
    ++tried;
    const bool below = problem.dense.determinant() < 0;
    negative += below;
    CHECK(problem.lu.determinant_sign() == (below ? -1 : 1));
  }
  for (const double scale : {1e9, -1e9}) {  // whose determinant is beyond the range of numbers
    RandomBlocks large({51, 6}, 1, 0);
    large.dense = scale * Eigen::MatrixXd::Identity(57, 57);
    large.fill();
    REQUIRE(large.lu.factorise());
    CHECK(large.lu.determinant_sign() == (scale < 0 ? -1 : 1));
  }
  CHECK(tried >= 20);
  CHECK(negative >= 5);
  CHECK(tried - negative >= 5);
}

TEST_CASE("block LU: says so where a diagonal block is singular, or pivots between blocks are missing") {
  const std::vector<int> size = {2, 2}, start = {0, 2, 4}, neighbours = {0, 1, 0, 1};
  BlockLu lu(size, start, neighbours);
  CHECK_FALSE(lu.factorise());  // all zero

  const auto set = [&](int g, int h, double a, double b) {
    const BlockLu::Block block = lu.block(g, h);
    block.values[0] = a;
    block.values[block.stride + 1] = b;
  };
  // Regular, but its first pivot is rounding.
  set(0, 0, 1e-18, 1e-18);
  set(0, 1, 1, 1);
  set(1, 0, 1, 1);
  set(1, 1, 1, 1);
  const std::vector<double> b = {1, 2, 3, 5};
  std::vector<double> x(4);
  CHECK((!lu.factorise() || !lu.solve(b, x)));
}

TEST_CASE("block LU: groups that the pattern does not couple are refused by number") {
  const std::vector<int> size = {1, 1, 1}, start = {0, 1, 3, 5}, neighbours = {0, 1, 2, 1, 2};
  BlockLu lu(size, start, neighbours);
  CHECK_NOTHROW((void)lu.block(1, 2));
  CHECK_THROWS_WITH_AS((void)lu.block(0, 2), "block LU: expected two groups that the pattern couples, found 0 and 2",
                       std::invalid_argument);
}

TEST_CASE("block LU: no groups, and groups that stand alone") {
  BlockLu none({}, std::vector<int>{0}, {});
  CHECK(none.unknowns() == 0);
  CHECK(none.factorise());
  CHECK(none.solve({}, {}));

  const std::vector<int> size = {3, 2}, start = {0, 1, 2}, neighbours = {0, 1};
  BlockLu lu(size, start, neighbours);
  for (int g = 0; g < 2; ++g) {
    const BlockLu::Block block = lu.block(g, g);
    for (int i = 0; i < size[g]; ++i) block.values[i * block.stride + i] = 2;
  }
  REQUIRE(lu.factorise());
  const std::vector<double> b = {2, 4, 6, 8, 10};
  std::vector<double> x(5);
  REQUIRE(lu.solve(b, x));
  CHECK(x == std::vector<double>{1, 2, 3, 4, 5});
}
