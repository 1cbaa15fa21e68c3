#include <locdyn/solver/newton/bounded_map.hpp>

#include <array>
#include <cmath>

namespace locdyn::detail {
namespace {

// g of the law's blocks as they lie in the arena, and its derivative by their R.
struct GrowingBound {
  double g = 0;
  std::array<Eigen::Vector3d, 2> slope = {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
};

GrowingBound growing_bound(const NewtonRow& row, const DiagonalBlock& block) {
  const BoundedLaw& law = *row.law;
  std::array<Eigen::Vector3d, 2> R;
  for (int k = 0; k <= row.block; ++k) R[static_cast<std::size_t>(k)] = (&block)[k - row.block].R;
  GrowingBound load;
  load.g = law.load_of({R.data(), static_cast<std::size_t>(law.blocks())});
  if (load.g == 0) return load;
  for (int k = 0; k < law.blocks(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    for (int axis = 0; axis < 3; ++axis) {
      if (!uses(law.rows(k), axis) || uses(law.bounded_rows(k), axis)) continue;
      load.slope[at][axis] = law.load[at] * law.load[at] * R[at][axis] / load.g;
    }
  }
  return load;
}

}  // namespace

void set_bounded(const BoundedLaw& law, int block, const Eigen::Matrix3d& W, NewtonRow& row) {
  row.bounded = law.bounded_rows(block);
  row.law = &law;
  row.block = block;
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if (uses(row.bounded, axis)) sum += W(axis, axis) + row.compliance[axis];
  }
  row.tangent_scale = sum > 0 ? rows_in_use(row.bounded) / sum : 1.0;
}

Eigen::Vector3d bounded_map(const NewtonRow& row, double augmentation, const DiagonalBlock& block,
                            MapDerivative* derivative) {
  const double rho = augmentation * row.tangent_scale;
  const Eigen::Vector3d U = block.U + row.shift + row.compliance.cwiseProduct(block.R);
  Eigen::Vector3d F = U;  // hard rows, and bounded ones that stick
  Eigen::Matrix3d by_U = Eigen::Matrix3d::Identity(), by_R = Eigen::Matrix3d::Zero(), by_before = by_R;

  Eigen::Vector3d y = Eigen::Vector3d::Zero();
  for (int axis = 0; axis < 3; ++axis) {
    if (uses(row.bounded, axis)) y[axis] = block.R[axis] - rho * U[axis];
  }
  const GrowingBound load = growing_bound(row, block);
  Eigen::Vector3d f = y;
  row.law->cut(f, load.g);
  if (f != y) {
    // It slides: f = bound · y/‖y‖, in one row the bound on that side.
    const bool line = rows_in_use(row.bounded) == 1;
    const double length = y.norm();
    const Eigen::Vector3d along = line ? Eigen::Vector3d((y - f).normalized()) : Eigen::Vector3d(y / length);
    Eigen::Matrix3d turn = Eigen::Matrix3d::Zero();  // of f by y at the same bound
    if (!line) {
      turn = -along * along.transpose();
      for (int axis = 0; axis < 3; ++axis) {
        if (uses(row.bounded, axis)) turn(axis, axis) += 1;
      }
      turn *= f.norm() / length;
    }
    for (int axis = 0; axis < 3; ++axis) {
      if (!uses(row.bounded, axis)) continue;
      F[axis] = (block.R[axis] - f[axis]) / rho;
      by_U.row(axis) = turn.row(axis);
      by_R.row(axis) = (Eigen::Vector3d::Unit(axis).transpose() - turn.row(axis)) / rho;
      by_R.row(axis) -= along[axis] / rho * load.slope[static_cast<std::size_t>(row.block)].transpose();
      if (row.block > 0) by_before.row(axis) = -along[axis] / rho * load.slope[0].transpose();
    }
  }
  // U' in place of U; R = 0 where no row is in use.
  by_R += by_U * row.compliance.asDiagonal();
  for (int axis = 0; axis < 3; ++axis) {
    if (uses(row.rows, axis)) continue;
    F[axis] = block.R[axis] / row.normal_scale;
    by_U.row(axis).setZero();
    by_R.row(axis) = Eigen::Vector3d::Unit(axis).transpose() / row.normal_scale;
  }
  if (derivative != nullptr) {
    derivative->E = by_U;
    derivative->C = by_R;
    derivative->C_before = by_before;
  }
  return F;
}

}  // namespace locdyn::detail
