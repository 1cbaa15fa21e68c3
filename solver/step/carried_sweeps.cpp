#include <locdyn/solver/step/carried_sweeps.hpp>

#include <algorithm>

#include <locdyn/solver/newton/newton_system.hpp>

namespace locdyn::detail {
namespace {

// Down to this tolerance sweeps have momentum. Below it is Newton that ends a solve, from another start and by another
// walk along the null space of W, for better or worse: the whole of scenes/wall.json at 1e-6 takes 12.6 and 12.8 s
// without, 14.0, 15.9 and 24.5 s with (three first l), the last with two steps unsolved; Jenga at 1e-8 14.5 and 14.7 s
// with, and without stands for half a minute at its 58th step; fifteen moving scenes in their first 1.5 s take 0.97 of
// the time with at 1e-6 and 0.99 at 1e-8.
constexpr double kCarriedFrom = 1e-5;

// Further down where every contact gives way, which leaves no null space, and a body has few: five piles of balls and
// capsules on springs take 0.60, 0.88, 1.05, 1.05 and 0.50 of the time at 1e-6, 1.03 in the mean at 1e-8; boxes, 4.4
// contacts a body, 1.23. Where contacts are hard a drum with few takes 0.80, and a wrecked wall 1.35.
constexpr double kCarriedFromWhereSoft = 1e-7, kFewContactsABody = 3;

}  // namespace

bool are_carried(const LocalDynamics& ldy, double tolerance) {
  if (tolerance >= kCarriedFrom) return true;
  const auto gives = [&](const DiagonalBlock& row) { return gives_way(ldy.law(row.constraint)); };
  return tolerance >= kCarriedFromWhereSoft && works_in_velocities(ldy) &&
         static_cast<double>(ldy.constraint_count()) <=
             kFewContactsABody * static_cast<double>(ldy.factor()->group_count()) &&
         std::ranges::all_of(ldy.rows(), gives);
}

}  // namespace locdyn::detail
