#include <locdyn/solver/newton/finish_by_newton.hpp>

#include <locdyn/solver/newton/newton.hpp>

namespace locdyn::detail {
namespace {

constexpr long kFinishingPatience = 50;

}  // namespace

long finish_by_newton(LocalDynamics& ldy, IterateWatch& watch, long done) {
  watch.restore_best();
  NewtonOptions options;
  options.stop = watch.left(done);
  options.first_sweeps = 0;
  options.patience = kFinishingPatience;
  const SolveReport turn = solve_newton(ldy, options);
  watch.report().add_cost(turn);
  watch.judge(done + turn.iterations);
  return turn.iterations;
}

}  // namespace locdyn::detail
