#pragma once
// The linear system of a step in the space of velocities over ranks,
//
//   (A/h + Σ_α H_αᵀ K_α H_α) y = Σ_α H_αᵀ p_α,
//
// K_α ≥ 0 a diagonal of three for every row: symmetric, positive definite, with the pattern of the bodies' contact
// graph. It is a lattice of masses joined by springs, as elasticity is, and what converges slowly in it is what leaves
// the springs alone: all bodies moving as one. Where the factor of MUMPS fits it is solved by that; else by conjugate
// gradients with PETSc's GAMG, which is told these six motions (`rigid_motions`), since from the matrix it can only
// guess the constant vectors.
//
// Source: Vaněk, Mandel & Brezina, Computing 56 (1996) 179–196 (smoothed aggregation, near-null space); Amestoy, Duff,
// L'Excellent & Koster, SIAM J. Matrix Anal. Appl. 23 (2001) 15–41 (MUMPS).

#include <petscksp.h>

#include <cstdint>
#include <span>
#include <vector>

#include <locdyn/distributed/second_order/velocity_unknowns.hpp>

namespace locdyn::distributed {

enum class LinearMethod {
  automatic,        ///< `direct` while its factor fits, else `multigrid`
  direct,           ///< MUMPS
  multigrid,        ///< conjugate gradients, GAMG that knows the rigid motions
  plain_multigrid,  ///< the same without them
  blocks,           ///< conjugate gradients, each body's own block inverted
};

struct LinearOptions {
  LinearMethod method = LinearMethod::automatic;
  /// Of iterative methods, in (0, 1), on the residual over that of the y before: as steps become small, solves become
  /// exact, which a share of the right-hand side would not do.
  double tolerance = 1e-3;
  long max_iterations = 5000;           ///< of one iterative solve, ≥ 1
  std::uint64_t direct_unknowns = 3e6;  ///< `automatic` asks for no more: MUMPS orders on one rank
  double direct_megabytes = 4096;       ///< of memory on the rank with most, by MUMPS's own forecast, > 0
};

/// All members are collective.
class VelocityOperator {
 public:
  /// `graph` outlives it. All ranks throw std::invalid_argument for options out of range.
  VelocityOperator(DistributedGraph& graph, const LinearOptions& options);
  ~VelocityOperator();
  VelocityOperator(const VelocityOperator&) = delete;
  VelocityOperator& operator=(const VelocityOperator&) = delete;

  /// K by place in the arena of this rank's graph; factors or sets the preconditioner up. False where that failed, on
  /// all ranks.
  [[nodiscard]] bool prepare(std::span<const Eigen::Vector3d> K);
  /// motion (by place) ← H y for p = pull (by place); the y before is where iterations begin. False where they did not
  /// come to the tolerance, on all ranks.
  [[nodiscard]] bool solve(std::span<const Eigen::Vector3d> pull, std::span<Eigen::Vector3d> motion);

  /// What `automatic` has chosen, after `prepare`.
  [[nodiscard]] LinearMethod method() const noexcept { return method_; }
  [[nodiscard]] std::uint64_t unknowns() const noexcept { return VelocityUnknowns::kBlock * unknowns_.all_blocks(); }
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
  void fill(std::span<const Eigen::Vector3d> K);
  void add_inertia();
  bool plan_direct();
  [[nodiscard]] bool prepare_direct();
  [[nodiscard]] bool prepare_iterative();
  [[nodiscard]] std::size_t pair(std::size_t row, std::size_t column) const;

  DistributedGraph& graph_;
  LinearOptions options_;
  LinearMethod method_;
  VelocityUnknowns unknowns_;
  std::vector<std::uint32_t> first_piece_;  // by place in the arena, one more at the end
  std::vector<Piece> pieces_;
  std::vector<std::uint64_t> pairs_;    // of blocks that meet, row in the upper half; ascending
  std::vector<std::uint32_t> pair_of_;  // of the products of pieces of each row, row by row
  std::vector<double> values_;          // 36 a pair, row by row
  Mat matrix_ = nullptr, factor_ = nullptr;
  KSP solver_ = nullptr;
  Vec right_ = nullptr, y_ = nullptr, copies_ = nullptr;
  double megabytes_ = 0;
  long solves_ = 0, iterations_ = 0;
};

}  // namespace locdyn::distributed
