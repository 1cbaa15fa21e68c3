#pragma once
// R of a graph's rows, carried on by a share of its last step (`Momentum`).

#include <Eigen/Core>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

class CarriedRows {
 public:
  /// R ← R + share (R − R before), R before being what this found the last time; nothing moves the first time. Cost:
  /// one pass over the rows.
  void carry_on(LocalDynamics& ldy, double share) {
    const auto diagonal = ldy.diagonal_arena();
    if (before_.size() != diagonal.size()) {
      before_.resize(diagonal.size());
      share = 0;
    }
    for (DiagonalBlock& row : ldy.rows()) {
      Eigen::Vector3d& before = before_[&row - diagonal.data()];
      const Eigen::Vector3d now = row.R;
      if (share != 0) row.R += share * (now - before);
      before = now;
    }
  }

 private:
  std::vector<Eigen::Vector3d> before_;  // by place
};

}  // namespace locdyn::detail
