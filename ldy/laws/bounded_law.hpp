#pragma once
// Rows whose reaction is bounded, and hard rows beside them: dry friction in joints, motors and servos of limited
// force. With U' = U + σ + C R,
//
//   hard rows      U' = 0, R free
//   bounded rows   −U' ∈ N_D(R), D the reactions f that the bound allows:
//                  one row       lower − g ≤ f ≤ upper + g
//                  two or three  ‖f‖ ≤ upper + g
//   g = ‖w₀ R₀, w₁ R₁‖, R_k the hard rows of block k: friction grows with what the joint carries
//
// f inside its bound has U' = 0 (the joint sticks, a servo follows); f at its bound pulls against U' (it slides, a
// motor is overpowered): the principle of maximal dissipation, as Coulomb's law has it for contacts. Hard rows and the
// friction that they load are one law, solved together: no step lags behind. Where w = 0, D is convex and U is unique.
//
// K here is the set of (R_hard, f) with f ∈ D(R_hard). It is not convex where w > 0; `project` keeps the hard rows and
// cuts f back. Zeros of R − project(R − ρ U') are the solutions of the law nevertheless: U' = 0 on the hard rows makes
// their argument R itself.
//
// Source: Moreau, Unilateral contact and dry friction in finite freedom dynamics (1988) §10 (friction of bounded
// force); Alart & Curnier, CMAME 92 (1991) (the bound taken at the augmented reaction); Armstrong-Hélouvry, Dupont &
// Canudas de Wit, Automatica 30 (1994) (friction of machines).

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <locdyn/ldy/laws/bilateral_law.hpp>
#include <locdyn/ldy/laws/row_mask.hpp>

namespace locdyn {

/// One or two blocks; the bounded rows lie in the last one.
struct BoundedLaw {
  static constexpr const char* kName = "a bounded reaction";
  static constexpr bool kContact = false;
  static constexpr int kMaxBlocks = BilateralLaw::kMaxBlocks;

  int block_count = 1;                                     ///< 1 or 2
  std::array<BilateralLaw::Block, kMaxBlocks> block = {};  ///< rows in use, σ and C, hard and bounded
  RowMask bounded = kRowNormal;                            ///< of the last block: at least one, all in use
  double lower = 0, upper = 0;  ///< lower ≤ upper [N], finite; of two or three bounded rows −upper and upper
  std::array<double, kMaxBlocks> load = {0, 0};  ///< w ≥ 0 of the hard rows of each block, dimensionless

  [[nodiscard]] int blocks() const noexcept { return block_count; }
  [[nodiscard]] RowMask rows(int k) const noexcept { return block[k].rows; }
  [[nodiscard]] Eigen::Vector3d offset(int k) const noexcept { return block[k].shift; }
  [[nodiscard]] Eigen::Vector3d compliance(int k) const noexcept { return block[k].compliance; }
  /// The bounded ones among the rows of block k.
  [[nodiscard]] RowMask bounded_rows(int k) const noexcept { return k == block_count - 1 ? bounded : RowMask{0}; }

  /// g ≥ 0 [N] of the reactions R, one vector a block: what the load on the hard rows adds to the bound.
  [[nodiscard]] double load_of(std::span<const Eigen::Vector3d> R) const noexcept {
    double sum = 0;
    for (int k = 0; k < block_count; ++k) {
      for (int row = 0; row < 3; ++row) {
        if (!uses(block[k].rows, row) || uses(bounded_rows(k), row)) continue;
        sum += load[k] * R[k][row] * load[k] * R[k][row];
      }
    }
    return std::sqrt(sum);
  }
  /// The bounded rows of f (3) cut back to their bound, `g` of it by load; other rows stay.
  void cut(Eigen::Vector3d& f, double g) const noexcept {
    double length2 = 0;
    for (int row = 0; row < 3; ++row) {
      if (uses(bounded, row)) length2 += f[row] * f[row];
    }
    if (rows_in_use(bounded) == 1) {
      for (int row = 0; row < 3; ++row) {
        if (uses(bounded, row)) f[row] = std::clamp(f[row], lower - g, upper + g);
      }
    } else if (const double bound = upper + g, length = std::sqrt(length2); length > bound) {
      for (int row = 0; row < 3; ++row) {
        if (uses(bounded, row)) f[row] *= bound / length;
      }
    }
  }

  /// U' = U + σ + C R.
  void dual_velocity(std::span<const Eigen::Vector3d> U, std::span<const Eigen::Vector3d> R,
                     std::span<Eigen::Vector3d> U_hat) const noexcept {
    for (int k = 0; k < block_count; ++k) {
      U_hat[k] = U[k] + block[k].shift + block[k].compliance.cwiseProduct(R[k]);
    }
  }
  /// z ← its hard rows, and its bounded ones cut back to the bound that those allow.
  void project(std::span<Eigen::Vector3d> z) const noexcept {
    for (int k = 0; k < block_count; ++k) {
      for (int row = 0; row < 3; ++row) {
        if (!uses(block[k].rows, row)) z[k][row] = 0;
      }
    }
    cut(z[block_count - 1], load_of(z));
  }

  /// The law of displacements that take back what hard rows have lost, `errors`, one vector a block: no friction.
  [[nodiscard]] BoundedLaw displacement(std::span<const Eigen::Vector3d> errors, double) const noexcept {
    BoundedLaw closing = *this;
    for (int k = 0; k < block_count; ++k) closing.block[k].shift = errors[k];
    closing.lower = closing.upper = 0;
    closing.load = {0, 0};
    return closing;
  }

  /// Throws std::invalid_argument where the block count is not 1 or 2, a block uses no row or a fourth, no row of the
  /// last block is bounded or one that is not in use, the bounds are not finite or in the wrong order, those of several
  /// rows are not −upper and upper, a load weight or C is negative or a number is not finite.
  void validate() const;
};

}  // namespace locdyn
