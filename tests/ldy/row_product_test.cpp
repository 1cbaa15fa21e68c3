// Every kernel of the row product against the plain loop, on graphs packed and not.

#include <doctest/doctest.h>
#include <cmath>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include <locdyn/ldy/row_product.hpp>

#include "ldy/random_graph.hpp"

using namespace locdyn;
using namespace locdyn::detail;

namespace {

void check_all_rows(const LocalDynamics& ldy) {
  const auto diagonal = ldy.diagonal_arena();
  const auto off_diagonal = ldy.off_diagonal_arena();
  for (const RowProductVariant& variant : row_product_variants()) {
    CAPTURE(variant.name);
    double worst = 0;
    for (const DiagonalBlock& row : ldy.rows()) {
      Eigen::Vector3d expected = Eigen::Vector3d::Zero(), size = expected;
      for (const OffDiagonalBlock& block : ldy.adjacent(row)) {
        expected += block.W * diagonal[block.other].R;
        size += block.W.cwiseAbs() * diagonal[block.other].R.cwiseAbs();
      }
      Eigen::Vector3d product = Eigen::Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
      variant.kernel(diagonal.data(), off_diagonal.data(), row.first, product.data());
      for (int i = 0; i < 3; ++i) {
        // Two orders of one sum differ by at most about its length in roundings of its absolute terms.
        const double bound = 1e-14 * size[i];
        if (!(std::abs(product[i] - expected[i]) <= bound)) worst = std::numeric_limits<double>::infinity();
      }
      if (&variant == &row_product_variants().back()) {
        CHECK(off_diagonal_product(ldy, row) == product);
        CHECK(row_product(ldy, row) == row.W * row.R + product);
      }
    }
    CHECK(worst == 0.0);
  }
}

}  // namespace

TEST_CASE("every kernel gives the plain loop's product, scattered and packed") {
  MESSAGE("kernel in use: " << std::string(row_product_variants().back().name));
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const int degree = static_cast<int>(seed) % 5 * 8;  // from no neighbour at all to long lists
    LocalDynamics ldy = test::random_graph(random, ConstraintId{120}, degree);
    for (DiagonalBlock& row : ldy.rows()) {  // what a product may not read
      row.U.setConstant(std::numeric_limits<double>::quiet_NaN());
      row.B.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
    check_all_rows(ldy);
    ldy.pack(SweepOrder::by_bandwidth);
    check_all_rows(ldy);
    // Packed with holes: some lists jump, some rows end beside a free place.
    for (unsigned id = 0; id < 120; id += 7) ldy.remove(ConstraintId{id});
    for (unsigned id = 1; id < 120; id += 7) ldy.couple(ConstraintId{id}, ConstraintId{id + 1});
    check_all_rows(ldy);
  }
}

TEST_CASE("lists of every short length, at the very end of the arena") {
  for (ConstraintId length{0}; length <= 9; ++length) {
    CAPTURE(length);
    std::mt19937 random(length);
    LocalDynamics ldy;
    for (ConstraintId id{0}; id <= length; ++id) ldy.insert(ContactLaw{});
    for (ConstraintId id{1}; id <= length; ++id) ldy.couple(ConstraintId{0}, id);
    test::fill_symmetric(ldy, random);
    std::vector<ConstraintId> sequence;
    for (unsigned id = length + 1; id-- > 0;) sequence.emplace_back(id);  // the long row last
    ldy.pack(sequence);
    check_all_rows(ldy);
  }
}

TEST_CASE("a NaN or infinity in one block shows in its own row of the product alone") {
  LocalDynamics ldy;
  for (int k = 0; k < 4; ++k) ldy.insert(ContactLaw{});
  for (ConstraintId id{1}; id < 4; ++id) ldy.couple(ConstraintId{0}, id);
  std::mt19937 random(1);
  test::fill_symmetric(ldy, random);
  ldy.pack(SweepOrder::by_id);
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      const double before = ldy.find(ConstraintId{0}, 0, ConstraintId{2}, 0)->W(row, column);
      ldy.find(ConstraintId{0}, 0, ConstraintId{2}, 0)->W(row, column) = std::numeric_limits<double>::infinity();
      for (const RowProductVariant& variant : row_product_variants()) {
        Eigen::Vector3d product;
        variant.kernel(ldy.diagonal_arena().data(), ldy.off_diagonal_arena().data(), ldy.row(ConstraintId{0}).first,
                       product.data());
        for (int i = 0; i < 3; ++i) CHECK(std::isfinite(product[i]) == (i != row));
      }
      ldy.find(ConstraintId{0}, 0, ConstraintId{2}, 0)->W(row, column) = before;
    }
  }
}
