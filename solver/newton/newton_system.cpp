#include <locdyn/solver/newton/newton_system.hpp>

#include <algorithm>

#include <locdyn/ldy/velocities.hpp>
#include <locdyn/solver/newton/row_system.hpp>
#include <locdyn/solver/newton/velocity_system.hpp>

namespace locdyn::detail {

bool works_in_velocities(const LocalDynamics& ldy) {
  return ldy.factor() != nullptr;
}

long sweeps_per_newton_step(const LocalDynamics& ldy, const NewtonSystem& system) {
  constexpr double kMost = 4000;
  if (ldy.row_count() == 0) return 1;
  constexpr double kFlopsOfRow = 100, kFlopsOfBlock = 18;  // of a sweep: its own law, and each block product
  const double sweep = kFlopsOfRow * static_cast<double>(ldy.row_count()) + kFlopsOfBlock * velocity_products(ldy);
  return static_cast<long>(std::clamp(system.step_cost() / sweep, 1.0, kMost));
}

long sweeps_per_newton_step(const LocalDynamics& ldy) {
  return ldy.row_count() == 0 ? 1 : sweeps_per_newton_step(ldy, *make_newton_system(ldy));
}

std::unique_ptr<NewtonSystem> make_newton_system(const LocalDynamics& ldy) {
  if (works_in_velocities(ldy)) return std::make_unique<VelocitySystem>(ldy);
  return std::make_unique<RowSystem>(ldy);
}

}  // namespace locdyn::detail
