#pragma once
// An iterate of the whole graph, set aside and put back.

#include <vector>

#include <Eigen/Core>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

/// R and U of all rows, in the graph's order. U, too: sweeps look by it where the residual is.
struct Iterate {
  std::vector<Eigen::Vector3d> R, U;
};

[[nodiscard]] inline Iterate iterate_of(const LocalDynamics& ldy) {
  Iterate iterate;
  iterate.R.reserve(ldy.row_count());
  iterate.U.reserve(ldy.row_count());
  for (const DiagonalBlock& row : ldy.rows()) {
    iterate.R.push_back(row.R);
    iterate.U.push_back(row.U);
  }
  return iterate;
}

/// That of the same rows.
inline void put_back(const Iterate& iterate, LocalDynamics& ldy) {
  auto R = iterate.R.begin(), U = iterate.U.begin();
  for (DiagonalBlock& row : ldy.rows()) {
    row.R = *R++;
    row.U = *U++;
  }
}

}  // namespace locdyn::detail
