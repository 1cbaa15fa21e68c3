// Rows with a proximal weight of their own.

#include <doctest/doctest.h>

#include <vector>

#include <locdyn/solver/newton/held_rows.hpp>

using locdyn::detail::HeldRows;

TEST_CASE("rows with a marked share are held, each time more, and forgotten bit by bit") {
  HeldRows rows(4);
  const std::vector<double> squares = {0.9, 0.06, 0.04, 0};
  CHECK(rows.hold(squares, 1.0) == 2);
  CHECK(rows.times(0) == 10);
  CHECK(rows.times(1) == 10);
  CHECK(rows.times(2) == 1);
  CHECK(rows.hold({squares.data(), 4}, 10.0) == 1);
  CHECK(rows.times(0) == 100);
  double before = rows.times(0);
  for (int centre = 0; centre < 60; ++centre) {
    rows.forget();
    CHECK(rows.times(0) <= before);
    CHECK(rows.times(0) >= 1);
    before = rows.times(0);
  }
  CHECK(rows.times(0) == 1);
  CHECK(rows.times(1) == 1);
}

TEST_CASE("no row is held where the residual is spread, or is none, and none for good") {
  HeldRows rows(100);
  const std::vector<double> even(100, 0.01), none(100, 0.0);
  CHECK(rows.hold(even, 1.0) == 0);
  CHECK(rows.hold(none, 0.0) == 0);
  const std::vector<double> one = [] {
    std::vector<double> squares(100, 0.0);
    squares[7] = 1;
    return squares;
  }();
  for (int k = 0; k < 400; ++k) CHECK(rows.hold(one, 1.0) == 1);
  CHECK(rows.times(7) <= 1e6);
  CHECK(rows.times(8) == 1);
}
