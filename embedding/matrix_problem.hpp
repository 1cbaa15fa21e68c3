#pragma once
// One contact problem handed over as a sparse matrix, W (3n×3n) of n contacts, as other programs keep it:
//
//   U = b + W R,   K ∋ R ⟂ U + μ ‖U_t‖ n ∈ K*,   K = {‖R_t‖ ≤ μ R_n}
//
// Rows and columns 3α, 3α + 1, 3α + 2 are t1, t2 and n of contact α: n is index 2. Nothing is kept of what is handed
// in. W may be singular, and unsymmetric by rounding or more; a step is not known, so that units are the caller's: R in
// N where W is h H A⁻¹ Hᵀ, impulses in N s where it is H A⁻¹ Hᵀ.

#include <span>
#include <string>

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/registry.hpp>

namespace locdyn {

/// W by rows, as scipy.sparse.csr_matrix and Eigen's row-major SparseMatrix hold it.
struct CsrView {
  std::span<const int> row_pointers;  ///< (3n + 1), ascending from 0
  std::span<const int> columns;       ///< below 3n, in any order; entries that come twice are added
  std::span<const double> values;     ///< as many as `columns`
};

/// W by rows of 3×3 blocks, as scipy.sparse.bsr_matrix holds it.
struct BsrView {
  std::span<const int> row_pointers;  ///< (n + 1), ascending from 0
  std::span<const int> columns;       ///< of blocks, below n, in any order; blocks that come twice are added
  std::span<const double> values;     ///< nine for each of `columns`, a block row by row
};

/// The problem as a graph, for whoever solves it more than once: contact α has the id α, R = 0, packed by id. friction
/// (n or 1), b (3n); throws as `solve` does but for what a solver finds. Cost: one pass over W, and a sort of its rows.
[[nodiscard]] LocalDynamics graph_of(const CsrView& W, std::span<const double> b, std::span<const double> friction);
[[nodiscard]] LocalDynamics graph_of(const BsrView& W, std::span<const double> b, std::span<const double> friction);

/// How a problem given as a matrix is solved.
struct MatrixSolveOptions {
  std::string solver = "auto";  ///< a name of `solvers()`
  StopOptions stop = {};        ///< tolerance, limits, threads
};

/// Solves for R. friction: μ ≥ 0 of each contact (n), or one for all (1); b (3n). R (3n) is the warm start on entry and
/// the best iterate found on exit, whatever the status says. U (3n), where it is not empty, gets b + W R. Throws
/// std::invalid_argument where sizes do not fit, row pointers fall or do not end at the number of entries, a column or
/// a μ is out of range, a number is not finite, or a contact has W = 0 and a b that its law forbids. Cost beside the
/// solver's: one pass over W, which is copied.
[[nodiscard]] SolveReport solve(const CsrView& W, std::span<const double> b, std::span<const double> friction,
                                std::span<double> R, const MatrixSolveOptions& options = {}, std::span<double> U = {});
[[nodiscard]] SolveReport solve(const BsrView& W, std::span<const double> b, std::span<const double> friction,
                                std::span<double> R, const MatrixSolveOptions& options = {}, std::span<double> U = {});

}  // namespace locdyn
