#include <locdyn/solver/newton/contact_maps.hpp>

#include <algorithm>

#include <locdyn/solver/local/disc_friction.hpp>

namespace locdyn::detail {
namespace {

// Ratios of the coefficients below count as a direction without friction: its reaction is far below rounding.
constexpr double kLeastStretch = 1e-12;

double scale_of(double w) {
  return w > 0 ? 1 / w : 1.0;
}

}  // namespace

void set_ellipse(const Eigen::Vector2d& sliding, const Eigen::Matrix3d& W, NewtonRow& row) {
  row.stretch = sliding / row.friction;
  double sum = 0;
  int directions = 0;
  for (int k = 0; k < 2; ++k) {
    if (row.stretch[k] < kLeastStretch) {
      row.stretch[k] = 0;
    } else {
      sum += row.stretch[k] * row.stretch[k] * W(k, k);
      ++directions;
    }
  }
  row.tangent_scale = scale_of(sum / directions);
}

Eigen::Vector3d elliptic_map(const NewtonRow& row, FrictionMap map, double augmentation, const DiagonalBlock& block,
                             bool& pressed, MapDerivative* derivative) {
  // The axes of the circle. One that has no friction goes to t2, which a planar contact leaves out.
  const bool flat = row.stretch.minCoeff() == 0;
  const int first = row.stretch[0] > 0 ? 0 : 1;
  const int axes[3] = {first, 1 - first, 2};
  Eigen::Vector3d S(row.stretch[axes[0]], flat ? 1 : row.stretch[axes[1]], 1);
  NewtonRow circle = row;
  circle.planar = flat;
  Eigen::Vector3d U, R;
  for (int k = 0; k < 3; ++k) {
    U[k] = S[k] * block.U[axes[k]];
    R[k] = block.R[axes[k]] / S[k];
    circle.shift[k] = S[k] * row.shift[axes[k]];
  }
  MapDerivative d;
  const Eigen::Vector3d F =
      friction_map(circle, map, augmentation, U, R, pressed, derivative != nullptr ? &d : nullptr);
  Eigen::Vector3d result;
  for (int i = 0; i < 3; ++i) {
    result[axes[i]] = F[i] / S[i];
    if (derivative == nullptr) continue;
    for (int j = 0; j < 3; ++j) {
      derivative->E(axes[i], axes[j]) = d.E(i, j) * S[j] / S[i];
      derivative->C(axes[i], axes[j]) = d.C(i, j) / (S[i] * S[j]);
    }
  }
  return result;
}

void set_moment(const Friction& friction, const Eigen::Matrix3d& force, const Eigen::Matrix3d& W, NewtonRow& row) {
  row.moment = true;
  row.planar = false;
  row.rolling = friction.rolling / friction.length;
  row.torsional = friction.torsional / friction.length;
  row.normal_scale = scale_of(force(2, 2));
  row.tangent_scale = scale_of(row.rows == kRowPlanarRolling ? W(1, 1) : 0.5 * (W(0, 0) + W(1, 1)));
  row.twist_scale = scale_of(W(2, 2));
}

Eigen::Vector3d moment_map(const NewtonRow& row, FrictionMap map, double augmentation, const DiagonalBlock& moments,
                           bool& pressed, MapDerivative* derivative) {
  const DiagonalBlock& force = (&moments)[-1];
  const double rho_n = augmentation * row.normal_scale;
  const double rho_r = augmentation * row.tangent_scale;
  const double rho_s = augmentation * row.twist_scale;
  const double x = force.R[2] - rho_n * (force.U[2] + row.shift[2]);
  pressed = x > 0;
  const bool alart_curnier = map == FrictionMap::alart_curnier;
  const double s = std::max(alart_curnier ? x : force.R[2], 0.0);
  if (derivative != nullptr) {
    derivative->E.setZero();
    derivative->C.setZero();
    derivative->E_n.setZero();
    derivative->C_n.setZero();
  }
  const Eigen::Vector3d& U = moments.U;
  const Eigen::Vector3d& M = moments.R;

  // Open: M = 0.
  if (!pressed) {
    if (derivative != nullptr) derivative->C.diagonal() << 1 / rho_r, 1 / rho_r, 1 / rho_s;
    return {M[0] / rho_r, M[1] / rho_r, M[2] / rho_s};
  }
  const DiscFriction roll = disc_friction(U.head<2>(), M.head<2>(), rho_r, row.rolling * s);
  const DiscFriction spin = disc_friction({U[2], 0}, {M[2], 0}, rho_s, row.torsional * s);
  Eigen::Vector3d F(roll.F[0], roll.F[1], spin.F[0]);
  if (derivative != nullptr) {
    derivative->E.topLeftCorner<2, 2>() = roll.E;
    derivative->C.topLeftCorner<2, 2>() = roll.C;
    derivative->E(2, 2) = spin.E(0, 0);
    derivative->C(2, 2) = spin.C(0, 0);
    const Eigen::Vector3d by_s(row.rolling * roll.by_radius[0], row.rolling * roll.by_radius[1],
                               row.torsional * spin.by_radius[0]);
    if (s > 0) derivative->C_n = by_s;
    if (alart_curnier) derivative->E_n = -rho_n * by_s;
  }
  for (int k = 0; k < 3; ++k) {
    if (uses(row.rows, k)) continue;
    const double rho = k == 2 ? rho_s : rho_r;
    F[k] = M[k] / rho;
    if (derivative == nullptr) continue;
    derivative->E.row(k).setZero();
    derivative->E.col(k).setZero();
    derivative->C.row(k).setZero();
    derivative->C.col(k).setZero();
    derivative->C(k, k) = 1 / rho;
    derivative->E_n[k] = derivative->C_n[k] = 0;
  }
  return F;
}

}  // namespace locdyn::detail
