#pragma once
// Which rows say something new. N spans the left null space of [Ĝ Ŝ], found by SPQR of its transpose: one column for
// each redundant row, e_i less the combination of independent rows that row i repeats. With it a right-hand side is
// split into what the rows can meet and where they contradict each other, and multipliers are brought to least norm.
// Compliant rows repeat nothing: each has its own coordinate.

#include <locdyn/solver/saddle/scaled_saddle.hpp>
#include <locdyn/solver/saddle/sparse_qr.hpp>
#include <locdyn/solver/saddle/symmetric_factor.hpp>

namespace locdyn::detail {

/// A row that follows from others.
struct RedundantRow {
  Eigen::Index row = 0;              ///< of G
  std::vector<Eigen::Index> others;  ///< rows whose combination it is, ascending; none: it acts on nothing
};

/// How near the independent rows are to losing rank.
struct WeakestRow {
  double singular_value = 1;  ///< the smallest of the independent scaled rows, an estimate from above; 1: like one row
  Eigen::Index row = -1;      ///< the row with most weight in its vector; −1 where there is none
};

class RowRank {
 public:
  /// Rows of [Ĝ Ŝ] whose remainder is ≤ `tolerance` count as redundant. Cost: a sparse QR, and two sparse products
  /// for each redundant row.
  void analyse(const ScaledSaddle& saddle, double tolerance);

  [[nodiscard]] Eigen::Index rank() const noexcept { return qr_.rank(); }
  [[nodiscard]] const std::vector<RedundantRow>& redundant() const noexcept { return redundant_; }
  /// QR of [Ĝ Ŝ]ᵀ.
  [[nodiscard]] const SparseQr& qr() const noexcept { return qr_; }

  /// The part of γ̂ (m) that no motion meets, in the least-squares sense of scaled rows.
  [[nodiscard]] Eigen::VectorXd contradiction(const Eigen::VectorXd& gamma) const;
  /// λ̂ (m) of least ‖λ̂‖ among those of equal effect; or of least ‖λ‖, λ = D λ̂.
  [[nodiscard]] Eigen::VectorXd least_scaled_norm(const Eigen::VectorXd& lambda) const;
  [[nodiscard]] Eigen::VectorXd least_norm(const Eigen::VectorXd& lambda) const;

  /// Inverse iteration on R₁₁ R₁₁ᵀ. Cost: some ten solves with R₁₁.
  [[nodiscard]] WeakestRow weakest() const;

 private:
  // An orthogonal projector on the range of a sparse N by its normal equations.
  struct Projector {
    SparseMatrix N;
    SymmetricFactor normal;

    void set(const SparseMatrix& null_vectors);
    [[nodiscard]] Eigen::VectorXd project(const Eigen::VectorXd& x) const;
  };

  SparseQr qr_;
  Projector scaled_, raw_;
  Eigen::VectorXd row_scale_;
  std::vector<RedundantRow> redundant_;
};

}  // namespace locdyn::detail
