#pragma once
// The one-contact law in 2D prepared for many loads: rows t1 and n, the row t2 unused.

#include <span>

#include <locdyn/solver/local/planar_contact.hpp>

namespace locdyn::detail {

class PlanarBlock {
 public:
  /// W (3×3) [velocity/force]: the row and the column t2 are not read.
  PlanarBlock(const Eigen::Matrix3d& W, double friction) noexcept : W_(W), friction_(friction) {
    W_.row(1).setZero();
    W_.col(1).setZero();
  }

  /// As of `solve_planar_contact`; the warm start is not read.
  void solve(std::span<const Eigen::Vector3d> b, std::span<Eigen::Vector3d> R) const noexcept {
    R[0] = solve_planar_contact(W_, friction_, b[0]).R;
  }

 private:
  Eigen::Matrix3d W_;
  double friction_;
};

}  // namespace locdyn::detail
