#pragma once
// Bilateral rows: U + σ + C R = 0 with R free. C = 0 is a hard constraint (fixed point, fixed direction, prescribed
// velocity, rigid link, joints); C > 0 a compliant one, such as the implicit spring-damper
// R = −k (gap + h/2 U) − c U at the end of the step, which is C = 1/(h k/2 + c), σ = C k gap.

#include <Eigen/Core>
#include <array>
#include <span>

#include <locdyn/ldy/laws/row_mask.hpp>

namespace locdyn {

/// One or two blocks (a ball joint has one, a hinge two) of up to three rows.
struct BilateralLaw {
  static constexpr const char* kName = "a bilateral law";
  static constexpr bool kContact = false;
  static constexpr int kMaxBlocks = 2;

  /// Three rows.
  struct Block {
    RowMask rows = kRowsAll;
    Eigen::Vector3d shift = Eigen::Vector3d::Zero();       ///< σ [m/s]
    Eigen::Vector3d compliance = Eigen::Vector3d::Zero();  ///< C ≥ 0 [m/(N s)], diagonal
  };

  int block_count = 1;                       ///< 1 or 2
  std::array<Block, kMaxBlocks> block = {};  ///< the second is unused where there is one

  [[nodiscard]] int blocks() const noexcept { return block_count; }
  [[nodiscard]] RowMask rows(int k) const noexcept { return block[k].rows; }
  [[nodiscard]] Eigen::Vector3d offset(int k) const noexcept { return block[k].shift; }
  [[nodiscard]] Eigen::Vector3d compliance(int k) const noexcept { return block[k].compliance; }

  /// Û = U + σ + C R.
  void dual_velocity(std::span<const Eigen::Vector3d> U, std::span<const Eigen::Vector3d> R,
                     std::span<Eigen::Vector3d> U_hat) const noexcept {
    for (int k = 0; k < block_count; ++k) {
      U_hat[k] = U[k] + block[k].shift + block[k].compliance.cwiseProduct(R[k]);
    }
  }
  /// z ← P_K(z): K is the whole space of the rows in use.
  void project(std::span<Eigen::Vector3d> z) const noexcept {
    for (int k = 0; k < block_count; ++k) {
      for (int row = 0; row < 3; ++row) {
        if (!uses(block[k].rows, row)) z[k][row] = 0;
      }
    }
  }

  /// The law of displacements [m, rad] that take back what the rows have lost, `errors`, one vector a block.
  [[nodiscard]] BilateralLaw displacement(std::span<const Eigen::Vector3d> errors, double) const noexcept {
    BilateralLaw closing = *this;
    for (int k = 0; k < block_count; ++k) closing.block[k].shift = errors[k];
    return closing;
  }

  /// Throws std::invalid_argument where the block count is not 1 or 2, a block uses no row or a fourth, C is negative
  /// or a number is not finite.
  void validate() const;
};

}  // namespace locdyn
