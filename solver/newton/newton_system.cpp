#include <locdyn/solver/newton/newton_system.hpp>

#include <algorithm>
#include <variant>

#include <locdyn/ldy/velocities.hpp>
#include <locdyn/solver/newton/row_system.hpp>
#include <locdyn/solver/newton/velocity_system.hpp>

namespace locdyn::detail {
namespace {

// Of a sweep: a row's own law, and each block product. Over the blocks of W a rolling contact, two rows, solves six
// equations by Newton in each visit: 860 ns in the first 25 sweeps of a solve, where a Coulomb contact takes 80. Heaps
// of balls and boxes that roll, of 120, 150 and 80 bodies, beside 100 for their rows, too: 1.01, 1.05, 0.55 and 0.52,
// 1.19, 0.97, 0.40 and 0.71, 0.97 and 0.90 of the time from 1e-3 downwards; 300 and 600 as good in the mean. Through
// velocities its moment is one more row: five scenes of balls, boxes and logs that roll take with 100 in place of 1200
// 0.94 of the time at 1e-4, 0.98 at 1e-6 and 0.88 at 1e-8.
constexpr double kFlopsOfRow = 100, kFlopsOfRollingRow = 1200, kFlopsOfBlock = 18;

double flops_of_sweep(const LocalDynamics& ldy) {
  double flops = kFlopsOfBlock * velocity_products(ldy);
  const double of_rolling = works_in_velocities(ldy) ? kFlopsOfRow : kFlopsOfRollingRow;
  for (const DiagonalBlock& row : ldy.rows()) {
    flops += std::holds_alternative<RollingLaw>(ldy.law(row.constraint)) ? of_rolling : kFlopsOfRow;
  }
  return flops;
}

long in_sweeps(const LocalDynamics& ldy, double flops) {
  constexpr double kMost = 4000;
  if (ldy.row_count() == 0) return 1;
  return static_cast<long>(std::clamp(flops / flops_of_sweep(ldy), 1.0, kMost));
}

}  // namespace

bool works_in_velocities(const LocalDynamics& ldy) {
  return ldy.factor() != nullptr;
}

long sweeps_per_newton_step(const LocalDynamics& ldy, const NewtonSystem& system) {
  return in_sweeps(ldy, system.step_cost());
}

long sweeps_per_newton_step(const LocalDynamics& ldy) {
  return ldy.row_count() == 0 ? 1 : sweeps_per_newton_step(ldy, *make_newton_system(ldy));
}

long least_sweeps_per_newton_step(const LocalDynamics& ldy) {
  return works_in_velocities(ldy) ? in_sweeps(ldy, VelocitySystem::cost_of_rows(ldy)) : 1;
}

std::unique_ptr<NewtonSystem> make_newton_system(const LocalDynamics& ldy) {
  if (works_in_velocities(ldy)) return std::make_unique<VelocitySystem>(ldy);
  return std::make_unique<RowSystem>(ldy);
}

}  // namespace locdyn::detail
