#include <locdyn/simulation/stepping/gap_projection.hpp>

#include <cmath>

namespace locdyn::detail {

bool project_gaps(const LocalDynamics& graph, const DelassusFactor& factor, std::span<const ConstraintId> ids,
                  std::span<const double> sigma, const GapProjectionOptions& options, PaddedVelocities& displacement) {
  double sigma2 = 0;
  for (const ConstraintId id : ids) sigma2 += sigma[id] * sigma[id];
  const double norm = std::sqrt(sigma2);

  NormalSweep sweep(
      {ids.begin(), ids.end()}, options.threads, graph, factor,
      [&](ConstraintId id) { return NormalSweep::Load{.b = sigma[id]}; }, displacement);
  for (long k = 0; k < options.sweeps && sweep.run() > options.tolerance * norm; ++k) {
  }
  if (sweep.residual() < options.accepted * norm) return true;
  sweep.undo();
  return false;
}

}  // namespace locdyn::detail
