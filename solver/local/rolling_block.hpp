#pragma once
// The law of one contact with rolling and torsional friction: given W (6×6) and b (6), find R with
//
//   K ∋ R ⟂ Û ∈ K*,   Û_n = U_n + μ ‖U_t‖ + μ_r ‖ω_t‖ + μ_τ |ω_n|,   U = W R + b.
//
// Open (b_n ≥ 0: R = 0) is a closed form. Else a semismooth Newton on Alart and Curnier's map of the three discs,
// damped on the natural map, from the warm start, from the stick and from the normal force alone. Where it fails,
// sweeps between force and moment bring it near: the force for a given moment is a contact of its own (`ContactBlock`,
// exact), the moment for a given R_n lies in discs that are known, (W + λ I) M = −c with λ bracketed. What they leave
// is bracketed by R_n itself where W has a sign: for a given R_n friction is a convex problem on three discs, and
// U_n(R_n) changes its sign. The best candidate by the natural map is kept. All of it is counted, and ends at
// `kMostProducts`: a W without sign, which may leave no solution to find, costs a bounded time too.
//
// A solution exists where W is symmetric positive definite; it may not be unique for large μ.
//
// Source: Acary & Bourrier, European Journal of Mechanics A/Solids 85 (2021) 104046 (the law); Alart & Curnier, CMAME
// 92 (1991) 353–375 (the map).

#include <Eigen/Core>
#include <span>

#include <locdyn/ldy/laws/rolling_law.hpp>
#include <locdyn/solver/local/contact_block.hpp>

namespace locdyn::detail {

/// A rolling contact's block W and coefficients, prepared for solves with many b. Threads may share one: solving
/// changes nothing, allocates nothing and throws nothing.
class RollingBlock {
 public:
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Matrix6 = Eigen::Matrix<double, 6, 6, Eigen::DontAlign>;

  /// From here on no search goes on [products of 3×3 blocks]. Blocks of bodies end below 8000.
  static constexpr int kMostProducts = 32000;

  /// W (6×6) [velocity/force]: force (t1, t2, n), then moment over ℓ; unsymmetric or singular as it comes. Rows that
  /// the law does not use are not read.
  RollingBlock(const RollingLaw& law, const Eigen::Ref<const Eigen::MatrixXd>& W) noexcept;

  /// R (2 vectors of 3) from b (2 of 3, σ included) and the warm start that R holds on entry. The natural map of the
  /// result is at most 1e-12 ‖b‖ + 8 ε ‖W‖ ‖R‖ in all but some of the hardest cases, and never above that of the warm
  /// start projected on K. Always finite for finite b. Returns what it took, in products of 3×3 blocks, four of
  /// which are one of W: some 200 from a warm start that is near, hardly more than `kMostProducts` in any case.
  int solve(std::span<const Eigen::Vector3d> b, std::span<Eigen::Vector3d> R) const noexcept;

  /// ‖R − P_K(R − ρ Û)‖ / ρ, ρ as the residual has it: d / tr W of the force block.
  [[nodiscard]] double natural_map(const Vector6& b, const Vector6& R) const noexcept;

 private:
  struct Search;

  [[nodiscard]] double bound(const Vector6& b, const Vector6& R) const noexcept;
  bool newton(const Vector6& b, Vector6 R, Search& search) const noexcept;
  void sweep(const Vector6& b, Vector6& R) const noexcept;
  [[nodiscard]] Vector6 stick(const Vector6& b) const noexcept;
  void update_disc(int disc, const Vector6& b, Vector6& R) const noexcept;
  [[nodiscard]] double normal_velocity(double normal, const Vector6& b, Vector6& R, Search& search) const noexcept;
  [[nodiscard]] bool has_sign() const noexcept;
  bool bracket(const Vector6& b, Search& search) const noexcept;

  Matrix6 W_ = Matrix6::Zero();  // unused rows have a unit of their own on the diagonal: with b = 0 they stay 0
  RollingCone cone_;
  std::array<bool, 6> used_{};
  ContactBlock force_;
  double rho_ = 1;               // of the natural map
  std::array<double, 4> scale_;  // ρ of n and of the three discs in Alart and Curnier's map
  double norm_ = 0;              // largest norm of a column of W
};

}  // namespace locdyn::detail
