#include <locdyn/solver/nsgs/focus.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <locdyn/solver/nsgs/momentum.hpp>
#include <locdyn/solver/residual_core.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {
namespace {

// Work of sweeps, residuals and what they are set up by, in block products, over that without focus: pile, pile_large
// and hopper at 1e-3 and 1e-4, rubble at 1e-4 and bin at 1e-3 take 0.77 in the mean. Beside that:
constexpr std::size_t kLeastConstraints = 100;  // 50: 0.80 (rubble 1.02 in place of 0.79)
constexpr double kCover = 0.99;                 // 0.98 0.78, 0.995 0.81
constexpr double kMostInCore = 0.25;            // 0.4: 0.78
constexpr double kMostInFocus = 0.5;            // without: pile at 1e-3 takes 1.1 times the time
constexpr int kMostSweeps = 75;                 // 50 0.81, 120 0.77

constexpr std::int64_t kLookedAtAtOnce = 512;  // that a thread looks at

std::span<const Coupling> bodies_of(const LocalDynamics& ldy, const DiagonalBlock& first_row) {
  return ldy.factor()->couplings(static_cast<Index>(&first_row - ldy.diagonal_arena().data()));
}

}  // namespace

std::vector<ConstraintId> find_focus(const LocalDynamics& ldy, int threads) {
  if (ldy.constraint_count() < kLeastConstraints) return {};
  const std::vector<ConstraintId> core = residual_core(ldy, kCover, threads);
  const auto count = static_cast<double>(ldy.constraint_count());
  if (static_cast<double>(core.size()) > kMostInCore * count) return {};

  std::vector<char> of_core(ldy.factor()->group_count(), 0), in_core(ldy.id_bound(), 0);
  for (const ConstraintId id : core) {
    in_core[id] = 1;
    for (const Coupling& c : bodies_of(ldy, ldy.row(id))) of_core[c.body] = 1;
  }
  const auto diagonal = ldy.diagonal_arena();
  std::vector<char> in_focus(diagonal.size(), 0);  // by place of a first row
  const auto acts_on_core = [&](const Coupling& c) { return of_core[c.body] != 0; };
  parallel_for(std::ssize(diagonal), threads, kLookedAtAtOnce, [&](std::int64_t at) {
    const DiagonalBlock& row = diagonal[at];
    if (row.constraint == kNone || &row != &ldy.row(row.constraint)) return;
    const bool is_open = is_contact(ldy.law(row.constraint)) && row.R.isZero(0);
    in_focus[at] = in_core[row.constraint] != 0 || (!is_open && std::ranges::any_of(bodies_of(ldy, row), acts_on_core));
  });
  std::vector<ConstraintId> focus;
  for (std::size_t at = 0; at < diagonal.size(); ++at) {
    if (in_focus[at] != 0) focus.push_back(diagonal[at].constraint);
  }
  if (static_cast<double>(focus.size()) > kMostInFocus * count) return {};
  return focus;
}

void sweep_focus(VelocitySweep& sweep, double enough, double most_visits, int threads) {
  sweep.hold_the_rest(threads);
  Momentum momentum;
  for (int sweeps = 1; sweeps <= kMostSweeps && sweep.visits() < most_visits; ++sweeps) {
    sweep.carry_on(momentum.share(), threads);
    const double change = sweep.run(SweepDirection::forward, 1.0, threads);
    momentum.after_sweep(change);
    if (change <= enough) break;
  }
  sweep.write_reactions(threads);
}

}  // namespace locdyn::detail
