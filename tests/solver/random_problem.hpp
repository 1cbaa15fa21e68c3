#pragma once
// Seeded random problems for the solvers, dense in their couplings, and what the tests read from a graph.

#include <locdyn/ldy/local_dynamics.hpp>
#include <random>
#include <vector>

namespace locdyn::test {

inline void clear(LocalDynamics& ldy) {
  for (auto& row : ldy.rows()) row.R.setZero();
}

/// R (3m), rows in sweep order.
inline Eigen::VectorXd reactions(const LocalDynamics& ldy) {
  Eigen::VectorXd R(3 * ldy.row_count());
  Eigen::Index at = 0;
  for (const auto& row : ldy.rows()) {
    R.segment<3>(at) = row.R;
    at += 3;
  }
  return R;
}

/// U (3m) as the last residual left it, rows in sweep order.
inline Eigen::VectorXd velocities(const LocalDynamics& ldy) {
  Eigen::VectorXd U(3 * ldy.row_count());
  Eigen::Index at = 0;
  for (const auto& row : ldy.rows()) {
    U.segment<3>(at) = row.U;
    at += 3;
  }
  return U;
}

/// W = tridiagonal(−1, 2, −1) of n bilateral normal rows, B growing along it: slow for sweeps.
inline LocalDynamics chain(unsigned n) {
  LocalDynamics ldy;
  BilateralLaw law;
  law.block[0].rows = kRowNormal;
  for (ConstraintId i{0}; i < n; ++i) {
    ldy.insert(law);
    ldy.row(i).W(2, 2) = 2;
    ldy.row(i).B[2] = 1 + 0.1 * i;
    if (i == 0) continue;
    ldy.couple(ConstraintId{i - 1}, i);
    ldy.find(ConstraintId{i - 1}, 0, i, 0)->W(2, 2) = ldy.find(i, 0, ConstraintId{i - 1}, 0)->W(2, 2) = -1;
  }
  return ldy;
}

/// Laws in a graph with W = G Gᵀ / columns + identity I on the rows in use, every pair coupled, and B at random.
struct Scene {
  int contacts = 10, planar = 0, bilateral = 0, hinges = 0;
  double friction = 0.3;  ///< of spatial contacts: the most; of planar ones: of each
  double identity = 0.5;
  Eigen::Index freedoms = 0;  ///< columns of G; 0: as many as W has, so that W is of full rank
};

inline LocalDynamics random_problem(const Scene& scene, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  LocalDynamics ldy;
  std::vector<ConstraintId> ids;
  const auto add = [&](const Law& law) { ids.push_back(ldy.insert(law)); };
  for (int i = 0; i < scene.contacts; ++i) {
    add(ContactLaw{.friction = scene.friction * uniform(random),
                   .shift = {0.1 * normal(random), 0.1 * normal(random), 0.2 * normal(random)}});
  }
  for (int i = 0; i < scene.planar; ++i) add(ContactLaw{.friction = scene.friction, .planar = true});
  for (int i = 0; i < scene.bilateral; ++i) {
    BilateralLaw law;
    law.block[0].rows = i % 2 == 0 ? kRowsAll : kRowNormal;
    law.block[0].shift = {uses(law.block[0].rows, 0) ? normal(random) : 0.0, 0, normal(random)};
    law.block[0].compliance = {0, 0, i % 3 == 0 ? 0.7 : 0.0};
    add(law);
  }
  for (int i = 0; i < scene.hinges; ++i) {
    BilateralLaw law;
    law.block_count = 2;
    law.block[1].rows = 0b011;
    add(law);
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) ldy.couple(ids[i], ids[j]);
  }

  // G, with zero rows where a law has none.
  const auto rows = static_cast<Eigen::Index>(ldy.row_count());
  const Eigen::Index columns = scene.freedoms > 0 ? scene.freedoms : 3 * rows;
  Eigen::MatrixXd G(3 * rows, columns);
  for (double& g : G.reshaped()) g = normal(random);
  for (ConstraintId id : ids) {
    for (int k = 0; k < block_count(ldy.law(id)); ++k) {
      const Eigen::Index at = &ldy.row(id, k) - ldy.diagonal_arena().data();
      for (int axis = 0; axis < 3; ++axis) {
        if (!uses(locdyn::rows(ldy.law(id), k), axis)) G.row(3 * at + axis).setZero();
      }
    }
  }

  // Where W is not of full rank, B = G u, so that there is a solution.
  Eigen::VectorXd u(columns);
  if (scene.freedoms > 0) {
    for (double& velocity : u) velocity = normal(random);
  }
  Eigen::MatrixXd W = G * G.transpose() / static_cast<double>(columns);
  for (Eigen::Index i = 0; i < W.rows(); ++i) W(i, i) += W(i, i) > 0 ? scene.identity : 0;
  for (auto& row : ldy.rows()) {
    const Eigen::Index at = &row - ldy.diagonal_arena().data();
    row.W = W.block<3, 3>(3 * at, 3 * at);
    if (scene.freedoms > 0) {
      row.B = G.middleRows<3>(3 * at) * u;
    } else {
      for (int axis = 0; axis < 3; ++axis) {
        if (row.W(axis, axis) > 0) row.B[axis] = normal(random) - (axis == 2 ? 0.5 : 0);
      }
    }
    for (auto& block : ldy.adjacent(row)) block.W = W.block<3, 3>(3 * at, 3 * Eigen::Index(block.other));
  }
  return ldy;
}

/// Two contacts that press, with W = (1, w; w, 1) times the identity: indefinite for w < −1, and then without a
/// solution.
inline LocalDynamics two_that_pull(double w) {
  LocalDynamics ldy;
  for (int i = 0; i < 2; ++i) ldy.insert(ContactLaw{.friction = 0.5});
  ldy.couple(ConstraintId{0}, ConstraintId{1});
  for (ConstraintId i{0}; i < 2; ++i) {
    ldy.row(i).W.setIdentity();
    ldy.row(i).B = {0.1, 0, -1};
    ldy.find(i, 0, ConstraintId{1 - i}, 0)->W = w * Eigen::Matrix3d::Identity();
  }
  return ldy;
}

}  // namespace locdyn::test
