// One contact of a sliding block, solved by projection: prints R and exits with 0 where it is right.

#include <cmath>
#include <cstdio>

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/solve_report.hpp>

int main() {
  locdyn::LocalDynamics ldy;
  const locdyn::ConstraintId id = ldy.insert(locdyn::ContactLaw{.friction = 0.5});
  locdyn::DiagonalBlock& row = ldy.row(id);
  row.W = 2 * Eigen::Matrix3d::Identity();
  row.B = {4, 0, -3};

  // R ← P_K(R − ρ Û); with W = I/ρ the fixed point is R_n = −B_n ρ, R_t = −μ R_n.
  const double rho = locdyn::row_scale(row.W, locdyn::kRowsAll);
  for (int iteration = 0; iteration < 100; ++iteration) {
    const Eigen::Vector3d U = row.B + row.W * row.R;
    row.R = locdyn::project_on_cone(row.R - rho * locdyn::de_saxce_shift(U, 0.5), 0.5);
  }

  const double residual = locdyn::evaluate_residual(ldy).scaled;
  std::printf("R = %.15g %.15g %.15g, residual %.1e, %s\n", row.R[0], row.R[1], row.R[2], residual,
              locdyn::to_string(locdyn::SolveStatus::converged));
  return residual < 1e-12 && std::abs(row.R[2] - 1.5) < 1e-12 && std::abs(row.R[0] + 0.75) < 1e-12 ? 0 : 1;
}
