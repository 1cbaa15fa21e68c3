#pragma once
// A Newton step in the space of rows: (E (W + w) + C) dR = −F over the pressed rows, from the blocks of W. Moments add
// E_n and C_n times the row n of their force, which has the same neighbours, bounded rows C_before.

#include <utility>
#include <vector>

#include <locdyn/solver/newton/newton_system.hpp>
#include <locdyn/solver/newton/sparse_lu.hpp>

namespace locdyn::detail {

class RowSystem final : public NewtonSystem {
 public:
  explicit RowSystem(const LocalDynamics& ldy);

  /// Cost: a sparse LU of three rows for each pressed row, analysed anew where the pressed rows have changed.
  [[nodiscard]] bool solve(std::span<const LinearisedRow> rows, std::span<Eigen::Vector3d> step) override;
  [[nodiscard]] double flops() const noexcept override { return lu_.flops(); }
  [[nodiscard]] double step_cost() const override;

 private:
  using RowBlocks = std::vector<std::pair<Index, const Eigen::Matrix3d*>>;

  void assemble(std::span<const LinearisedRow> rows, std::span<const Eigen::Vector3d> step);
  Eigen::Vector3d gather(std::span<const LinearisedRow> rows, std::span<const Eigen::Vector3d> step,
                         const DiagonalBlock& row, const Eigen::Matrix3d& own, RowBlocks& blocks) const;

  const LocalDynamics& ldy_;
  SparseLu lu_;
  SparseRows matrix_;
  std::vector<int> unknown_;  // first unknown of a pressed row by place, −1 else
  std::vector<double> rhs_, solution_;
  RowBlocks row_blocks_, force_blocks_;
};

}  // namespace locdyn::detail
