#pragma once
// A Newton step in the space of velocities. With W = h H A⁻¹ Hᵀ and y = h A⁻¹ Hᵀ dR the change of velocities, each
// pressed row has dR = −G (F + E H y), G = (w E + C)⁻¹ (3×3), and what is left is
//
//   (A/h + Hᵀ G E H) y = −Hᵀ G F + Σ_open Hᵀ dR
//
// in as many unknowns as there are velocities, with the pattern of the bodies' contact graph whatever the active set:
// one symbolic analysis. Moments follow the force of their contact, dR_m = −G_m (F_m + E_m H_m y + E_n (H y)_n +
// (w E_n + C_n) dR_n), and add the block between the two. The weight w > 0 keeps G finite; what rounding takes from dR
// is ε/w of it, and Newton's next step gives it back.
//
// Source: the Woodbury identity; the primal form of Todorov, ICRA (2014) and Castro et al., IEEE T-RO (2022), for the
// linearisation of the exact cone.

#include <cstddef>
#include <vector>

#include <locdyn/solver/newton/block_lu.hpp>
#include <locdyn/solver/newton/newton_system.hpp>
#include <locdyn/solver/newton/sparse_lu.hpp>

namespace locdyn {

class VelocitySystem final : public NewtonSystem {
 public:
  /// The graph knows its factor (`ldy.factor()`).
  explicit VelocitySystem(const LocalDynamics& ldy);

  /// Cost: some 300 multiplications a row and pair of its groups, and a sparse LU with one unknown a velocity.
  [[nodiscard]] bool solve(std::span<const LinearisedRow> rows, std::span<Eigen::Vector3d> step) override;
  [[nodiscard]] double flops() const noexcept override { return flops_; }
  /// What one solve will cost, as `block_lu_cost` does, from a minimum degree ordering of the groups.
  [[nodiscard]] double symbolic_cost() const;

 private:
  // Where a group lies among the unknowns.
  struct Group {
    int first = 0;
    int size = 0;
    std::vector<int> neighbours;  // groups coupled with it, itself included, ascending
  };

  struct Pattern {
    std::vector<int> size, start, neighbours;  // of groups
  };

  void find_groups();
  void lay_out();
  [[nodiscard]] Pattern pattern() const;
  [[nodiscard]] double block_cost() const;
  [[nodiscard]] double general_cost() const;
  [[nodiscard]] double general_cost_once();
  void add_inertia();
  bool add_row(const LinearisedRow& row, Index place, const Eigen::Vector3d& open_step);
  void add_block(Index row, const Eigen::Matrix3d& K, Index column);
  void add_pull(Index row, const Eigen::Vector3d& pull);
  void add_dependence(std::span<const LinearisedRow> rows, Index place);
  [[nodiscard]] bool solve_linear();
  void fill_matrix();
  [[nodiscard]] Eigen::Vector3d change_of(Index place) const;

  const LocalDynamics& ldy_;
  const DelassusFactor& factor_;
  std::vector<int> group_of_;  // by body, −1 where no row acts on it
  std::vector<Group> groups_;
  std::vector<Coupling> some_coupling_;  // by group: one coupling that names it
  BlockLu blocks_{{}, std::vector<int>{0}, {}};
  std::vector<std::size_t> first_pair_;  // by place, in pairs_
  std::vector<BlockLu::Block> pairs_;    // where the products of a row's bodies go
  SparseLu lu_;                          // where blocks are slower or fail
  SparseRows matrix_;
  double general_cost_ = 0, flops_ = 0;
  std::vector<double> rows_of_H_, rows_of_KH_;  // of one coupling, row by row
  std::vector<double> rhs_, solution_;
  std::vector<Eigen::Matrix3d> G_;  // by place
};

}  // namespace locdyn
