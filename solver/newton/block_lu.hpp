#pragma once
// Sparse LU of a matrix of dense blocks with a symmetric pattern, one block row a body: A = L U with unit block lower
// L, eliminated in the order of minimum degree. Row panels U_k = [A_kj] and T_k = [A_jkᵀ], j after k, are stored alike,
// so that the elimination of k is, for each i after it in its pattern,
//
//   D_i −= L_ik U_ki,   U_i −= L_ik U_k,   T_i −= U_kiᵀ T_k,   with T_k ← D_k⁻ᵀ T_k = L_·kᵀ before:
//
// products of a 6×6 block with long rows of numbers. There is no pivoting but inside the diagonal blocks: A is inertia
// plus what contacts add, and a solve that refinement does not bring to the equations says so.
//
// Source: Duff, Erisman & Reid, Direct Methods for Sparse Matrices (2nd ed. 2017), ch. 10 and 13; Amestoy, Davis &
// Duff, ACM TOMS 30 (2004) 381 (the order).

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace locdyn::detail {

class BlockLu {
 public:
  /// A block (row group × column group) to add to: entry (i, j) lies at values[i·stride + j], or where `transposed` at
  /// values[j·stride + i].
  struct Block {
    double* values;
    int stride;
    bool transposed;
  };

  /// The pattern: groups of `size` (each ≥ 1) unknowns; `start` (groups + 1) and `neighbours` (ascending by group, the
  /// group itself included or not) are symmetric. All blocks are zero, and take no memory until one is asked for. Cost:
  /// a minimum degree ordering of the groups.
  BlockLu(std::span<const int> size, std::span<const int> start, std::span<const int> neighbours);

  /// Sets all blocks to zero.
  void clear();
  /// The block of two groups that the pattern couples, or of one with itself; it stays where it is.
  [[nodiscard]] Block block(int row_group, int column_group);
  /// Factors what the blocks hold, which stays for `solve` to refine against. False where a diagonal block is singular.
  [[nodiscard]] bool factorise();
  /// x = A⁻¹ b of the last `factorise`, unknowns by group in the order given. Refined until a refinement changes x by
  /// at most 1e-7 of it; false where refinements do not get there.
  [[nodiscard]] bool solve(std::span<const double> b, std::span<double> x);
  /// x = A⁻ᵀ b by the same factor, refined in the same way: Uᵀ y = b, Lᵀ x = y.
  [[nodiscard]] bool solve_transposed(std::span<const double> b, std::span<double> x);
  /// The same without refinement, at a third of the cost, for whoever looks at what is left and goes on from there.
  void solve_roughly(std::span<const double> b, std::span<double> x);
  void solve_transposed_roughly(std::span<const double> b, std::span<double> x);

  /// Halves of solves with three columns that few groups have (block_lu_halves.cpp): numbers on the paths of those
  /// groups alone, so that what lies between two rows of a problem comes without a solve.
  struct Half {
    std::vector<int> pivots;     ///< on the paths, ascending
    std::vector<double> values;  ///< of each unknown of theirs, four: the columns, and 0
  };
  /// What one group has of the columns: 3 × size, row by row.
  struct Columns {
    int group;
    const double* values;
  };
  /// L⁻¹ B of the last `factorise`, A = L (D + U).
  void halve(std::span<const Columns> B, Half& half) { halve(Side::as_is, B, half); }
  /// (D + U)⁻ᵀ C.
  void halve_transposed(std::span<const Columns> C, Half& half) { halve(Side::transposed, C, half); }
  /// Cᵀ A⁻¹ B of halves of C transposed and of B.
  [[nodiscard]] Eigen::Matrix3d join(const Half& C, const Half& B) const;
  /// x += L⁻¹ B q.
  void add_half(const Half& B, const Eigen::Vector3d& q, std::span<double> x) const;
  /// x ← (D + U)⁻¹ x: what halves were added to becomes a solution, without refinement.
  void complete(std::span<double> x) { substitute_back(Side::as_is, x); }

  /// The sign of det A of the last `factorise`. Cost: an LU of each diagonal block.
  [[nodiscard]] int determinant_sign() const;

  [[nodiscard]] std::size_t unknowns() const noexcept { return left_.size(); }
  /// Floating point operations of one factorisation.
  [[nodiscard]] double flops() const noexcept { return flops_; }
  /// Products of two blocks in it, those with the inverse of a diagonal block and that itself included.
  [[nodiscard]] double block_products() const noexcept { return block_products_; }

 private:
  // A group in elimination order.
  struct Pivot {
    int size;
    int first;                     // of its unknowns, in the caller's order
    int width;                     // numbers in a row of its panels
    std::size_t diagonal;          // D (size × size), row by row
    std::size_t upper, lower;      // U and T (size × width), row by row
    std::uint32_t later, no_more;  // in entries_
  };
  // A later group in a pivot's pattern.
  struct Entry {
    int pivot;
    int column;                        // where its columns begin in the panels
    std::uint32_t runs, no_more_runs;  // in runs_: where the columns behind it go in the panels of `pivot`
  };
  struct Run {
    int from, to, length;
  };

  void count_flops();
  void find_runs();
  bool eliminate(const Pivot& k);
  void gather(const Pivot& k, std::span<const double> x);
  void subtract_behind(const Pivot& k, std::span<double> x) const;
  enum class Side { as_is, transposed };
  bool refined(Side side, std::span<const double> b, std::span<double> x);
  void apply_inverse(const Pivot& k, Side side, double* own);
  void substitute(Side side, std::span<double> x);
  void substitute_back(Side side, std::span<double> x);
  void take_paths(std::span<const Columns> B, Half& half);
  void halve(Side side, std::span<const Columns> B, Half& half);
  void residual(Side side, std::span<const double> b, std::span<const double> x, std::span<double> r);

  std::vector<int> place_;     // by group: its pivot
  std::vector<Pivot> pivots_;  // in elimination order
  std::vector<Entry> entries_;
  std::vector<Run> runs_;
  std::size_t size_ = 0;  // of values_, once they are asked for
  std::vector<double> values_, factor_;
  std::vector<double> left_, left_own_, behind_;  // b − A x; of one pivot; of the unknowns behind one
  std::vector<char> taken_;                       // by pivot: on a path
  std::vector<double> columns_;                   // four by unknown; zeros between calls
  double flops_ = 0, block_products_ = 0;
};

}  // namespace locdyn::detail
