#include <locdyn/solver/newton/whole_graph.hpp>

#include <locdyn/ldy/velocities.hpp>

namespace locdyn::detail {

Residual WholeOfOne::residual() {
  return evaluate_residual(ldy_, stop_.threads);
}

void WholeOfOne::update_velocities() {
  detail::update_velocities(ldy_);
}

void WholeOfOne::sweep(long count, IterateWatch& watch) {
  if (!sweep_) sweep_ = choose_sweep(ldy_, {.stop = stop_});
  sweep_->read_reactions();
  for (long k = 0; k < count && !watch.out_of_time() && !watch.out_of_work(); ++k) {
    const double before = sweep_->products();
    sweep_->run(SweepDirection::forward, 1.0);
    watch.report().block_products += sweep_->products() - before;
  }
  sweep_->write_reactions();
}

}  // namespace locdyn::detail
