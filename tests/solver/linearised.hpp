#pragma once
// Every row of a graph linearised about random U and R: some pressed, some open, sliding and sticking.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/newton/newton_system.hpp>

namespace locdyn::test {
using namespace locdyn::detail;

struct Linearised {
  std::vector<NewtonRow> newton;  // by place in the arena, as all
  std::vector<Eigen::Vector3d> U, R;
  std::vector<LinearisedRow> rows;
  std::vector<Eigen::Vector3d> step;
  int pressed = 0, open = 0, moments = 0;

  /// `weight` is the proximal weight over tr W_αα.
  Linearised(const LocalDynamics& ldy, double weight, unsigned seed)
      : newton(newton_rows(ldy)), U(newton.size(), Eigen::Vector3d::Zero()), R(U), rows(newton.size()), step(U) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const auto vector = [&] { return Eigen::Vector3d(normal(random), normal(random), normal(random)); };
    std::vector<DiagonalBlock> at(ldy.diagonal_arena().begin(), ldy.diagonal_arena().end());
    for (const DiagonalBlock& row : ldy.rows()) {
      const std::size_t place = &row - ldy.diagonal_arena().data();
      U[place] = vector();
      R[place] = vector() / std::max(row.W.trace(), 1e-12);
      R[place][2] = std::abs(R[place][2]);
      clear_unused(newton[place].rows, U[place]);
      clear_unused(newton[place].rows, R[place]);
      LinearisedRow& linear = rows[place];
      at[place].U = U[place];
      at[place].R = R[place];
      linear.F = row_map(newton[place], FrictionMap::alart_curnier, 1, at[place], linear.pressed, &linear.d);
      linear.follows = newton[place].follows();
      moments += newton[place].moment && linear.pressed ? 1 : 0;
      linear.weight = weight * row.W.trace();
      if (!linear.pressed) step[place] = -R[place];
      (linear.pressed ? pressed : open) += 1;
    }
  }
};

/// (W x)_α of every row, by place.
inline std::vector<Eigen::Vector3d> times_W(const LocalDynamics& ldy, const std::vector<Eigen::Vector3d>& x) {
  std::vector<Eigen::Vector3d> product(x.size(), Eigen::Vector3d::Zero());
  for (const DiagonalBlock& row : ldy.rows()) {
    const std::size_t place = &row - ldy.diagonal_arena().data();
    product[place] = row.W * x[place];
    for (const OffDiagonalBlock& block : ldy.adjacent(row)) product[place] += block.W * x[block.other];
  }
  return product;
}

}  // namespace locdyn::test
