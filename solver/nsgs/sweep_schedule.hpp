#pragma once
// The order in which a sweep visits the constraints, and which of them may be visited at once.
//
// The graph's order is cut into batches of consecutive constraints. Batches are coloured: two of one colour are not
// coupled, so that threads may sweep them together, each from its first constraint to its last. Since a batch keeps the
// graph's order, such a sweep converges much as the serial one does and a thread stays within a few cache lines, which
// a colouring of single constraints would give up. Colours with few batches are swept one batch after the other: the
// overflow set. The schedule comes from the graph and the R in it, never from the number of threads, and so do the
// bits.
//
// Source: greedy colouring in order (Welsh & Powell, Comput. J. 10 (1967) 85–86); blocks: Iwashita, Nakashima &
// Takahashi, IPDPS (2012) 474–483 (block multicolour ordering).

#include <span>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

struct SweepSchedule {
  std::vector<ConstraintId> sequence;  ///< every constraint once
  std::vector<Index> first;            ///< by batch, one more at the end: into `sequence`
  std::vector<Index> colour;           ///< by colour, one more at the end: its first batch
  Index parallel = 0;                  ///< so many colours may be swept by several threads; the rest are the overflow

  [[nodiscard]] Index batch_count() const noexcept { return static_cast<Index>(first.size() - 1); }
  [[nodiscard]] Index colour_count() const noexcept { return static_cast<Index>(colour.size() - 1); }
};

enum class SweepDirection { forward, backward };

/// The graph's own order as one batch. Cost: one pass over the rows.
[[nodiscard]] SweepSchedule serial_schedule(const LocalDynamics& ldy);

struct GroupingOptions {
  /// Constraints in a batch, ≥ 1. Sixteen moving scenes at 1e-3 and 1e-4 beside 192: 384 and 1000 0.99 of the time; ten
  /// sweeps of a tower 0.94 and 0.91, of a wall 0.91 both.
  Index batch = 1000;
  /// Each batch is put in groups of so many constraints that are not coupled with each other, as far as it has them, so
  /// that they may be visited at once, ≥ 1. 1 keeps the graph's order.
  Index group = 4;
};

struct ColouringOptions {
  /// Constraints in a batch, ≥ 1. Sweeps to 1e-6 beside the serial order with 96: tower 0.9 to 1.0, wall 1.3, rocks
  /// 0.9, spheres 1.1; longer ones did no better and leave more in the overflow set.
  Index batch = 96;
  Index least = 4;          ///< batches that a colour needs to be swept in parallel, ≥ 1
  Index most_colours = 32;  ///< 1 … 64; what finds none free belongs to the overflow set
  Index group = 4;          ///< as in GroupingOptions
  /// The order that batches are cut from: the graph's own, or by bandwidth, where that has none, as in files: each
  /// batch is then coupled with nearly all others.
  bool by_bandwidth = false;
};

/// Batches of the order chosen, coloured greedily in order of most neighbours. Throws std::invalid_argument for
/// options out of range. Cost: one pass over the blocks.
[[nodiscard]] SweepSchedule coloured_schedule(const LocalDynamics& ldy, const ColouringOptions& options = {});

/// The graph's order as one batch, in which batches of `options.batch` are put in groups. Errors and cost are the same.
[[nodiscard]] SweepSchedule grouped_schedule(const LocalDynamics& ldy, const GroupingOptions& options = {});
/// The same of the constraints listed, in the order in which they are.
[[nodiscard]] SweepSchedule grouped_schedule_of(const LocalDynamics& ldy, std::vector<ConstraintId> sequence,
                                                const GroupingOptions& options = {});

/// Which constraints fill a group. `by_state`: those whose warm starts do the same, hold, slide or are open, as far as
/// that goes, so that a visit of four takes one branch of the law; of a falling pile's contacts a third slides, and
/// four fifths of the visits had one of them. Five moving scenes at 1e-3 and 1e-4 take 0.94 of the time that those
/// filled in the graph's order take. What this leaves goes together as by `full`: ten sweeps of a wall take 0.93 of the
/// time. `full`: those on a body first that else would leave a group unfilled. Of 1 029 000 contacts of a lattice in
/// batches of 96 the order leaves 6 % without a group, this one 1.9 %, and a sweep takes 0.93 of the time.
enum class GroupFilling { by_state, full };

/// The constraints of each batch (first: by batch, one more at the end, into `sequence`) put in groups of `group` ≥ 1
/// that are not coupled with each other, as far as it has them. Cost: a few passes over the couplings.
void set_batches_in_groups(const LocalDynamics& ldy, std::span<const Index> first, Index group, GroupFilling filling,
                           std::span<ConstraintId> sequence);

}  // namespace locdyn::detail
