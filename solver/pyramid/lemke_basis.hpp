#pragma once
// The basis of Lemke's method for w = q + M z + d z₀, kept small. With α the basic z and ρ the rows whose w is not
// basic (as many as α and z₀ together), only
//
//   C = [M_ρα  d_ρ]
//
// has to be inverted: the basic w follow from M. Each pivot replaces a column or a row of C, borders it, or shrinks it.
// The inverse is kept explicitly and updated in O(|ρ|²); `factor` makes it afresh.
//
// Source: Cottle, Pang & Stone, The Linear Complementarity Problem (1992), §4.4 (the method), §2.3 (Schur complements).

#include <Eigen/Core>
#include <vector>

#include <locdyn/solver/pyramid/pyramid_problem.hpp>

namespace locdyn::detail {

class LemkeBasis {
 public:
  static constexpr int kArtificial = -1;  ///< z₀ among the columns

  /// The basis of all w but w_row, with z₀. `cover` is d; both outlive the basis.
  LemkeBasis(const PyramidProblem& problem, const Eigen::VectorXd& cover, int row);

  [[nodiscard]] const std::vector<int>& rows() const noexcept { return rows_; }        ///< ρ
  [[nodiscard]] const std::vector<int>& columns() const noexcept { return columns_; }  ///< α and kArtificial
  /// Where a row or column stands in them, or −1.
  [[nodiscard]] int row_place(int i) const noexcept { return row_place_[i]; }
  [[nodiscard]] int column_place(int j) const noexcept {
    return j == kArtificial ? artificial_place_ : column_place_[j];
  }

  /// C⁻¹ right, by place.
  void solve(const Eigen::VectorXd& right, Eigen::VectorXd& solution) const;
  /// M_ρs: what enters with z_s.
  void entering_column(int s, Eigen::VectorXd& column) const;

  // The four pivots, `y` = C⁻¹ M_ρs where z_s enters and C⁻¹ e_s where w_s does. False where the pivot is zero.
  bool replace_column(int leaving_z, int entering_z, const Eigen::VectorXd& y);
  bool replace_row(int entering_w, int leaving_w);
  bool border(int entering_z, int leaving_w, const Eigen::VectorXd& y);
  bool shrink(int entering_w, int leaving_z);

  /// Inverts C afresh by LU with partial pivoting. False where it is singular. Cost: 2 |ρ|³ operations.
  bool factor();
  [[nodiscard]] double flops() const noexcept { return flops_; }

 private:
  [[nodiscard]] double entry(int row, int column) const noexcept {
    return column == kArtificial ? cover_[row] : problem_.entry(row, column);
  }
  [[nodiscard]] Eigen::RowVectorXd row_times_inverse(int row) const;
  void set_column(int place, int column);
  void set_row(int place, int row);

  const PyramidProblem& problem_;
  const Eigen::VectorXd& cover_;
  std::vector<int> rows_, columns_, row_place_, column_place_;
  int artificial_place_ = 0;
  Eigen::MatrixXd inverse_;  // column place × row place
  double flops_ = 0;
};

}  // namespace locdyn::detail
