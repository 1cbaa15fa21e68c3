#include <locdyn/dynamics/mechanism/mobility.hpp>

#include <locdyn/solver/saddle/motion_basis.hpp>

namespace locdyn {

Mobility mobility(Mechanism& mechanism) {
  const SaddleSystem& factor = mechanism.factorise();
  Mobility found{.coordinates = mechanism.coordinates(), .rows = mechanism.G().rows(), .rank = factor.rank()};
  found.freedoms = found.coordinates - found.rank;
  found.rank_lost = factor.rank_lost();
  for (const RedundantRow& row : factor.redundant()) {
    RepeatedRow& named = found.redundant.emplace_back(RepeatedRow{mechanism.spelled(row.row), {}});
    for (const Eigen::Index other : row.others) named.others.push_back(mechanism.spelled(other));
  }
  if (const WeakestRow weakest = factor.weakest(); weakest.row >= 0) {
    found.weakest = weakest.singular_value;
    found.weakest_row = mechanism.spelled(weakest.row);
  }
  for (BodyId id = 0; id < mechanism.bodies().size(); ++id) {
    const Eigen::Index at = mechanism.first(id), n = mechanism.bodies()[id].freedoms();
    if (n > 0 && mechanism.G().middleCols(at, n).nonZeros() == 0) found.loose.push_back(id);
  }
  return found;
}

Eigen::MatrixXd free_motions(Mechanism& mechanism) {
  mechanism.evaluate();
  return MotionBasis(mechanism.G()).vectors();
}

}  // namespace locdyn
