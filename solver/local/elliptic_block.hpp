#pragma once
// The one-contact law with elliptic friction, K ∋ R ⟂ Û ∈ K*, K = {(R_1/μ_1)² + (R_2/μ_2)² ≤ R_n²}: with
// S = diag(μ_1/μ, μ_2/μ, 1), μ = max(μ_1, μ_2), R = S R' and U' = S U it is the law of the circle of radius μ for
// W' = S W S and b' = S b. A direction without friction leaves a contact in the plane of the other one.

#include <Eigen/Core>
#include <span>

#include <locdyn/ldy/laws/elliptic_law.hpp>
#include <locdyn/solver/local/contact_block.hpp>

namespace locdyn::detail {

/// An elliptic contact's block W, prepared for solves with many b. Threads may share one: solving changes nothing,
/// allocates nothing and throws nothing.
class EllipticBlock {
 public:
  EllipticBlock() = default;

  /// W (3×3) [velocity/force] in (t1, t2, n), unsymmetric or singular as it comes. Cost: as of `ContactBlock`.
  EllipticBlock(const EllipticLaw& law, const Eigen::Matrix3d& W) noexcept;

  /// R (3) from b (3, σ included) and `warm` (3). What `ContactBlock` (or `solve_planar_contact`) promises holds in the
  /// scaled axes; the natural map in t1 and t2 themselves is at most μ / min(μ_1, μ_2) times as large.
  [[nodiscard]] Eigen::Vector3d solve(const Eigen::Vector3d& b, const Eigen::Vector3d& warm) const noexcept;
  void solve(std::span<const Eigen::Vector3d> b, std::span<Eigen::Vector3d> R) const noexcept {
    R[0] = solve(b[0], R[0]);
  }

 private:
  ContactBlock circle_;  // in the scaled axes; where `flat_` in the plane (t1, n)
  Eigen::Vector3d scale_ = Eigen::Vector3d::Ones();
  bool flat_ = false;     // one of the coefficients is 0
  bool swapped_ = false;  // the other one is that of t2
};

}  // namespace locdyn::detail
