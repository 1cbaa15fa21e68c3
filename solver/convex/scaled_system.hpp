#pragma once
// The linear system of an interior point step. In the variables x = T R of the Lorentz cone, T = diag(1/√μ, 1/√μ, √μ),
// scaled by P (lorentz_cone.hpp), with P = V Λ Vᵀ, and G = T⁻¹ V,
//
//   (Gᵀ (W + a I) G + Λ⁻²) y = Gᵀ r + Vᵀ q,   dR = G y,
//
// for contacts; W + a I + C and y = dR for bilateral rows. It is positive definite. The axes V keep what is stiff in
// Λ⁻² apart from what is not, as a sum T P⁻² T of blocks in the contact's frame would not in rounding.

#include <span>
#include <vector>

#include <locdyn/solver/convex/block_triangle.hpp>
#include <locdyn/solver/convex/cone_program.hpp>
#include <locdyn/solver/convex/lorentz_cone.hpp>
#include <locdyn/solver/convex/positive_factor.hpp>

namespace locdyn::detail {

/// T of a contact, by the diagonal: x = T R and z = T⁻¹ Û are in L for R in K and Û in K*, and R_n = Û_n = 1 gives
/// x ∘ z = e. Without friction the identity.
[[nodiscard]] Eigen::Vector3d cone_scale(double friction) noexcept;

class ScaledSystem {
 public:
  /// Lays the system out and analyses its pattern. `program` outlives it.
  explicit ScaledSystem(const ConeProgram& program);

  /// Factors for the scalings of the contacts (by row) and the weight a > 0. False where W + a I is not positive
  /// definite enough.
  [[nodiscard]] bool factorise(const std::vector<NesterovTodd>& scaling, double weight);

  /// dR by row, for r (velocities) and q (in the space of z), refined once. The last `factorise` returned true.
  void solve(const std::vector<Eigen::Vector3d>& r, const std::vector<Eigen::Vector3d>& q,
             std::vector<Eigen::Vector3d>& dR);

  [[nodiscard]] double flops() const noexcept { return factor_.flops(); }
  /// Of the next factorisation.
  [[nodiscard]] double expected_seconds() const { return factor_.expected_seconds(); }

 private:
  void choose_axes(const std::vector<NesterovTodd>& scaling);

  const ConeProgram& program_;
  BlockTriangle triangle_;
  PositiveFactor factor_;
  std::vector<Eigen::Matrix3d> G_;  // columns beyond `count` are zero
  std::vector<Eigen::Matrix3d> V_;
  std::vector<Eigen::Vector3d> diagonal_;  // Λ⁻² or C, by unknown
  std::vector<Eigen::Vector3d> step_, product_;
  std::vector<double> right_, left_;
  double weight_ = 0;
};

}  // namespace locdyn::detail
