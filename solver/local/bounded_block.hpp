#pragma once
// The one-constraint solve of bounded reactions f and the hard rows beside them (ldy/laws/bounded_law.hpp). The hard
// rows go first, R_h = −(W_hh + C_h)⁺ (b_h + W_hf f), which leaves
//
//   U' = b' + W' f,   −U' ∈ N_D(f),   bound + g(R_h(f))
//
// Where f = −W'⁺ b' lies in D it sticks. Else, of one row, φ(f) = |f| − bound − g is concave, not positive where f
// begins and positive where it would stick: the one root between them, of a quadratic, is where it slides. Of two or
// three rows f(λ) = −(W' + λ I)⁻¹ b' pulls against U' = −λ f, and the λ > 0 with f at its bound is found by regula
// falsi.

#include <Eigen/Core>
#include <span>

#include <locdyn/ldy/laws/bounded_law.hpp>

namespace locdyn::detail {

/// A constraint with bounded reactions prepared for solves with many b. Threads may share one; solving throws nothing
/// and allocates nothing.
class BoundedBlock {
 public:
  BoundedBlock() = default;

  /// W (3k×3k for a law of k blocks) [velocity/force], rows (t1, t2, n) of each block; rows that the law does not use
  /// are not read. Throws std::invalid_argument where the size is wrong. Cost: a decomposition of the hard rows.
  BoundedBlock(const BoundedLaw& law, const Eigen::Ref<const Eigen::MatrixXd>& W);

  /// R from b (k vectors of 3, σ included): 0 in rows that are not used. Where several solutions exist (friction that
  /// loads its own joint beyond measure) the one that sticks. R on entry is not read.
  void solve(std::span<const Eigen::Vector3d> b, std::span<Eigen::Vector3d> R) const noexcept;

  /// Cuts the bounded rows of R back to what the hard ones allow.
  void project(std::span<Eigen::Vector3d> R) const noexcept { law_.project(R); }

 private:
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::DontAlign, 6, 1>;
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::DontAlign, 6, 6>;

  [[nodiscard]] double load(const Vector& hard) const noexcept;
  [[nodiscard]] double slide_on_line(double stick, const Vector& at_rest) const noexcept;
  [[nodiscard]] Vector slide_on_ball(const Vector& b, const Vector& at_rest) const noexcept;

  BoundedLaw law_;
  int hard_ = 0, bounded_ = 0;                   // rows of each kind
  std::array<int, 6> hard_at_{}, bounded_at_{};  // where they lie among the 3k
  Matrix hard_W_, hard_inverse_;                 // W_hh + C_h, and its pseudo-inverse
  Matrix coupling_, carried_, back_;  // W_hf, what f loads the hard rows with, −(W_hh + C_h)⁺ W_hf, and W_fh
  Matrix W_;                          // W'
  Vector weight_;                     // of the hard rows in g
};

}  // namespace locdyn::detail
