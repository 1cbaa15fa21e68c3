#include <locdyn/solver/newton/finish_by_newton.hpp>

#include <locdyn/solver/newton/newton.hpp>

namespace locdyn {
namespace {

constexpr long kFinishingPatience = 50;

}  // namespace

long finish_by_newton(LocalDynamics& ldy, const StopOptions& stop, IterateWatch& watch, long done) {
  watch.restore_best();
  NewtonOptions options;
  options.stop = limits_left(stop, done, watch.seconds());
  options.first_sweeps = 0;
  options.patience = kFinishingPatience;
  const SolveReport turn = solve_newton(ldy, options);
  watch.report().factorisations += turn.factorisations;
  watch.report().factorisation_flops += turn.factorisation_flops;
  watch.report().block_products += turn.block_products;
  watch.report().stages.factorisation += turn.stages.factorisation;
  watch.judge(done + turn.iterations);
  return turn.iterations;
}

}  // namespace locdyn
