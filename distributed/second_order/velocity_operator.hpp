#pragma once
// The linear system of a step in the space of velocities over ranks,
//
//   (A/h + Σ_α H_αᵀ K_α H_α) y = Σ_α H_αᵀ p_α,
//
// K_α a 3×3 block for every row, with the pattern of the bodies' contact graph: ADMM's are diagonals ≥ 0, the matrix
// symmetric and positive definite; Newton's need not be symmetric. It is a lattice of masses joined by springs, as
// elasticity is, and what converges slowly in it is what leaves the springs alone: all bodies moving as one. Where the
// factor of MUMPS fits it is solved by that; else by conjugate gradients, or GMRES where the matrix is not symmetric,
// with PETSc's GAMG, which is told these six motions (`rigid_motions`), since from the matrix it can only guess the
// constant vectors.
//
// Source: Vaněk, Mandel & Brezina, Computing 56 (1996) 179–196 (smoothed aggregation, near-null space); Amestoy, Duff,
// L'Excellent & Koster, SIAM J. Matrix Anal. Appl. 23 (2001) 15–41 (MUMPS); Saad & Schultz, SIAM J. Sci. Stat. Comput.
// 7 (1986) 856–869 (GMRES).

#include <petscksp.h>

#include <cstdint>
#include <span>
#include <vector>

#include <locdyn/distributed/second_order/velocity_unknowns.hpp>

namespace locdyn::distributed {

enum class LinearMethod {
  automatic,        ///< `direct` while its factor fits, else `multigrid`
  direct,           ///< MUMPS
  multigrid,        ///< conjugate gradients (GMRES), GAMG that knows the rigid motions
  plain_multigrid,  ///< the same without them
  blocks,           ///< conjugate gradients (GMRES), each body's own block inverted
};

enum class Symmetry { symmetric, general };

struct LinearOptions {
  LinearMethod method = LinearMethod::automatic;
  /// Of iterative methods, in (0, 1). Conjugate gradients: on the residual over that of the y before: as steps become
  /// small, solves become exact, which a share of the right-hand side would not do. GMRES: over the right-hand side.
  double tolerance = 1e-3;
  long max_iterations = 5000;           ///< of one iterative solve, ≥ 1
  std::uint64_t direct_unknowns = 3e6;  ///< `automatic` asks for no more: MUMPS orders on one rank
  double direct_megabytes = 4096;       ///< of memory on the rank with most, by MUMPS's own forecast, > 0
};

/// All members that solve or prepare are collective. What is called as in `detail::VelocityMatrix` does the same, the
/// unknowns being copies of those that this rank's rows act on.
class VelocityOperator {
 public:
  /// Where it is solved by iterations the x of `solve` is as good as they were asked to be.
  static constexpr bool kSolvesToRounding = false;

  /// `graph` outlives it. Collective. All ranks throw std::invalid_argument for options out of range.
  VelocityOperator(DistributedGraph& graph, const LinearOptions& options, Symmetry symmetry = Symmetry::symmetric);
  ~VelocityOperator();
  VelocityOperator(const VelocityOperator&) = delete;
  VelocityOperator& operator=(const VelocityOperator&) = delete;

  [[nodiscard]] std::size_t unknowns() const noexcept { return VelocityUnknowns::kBlock * unknowns_.copies(); }
  /// A/h alone: the first thing to do.
  void clear();
  /// Adds H_αᵀ K H_β of two rows of one constraint, by place in the arena of this rank's graph.
  void add_block(Index row, const Eigen::Matrix3d& K, Index column);
  /// b += H_αᵀ r of this rank's share; H_α y.
  void add_pull(Index row, const Eigen::Vector3d& r, std::span<double> b) const;
  [[nodiscard]] Eigen::Vector3d motion(Index row, std::span<const double> y) const;
  /// Does it hold on all ranks?
  [[nodiscard]] bool everywhere(bool here) const;
  /// Sums blocks and right-hand sides of all ranks, factors, or sets the preconditioner up, and solves. False where one
  /// of them failed, on all ranks.
  [[nodiscard]] bool solve(std::span<const double> b, std::span<double> x);
  /// Floating point operations of MUMPS's factorisations so far.
  [[nodiscard]] double flops() const noexcept { return flops_; }
  /// Not known before: MUMPS tells when it has ordered.
  [[nodiscard]] static double symbolic_cost() noexcept { return 0; }

  /// All blocks diagonal: K by place; factors or sets the preconditioner up. False where that failed, on
  /// all ranks.
  [[nodiscard]] bool prepare(std::span<const Eigen::Vector3d> K);
  /// motion (by place) ← H y for p = pull (by place); the y before is where iterations begin. False where they did not
  /// come to the tolerance, on all ranks.
  [[nodiscard]] bool solve(std::span<const Eigen::Vector3d> pull, std::span<Eigen::Vector3d> motion);

  /// What `automatic` has chosen, after `prepare`.
  [[nodiscard]] LinearMethod method() const noexcept { return method_; }
  [[nodiscard]] std::uint64_t all_unknowns() const noexcept {
    return VelocityUnknowns::kBlock * unknowns_.all_blocks();
  }
  /// Of all solves so far.
  [[nodiscard]] long solves() const noexcept { return solves_; }
  [[nodiscard]] long iterations() const noexcept { return iterations_; }
  /// MUMPS's forecast for the rank with most; 0 where it was not asked.
  [[nodiscard]] double direct_megabytes() const noexcept { return megabytes_; }

 private:
  // Six or fewer columns of one row's H, and the block that they belong to.
  struct Piece {
    std::uint32_t block = 0, columns = 0;
    std::uint64_t place = 0;  // of the first in the factor's H
  };
  void list_pieces();
  void list_pairs();
  void make_matrix();
  void tell_rigid_motions();
  void add_inertia();
  void sum_blocks();
  [[nodiscard]] bool prepare();
  bool plan_direct();
  [[nodiscard]] bool prepare_direct();
  [[nodiscard]] bool prepare_iterative();
  [[nodiscard]] bool solve_prepared(std::span<const double> b, std::span<double> x);
  [[nodiscard]] bool iterate();
  [[nodiscard]] std::span<const Piece> pieces_of(Index row) const {
    return std::span(pieces_).subspan(first_piece_[row], first_piece_[row + 1] - first_piece_[row]);
  }
  [[nodiscard]] std::size_t pair(std::size_t row, std::size_t column) const;

  DistributedGraph& graph_;
  LinearOptions options_;
  LinearMethod method_;
  Symmetry symmetry_;
  VelocityUnknowns unknowns_;
  std::vector<std::uint32_t> first_piece_;  // by place in the arena, one more at the end
  std::vector<Piece> pieces_;
  std::vector<std::uint64_t> pairs_;     // of blocks that meet, row in the upper half; ascending
  std::vector<std::size_t> first_pair_;  // by place, in pair_of_
  std::vector<std::uint32_t> pair_of_;   // of the products of pieces of each row, row by row
  std::vector<double> values_;           // 36 a pair, row by row
  Mat matrix_ = nullptr, factor_ = nullptr;
  KSP solver_ = nullptr;
  Vec right_ = nullptr, y_ = nullptr, copies_ = nullptr;
  std::vector<double> pull_, change_;  // of copies, where rows are given
  double megabytes_ = 0, flops_ = 0;
  long solves_ = 0, iterations_ = 0;
};

}  // namespace locdyn::distributed
