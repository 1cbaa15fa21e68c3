// Four rows at once give what each gives alone.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <variant>
#include <vector>

#include <locdyn/ldy/residual_terms.hpp>
#include <locdyn/solver/newton/plain_fours.hpp>

using namespace locdyn;
using namespace locdyn::detail;

namespace {

// Contacts with and without friction and σ, and every fifth row of another law; W, U and R at random, some R and U
// zero, some R outside the cone or without a normal part.
LocalDynamics mixed_rows(unsigned count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto vector = [&] { return Eigen::Vector3d(normal(random), normal(random), normal(random)); };
  LocalDynamics ldy;
  for (ConstraintId id{0}; id < count; ++id) {
    const std::array<Law, 5> others = {CompliantLaw{.friction = 0.4, .give = {0, 0, 0.1}},
                                       EllipticLaw{.friction = {0.2, 0.7}},
                                       RollingLaw{.friction = 0.4, .rolling = 0.3, .torsional = 0.2, .length = 1},
                                       BilateralLaw{}, ContactLaw{.friction = 0.5, .planar = true}};
    const double friction = uniform(random) < 0.2 ? 0 : 1.5 * uniform(random);
    const ContactLaw plain{
        .friction = friction,
        .shift = id % 2 == 0 ? Eigen::Vector3d(0.1 * vector()) : Eigen::Vector3d(Eigen::Vector3d::Zero())};
    id % 5 == 4 ? ldy.insert(others[id / 5 % others.size()]) : ldy.insert(plain);
    for (int block = 0; block < block_count(ldy.law(id)); ++block) {
      DiagonalBlock& row = ldy.row(id, block);
      Eigen::Matrix3d G;
      for (int k = 0; k < 3; ++k) G.col(k) = vector();
      row.W = G * G.transpose() + 0.1 * Eigen::Matrix3d::Identity();
      row.U = vector();
      row.R = vector() * std::exp(normal(random));
      if (uniform(random) < 0.6) row.R[2] = std::abs(row.R[2]);
      if (uniform(random) < 0.2) row.R.setZero();
      if (uniform(random) < 0.1) row.U.setZero();
      if (uniform(random) < 0.1) row.R[2] = 0;
    }
  }
  return ldy;
}

}  // namespace

TEST_CASE("plain fours: every row is in one of them or among the others, which are few") {
  for (const unsigned count : {0u, 1u, 4u, 5u, 6u, 203u}) {
    const LocalDynamics ldy = mixed_rows(count, count);
    const std::vector<NewtonRow> rows = newton_rows(ldy);
    const PlainFours fours(ldy, rows);
    std::vector<double> square(rows.size(), -1);
    fours.find_squares(FrictionMap::alart_curnier, 1, square);
    const std::set<Index> others(fours.others().begin(), fours.others().end());
    CHECK(others.size() == fours.others().size());
    std::size_t plain = 0;
    for (const DiagonalBlock& row : ldy.rows()) {
      const auto place = static_cast<Index>(&row - ldy.diagonal_arena().data());
      const ContactLaw* law = std::get_if<ContactLaw>(&ldy.law(row.constraint));
      plain += law != nullptr && !law->planar ? 1 : 0;
      CHECK((square[place] >= 0) == !others.contains(place));
    }
    CHECK(others.size() == ldy.row_count() - plain + plain % 4);
  }
}

TEST_CASE("plain fours: maps, derivatives and states are those of one row, bit for bit") {
  int seen[3] = {};  // open, holds, slides
  for (unsigned seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    const LocalDynamics ldy = mixed_rows(200, seed);
    const std::vector<NewtonRow> rows = newton_rows(ldy);
    const PlainFours fours(ldy, rows);
    const std::set<Index> others(fours.others().begin(), fours.others().end());
    const FrictionMap map = seed % 2 == 0 ? FrictionMap::alart_curnier : FrictionMap::jean_moreau;
    const double augmentation = seed % 3 == 0 ? 1 : 0.3 * (1 + seed);
    std::vector<double> square(rows.size());
    std::vector<LinearisedRow> linear(rows.size());
    fours.find_squares(map, augmentation, square);
    fours.linearise(map, augmentation, linear);
    for (const DiagonalBlock& row : ldy.rows()) {
      const auto place = static_cast<Index>(&row - ldy.diagonal_arena().data());
      CAPTURE(place);
      if (others.contains(place)) continue;
      LinearisedRow one;
      one.F = row_map(rows[place], map, augmentation, row, one.pressed, &one.d);
      CHECK(linear[place].F == one.F);
      CHECK(square[place] == one.F[0] * one.F[0] + (one.F[1] * one.F[1] + one.F[2] * one.F[2]));
      CHECK(linear[place].pressed == one.pressed);
      CHECK(linear[place].d.holds == one.d.holds);
      CHECK(linear[place].d.E == one.d.E);
      CHECK(linear[place].d.C == one.d.C);
      CHECK(!linear[place].follows);
      ++seen[one.pressed ? (one.d.holds ? 1 : 2) : 0];
    }
  }
  for (const int count : seen) CHECK(count > 500);
}

TEST_CASE("plain fours: their residual is the judge's, as far as it is asked for") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    LocalDynamics ldy = mixed_rows(200, seed);
    const PlainFours fours(ldy, newton_rows(ldy));
    const std::set<Index> others(fours.others().begin(), fours.others().end());
    double sum = 0;
    for (ConstraintId id{0}; id < 200; ++id) {
      const auto place = static_cast<Index>(&ldy.row(id) - ldy.diagonal_arena().data());
      if (!others.contains(place)) sum += residual_terms(ldy, id).scaled2;
    }
    CHECK(sum > 0);
    CHECK(std::abs(fours.residual_square(std::numeric_limits<double>::infinity()) - sum) <= 1e-13 * sum);
    const double some = fours.residual_square(0.01 * sum);
    CHECK(some > 0.01 * sum);
    CHECK(some < 0.9 * sum);
  }
}
