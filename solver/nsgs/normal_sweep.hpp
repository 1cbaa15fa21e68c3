#pragma once
// Sweeps over the normals alone, without friction: with v the velocities of the groups,
//
//   0 ≤ R_i ⟂ b_i + c_i R_i + H_i v ≥ 0,   v = Σ Y_i R_i,
//
// by projected Gauss–Seidel in v: R_i ← max(0, R_i − (b_i + c_i R_i + H_i v) / W_i), W_i = c_i + H_i Y_i. H_i and Y_i
// are the normal rows of the graph's factor, copied one behind the other in the order of the sweep; a visit costs 24
// products. Source: Cottle, Pang & Stone, The Linear Complementarity Problem (1992) §5.2; in velocities: Jourdan, Alart
// & Jean, CMAME 155 (1998) 31–47.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <locdyn/ldy/arena.hpp>
#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/nsgs/sweep_schedule.hpp>

namespace locdyn::detail {

/// The velocities of each group of a factor, and zeros behind them up to a whole vector register.
class PaddedVelocities {
 public:
  static constexpr std::uint32_t kRegister = 4;  ///< numbers

  /// Of all groups, zero. Cost: one pass over the couplings.
  explicit PaddedVelocities(const DelassusFactor& factor);
  /// (n of the group).
  [[nodiscard]] std::span<double> of(Index group) noexcept { return {&numbers_[first_[group]], freedoms_[group]}; }
  [[nodiscard]] std::span<const double> of(Index group) const noexcept {
    return {&numbers_[first_[group]], freedoms_[group]};
  }

 private:
  std::vector<std::uint32_t> first_, freedoms_;  // by group
  Arena<double> numbers_;
};

class NormalSweep {
 public:
  /// What a row asks for: b and c ≥ 0.
  struct Load {
    double b = 0, c = 0;
  };
  /// Of a constraint's row, the first it has. Called by several threads at once.
  using LoadOf = std::function<Load(ConstraintId)>;

  /// The rows of the constraints listed, as far as W_nn > 0, R = 0; they are swept in that order, many of them by
  /// domains (`dissected_schedule`). `factor` is that of the graph's rows, both are read here only; `velocities`, zero
  /// for the groups of these rows, outlives the sweep.
  NormalSweep(std::vector<ConstraintId> ids, int threads, const LocalDynamics& graph, const DelassusFactor& factor,
              const LoadOf& load_of, PaddedVelocities& velocities);

  /// Sweeps once, the same bits on any number of threads. ‖W ΔR‖ over the rows.
  double run();
  /// ‖W (R − max(0, R − U/W))‖: what `run` would change if rows did not see each other's changes.
  [[nodiscard]] double residual();
  /// Takes back what all rows have done to the velocities.
  void undo();

  /// A group that a row acts on.
  struct Side {
    double* velocities;
    std::uint32_t registers;  ///< that they fill
  };
  /// A row, and what it has done so far.
  struct Row {
    double b, c, R, W, inverse_W;
    const DiagonalBlock* block;
    const Side* sides;
    const double* factors;  ///< its H and Y of one side after the other, each filled up with zeros
    std::uint32_t side_count;
    std::uint32_t rigid_sides;  ///< `side_count` where all have two registers, as rigid bodies do, else 0
  };
  /// Calls `visit(row)` for each, in the order of the sweep.
  template <class Visit>
  void for_each_row(const Visit& visit) const {
    for (const Batch& batch : batches_) {
      for (const Row& row : batch.rows) visit(row);
    }
  }

 private:
  struct Batch {
    std::vector<Row> rows;
    Arena<Side> sides;      // of one row after the other
    Arena<double> factors;  // of one side after the other
    double sum = 0;         // of the last run or residual
  };

  void take(std::span<const ConstraintId> ids, const LocalDynamics& graph, const DelassusFactor& factor,
            const LoadOf& load_of, Batch& batch);
  template <bool moves>
  double norm_of();

  SweepSchedule schedule_;
  int threads_;
  PaddedVelocities& velocities_;
  std::vector<Batch> batches_;
};

}  // namespace locdyn::detail
