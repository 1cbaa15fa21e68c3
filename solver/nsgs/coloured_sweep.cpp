#include <locdyn/solver/nsgs/coloured_sweep.hpp>

#include <array>
#include <numeric>
#include <span>
#include <utility>

namespace locdyn::detail {
namespace {

LocalDynamics copy_in_order(const LocalDynamics& ldy, std::span<const ConstraintId> sequence) {
  const std::array<std::span<const ConstraintId>, 1> whole = {sequence};
  return std::move(ldy.extract(whole).front());
}

// The same batches and colours where the constraints are numbered in their order.
SweepSchedule renumbered(SweepSchedule schedule) {
  std::iota(schedule.sequence.begin(), schedule.sequence.end(), ConstraintId{0});
  return schedule;
}

}  // namespace

// Groups are for several contacts in one instruction, which the blocks of W have no use for.
ColouredSweep::ColouredSweep(LocalDynamics& ldy, int threads)
    : ColouredSweep(ldy, coloured_schedule(ldy, {.group = 1, .by_bandwidth = true}), threads) {}

ColouredSweep::ColouredSweep(LocalDynamics& ldy, SweepSchedule schedule, int threads)
    : ldy_(ldy),
      sequence_(schedule.sequence),
      copy_(copy_in_order(ldy, sequence_)),
      sweep_(copy_, renumbered(std::move(schedule)), threads) {}

// Rows of the copy lie in the order of `sequence_`, those of one law one behind the other in both graphs.
void ColouredSweep::read_reactions() {
  DiagonalBlock* to = copy_.diagonal_arena().data();
  for (const ConstraintId id : sequence_) {
    const DiagonalBlock* from = &ldy_.row(id);
    for (int k = block_count(ldy_.law(id)); k > 0; --k) (to++)->R = (from++)->R;
  }
}

void ColouredSweep::write_reactions() {
  const DiagonalBlock* from = copy_.diagonal_arena().data();
  for (const ConstraintId id : sequence_) {
    DiagonalBlock* to = &ldy_.row(id);
    for (int k = block_count(ldy_.law(id)); k > 0; --k) (to++)->R = (from++)->R;
  }
}

}  // namespace locdyn::detail
