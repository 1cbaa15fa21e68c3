#pragma once
// A problem as dense matrices, and its solution by means that share no line with the solvers: bilateral rows condensed
// by dense LU, contacts by the projected fixed point R ← P_K(R − ρ Û). For small problems that are well conditioned.

#include <Eigen/Dense>
#include <locdyn/contact/coulomb_cone.hpp>
#include <locdyn/ldy/local_dynamics.hpp>
#include <variant>
#include <vector>

namespace locdyn::test {

/// The rows of a graph that has never been packed, by place in the arena.
struct DenseProblem {
  Eigen::MatrixXd W;
  Eigen::VectorXd b;               ///< B + σ; 0 in rows not in use
  Eigen::VectorXd compliance;      ///< C
  std::vector<Eigen::Index> held;  ///< bilateral rows in use
  struct DenseContact {
    Eigen::Index at;
    double friction;
  };
  std::vector<DenseContact> contacts;
};

inline DenseProblem dense_problem(const LocalDynamics& ldy) {
  const auto arena = ldy.diagonal_arena();
  const auto n = static_cast<Eigen::Index>(3 * arena.size());
  DenseProblem dense{Eigen::MatrixXd::Zero(n, n), Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n), {}, {}};
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    const Law& law = ldy.law(id);
    for (int k = 0; k < block_count(law); ++k) {
      const DiagonalBlock& row = ldy.row(id, k);
      const Eigen::Index at = 3 * (&row - arena.data());
      dense.W.block<3, 3>(at, at) = row.W;
      for (const auto& block : ldy.adjacent(row)) dense.W.block<3, 3>(at, 3 * Eigen::Index(block.other)) = block.W;
      for (int axis = 0; axis < 3; ++axis) {
        if (!uses(rows(law, k), axis)) continue;
        dense.b[at + axis] = row.B[axis] + offset(law, k)[axis];
        if (const auto* bilateral = std::get_if<BilateralLaw>(&law)) {
          dense.held.push_back(at + axis);
          dense.compliance[at + axis] = bilateral->block[k].compliance[axis];
        }
      }
      if (const auto* contact = std::get_if<ContactLaw>(&law)) dense.contacts.push_back({at, contact->friction});
    }
  }
  return dense;
}

/// R by place. Cost: dense cubes, and up to 100 000 products.
inline Eigen::VectorXd dense_solution(const DenseProblem& dense) {
  // R_b = −(W_bb + C)⁻¹ (b_b + W_bc R_c).
  const auto& held = dense.held;
  Eigen::MatrixXd inner = dense.W(held, held);
  inner.diagonal() += dense.compliance(held);
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(inner);
  Eigen::MatrixXd W = dense.W;
  Eigen::VectorXd b = dense.b;
  if (!held.empty()) {
    const Eigen::MatrixXd out = dense.W(Eigen::all, held);
    W -= out * lu.solve(Eigen::MatrixXd(dense.W(held, Eigen::all)));
    b -= out * lu.solve(Eigen::VectorXd(dense.b(held)));
  }

  const double rho = 0.5 / W.norm();
  Eigen::VectorXd R = Eigen::VectorXd::Zero(b.size());
  for (int i = 0; i < 100'000; ++i) {
    const Eigen::VectorXd U = b + W * R;
    double change = 0;
    for (const auto& contact : dense.contacts) {
      Eigen::Vector3d U_hat = U.segment<3>(contact.at);
      U_hat[2] += contact.friction * U_hat.head<2>().norm();
      const Eigen::Vector3d z = project_on_cone(R.segment<3>(contact.at) - rho * U_hat, contact.friction);
      change = std::max(change, (z - R.segment<3>(contact.at)).norm());
      R.segment<3>(contact.at) = z;
    }
    if (change <= 1e-16 * (1 + R.norm())) break;
  }
  if (!held.empty()) {
    const Eigen::VectorXd load = dense.b + dense.W * R;
    R(held) = -lu.solve(Eigen::VectorXd(load(held)));
  }
  return R;
}

}  // namespace locdyn::test
