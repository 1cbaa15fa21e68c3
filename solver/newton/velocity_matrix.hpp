#pragma once
// The matrix of a direct step in the space of velocities, A/h + Σ_α H_αᵀ K_α H_α with a 3×3 K_α for each row, for
// graphs that know their factor: as many unknowns as there are velocities, and the pattern of the bodies' contact graph
// whatever K, so that it is analysed once. K may be unsymmetric.
//
// Source: the Woodbury identity; the primal form of Todorov, ICRA (2014) and Castro et al., IEEE T-RO (2022).

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/newton/block_lu.hpp>
#include <locdyn/solver/newton/sparse_lu.hpp>

namespace locdyn::detail {

class VelocityMatrix {
 public:
  /// Is the x of `solve` right to rounding, so that H x may stand for W dR?
  static constexpr bool kSolvesToRounding = true;

  /// The graph knows its factor (`ldy.factor()`), outlives the matrix and does not change. Cost: a minimum degree
  /// ordering of the groups of velocities that rows act on; the numbers are laid out by the first `clear`.
  explicit VelocityMatrix(const LocalDynamics& ldy);

  [[nodiscard]] std::size_t unknowns() const noexcept { return unknowns_; }

  /// A/h alone: the first thing to do.
  void clear();
  /// Adds H_αᵀ K H_β of two rows, by place in the arena, that act on the same bodies, or of one with itself.
  void add_block(Index row, const Eigen::Matrix3d& K, Index column);
  /// All rows are here: what holds for them holds.
  [[nodiscard]] static bool everywhere(bool here) noexcept { return here; }
  /// Factors and solves for the right-hand side; more of them with `solve_again`. False where the matrix is singular or
  /// memory ran out. Cost: a sparse LU by blocks, or where that has no pivots or costs more, one with pivoting.
  [[nodiscard]] bool solve(std::span<const double> b, std::span<double> x);
  [[nodiscard]] bool solve_again(std::span<const double> b, std::span<double> x);
  /// Aᵀ x = b after `solve`, by the same factor where that is one by blocks, else by one of the transpose, made once.
  [[nodiscard]] bool solve_transposed(std::span<const double> b, std::span<double> x);
  /// The last two without refinement where the factor is one by blocks, for whoever looks at what is left.
  [[nodiscard]] bool solve_again_roughly(std::span<const double> b, std::span<double> x);
  [[nodiscard]] bool solve_transposed_roughly(std::span<const double> b, std::span<double> x);

  /// The halves of H_α M⁻¹ H_αᵀ, M what `solve` factored last; BlockLu joins and adds them. False where that factor is
  /// none by blocks.
  [[nodiscard]] bool halve(Index row, BlockLu::Half& left, BlockLu::Half& right);
  [[nodiscard]] BlockLu& blocks() noexcept { return blocks_; }

  /// The sign of the determinant after `solve`.
  [[nodiscard]] int determinant_sign() const {
    return by_blocks_ ? blocks_.determinant_sign() : lu_.determinant_sign();
  }

  /// First unknown of the group that a coupling names; −1 where no row acts on it.
  [[nodiscard]] int first_unknown(const Coupling& c) const noexcept {
    return group_of_[c.body] < 0 ? -1 : groups_[group_of_[c.body]].first;
  }

  /// b −= A/h y.
  void subtract_inertia(std::span<const double> y, std::span<double> b) const;
  /// b += H_αᵀ r.
  void add_pull(Index row, const Eigen::Vector3d& r, std::span<double> b) const {
    const double* H = H_.data() + first_H_[row];
    for (const Coupling& c : factor_.couplings(row)) {
      double* own = b.data() + groups_[group_of_[c.body]].first;
      c.freedoms == 6 ? add_pull_of<6>(H, 6, r, own) : add_pull_of<0>(H, static_cast<int>(c.freedoms), r, own);
      H += 3 * c.freedoms;
    }
  }
  /// H_α y.
  [[nodiscard]] Eigen::Vector3d motion(Index row, std::span<const double> y) const {
    Eigen::Vector4d sum = Eigen::Vector4d::Zero();  // columns of H are four numbers apart
    for (const Coupling& c : factor_.couplings(row)) {
      const double* H = factor_.H.data() + 4 * c.place;
      const double* own = y.data() + groups_[group_of_[c.body]].first;
      c.freedoms == 6 ? add_motion_of<6>(H, 6, own, sum) : add_motion_of<0>(H, static_cast<int>(c.freedoms), own, sum);
    }
    return sum.head<3>();
  }

  /// Floating point operations of all factorisations so far.
  [[nodiscard]] double flops() const noexcept { return flops_; }
  /// What one solve will cost, as `block_lu_cost` does, from counts alone.
  [[nodiscard]] double symbolic_cost() const;

 private:
  // Where a group lies among the unknowns.
  struct Group {
    int first = 0;
    int size = 0;
  };

  // The columns of one coupling, `kFreedoms` of them where that is not 0; H by rows, and by columns.
  template <int kFreedoms>
  static void add_pull_of(const double* H, int freedoms, const Eigen::Vector3d& r, double* __restrict own) {
    const int n = kFreedoms > 0 ? kFreedoms : freedoms;
    for (int j = 0; j < n; ++j) own[j] += H[j] * r[0] + H[n + j] * r[1] + H[2 * n + j] * r[2];
  }
  template <int kFreedoms>
  static void add_motion_of(const double* H, int freedoms, const double* own, Eigen::Vector4d& sum) {
    const int n = kFreedoms > 0 ? kFreedoms : freedoms;
    for (int j = 0; j < n; ++j, H += 4) sum += own[j] * Eigen::Map<const Eigen::Vector4d>(H);
  }

  void find_groups();
  void find_neighbours();
  void lay_out();
  [[nodiscard]] double block_cost() const;
  [[nodiscard]] double general_cost() const;
  void fill_matrix();
  void fill_transpose();

  const LocalDynamics& ldy_;
  const DelassusFactor& factor_;
  std::vector<int> group_of_;  // by body, −1 where no row acts on it
  std::vector<Group> groups_;
  std::vector<int> first_neighbour_ = {0}, neighbours_;  // by group, those coupled with it and itself; ascending
  int most_freedoms_ = 0;                                // of a group
  std::vector<Coupling> some_coupling_;                  // by group: one coupling that names it
  std::size_t unknowns_ = 0;
  BlockLu blocks_{{}, std::vector<int>{0}, {}};
  std::vector<std::size_t> first_pair_;  // by place, in pairs_
  std::vector<BlockLu::Block> pairs_;    // where the products of a row's bodies go
  std::vector<std::size_t> first_H_;     // by place, in H_
  std::vector<double> H_;                // of one row's couplings after the other, each 3×n row by row
  SparseLu lu_;                          // where blocks are slower or fail
  SparseRows matrix_;
  SparseLu turned_lu_;      // of the transpose, where somebody asked for it
  SparseRows turned_;       // empty until then
  bool by_blocks_ = false;  // the last solve
  double flops_ = 0;
  std::vector<BlockLu::Columns> columns_;  // of one row
  std::vector<double> KH_;                 // of one coupling, row by row
};

}  // namespace locdyn::detail
