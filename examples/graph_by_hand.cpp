// The graph and the solvers alone (target locdyn::solver), without bodies: U = B + W R written by hand.
//
// A mass of 1 kg lies on the ground (contact α) and carries one of 2 kg (contact β) that a force of 5 N pushes along
// t1. With a step of 1 s W and B are compliances and accelerations:
//
//   W_αα = 1/m_a,   W_ββ = 1/m_a + 1/m_b,   W_αβ = W_βα = −1/m_a,   B_α = (0, 0, −g),   B_β = (F/m_b, 0, 0)
//
// By hand: both stick, so the contacts carry 3 g and 2 g and each hands down −5 N of friction.

#include <cmath>
#include <cstdio>

#include <locdyn/solver/nsgs/nsgs.hpp>

int main() {
  constexpr double g = 9.81, lower = 1, upper = 2, push = 5;
  const Eigen::Matrix3d I = Eigen::Matrix3d::Identity();

  // Symbolic: two contacts, linked.
  locdyn::LocalDynamics ldy;
  const auto alpha = ldy.insert(locdyn::ContactLaw{.friction = 0.6});
  const auto beta = ldy.insert(locdyn::ContactLaw{.friction = 0.6});
  ldy.couple(alpha, beta);

  // Numeric: the blocks, rows (t1, t2, n).
  ldy.row(alpha).W = I / lower;
  ldy.row(beta).W = I / lower + I / upper;
  ldy.find(alpha, 0, beta, 0)->W = -I / lower;
  ldy.find(beta, 0, alpha, 0)->W = -I / lower;
  ldy.row(alpha).B = {0, 0, -g};
  ldy.row(beta).B = {push / upper, 0, 0};

  // Sweeps on a body-free problem: W may be any, so may the warm start in R.
  const auto report = locdyn::solve_nsgs(ldy, {.stop = {.tolerance = 1e-12}});
  const Eigen::Vector3d R = ldy.row(alpha).R, S = ldy.row(beta).R;
  std::printf("lower contact R = (%.6f, %.6f, %.6f) N, by hand (-5, 0, %.6f)\n", R[0], R[1], R[2], (lower + upper) * g);
  std::printf("upper contact R = (%.6f, %.6f, %.6f) N, by hand (-5, 0, %.6f)\n", S[0], S[1], S[2], upper * g);
  std::printf("%s in %ld sweeps, scaled residual %.1e\n", to_string(report.status), report.iterations,
              report.residual.scaled);

  const bool right = (R - Eigen::Vector3d(-push, 0, (lower + upper) * g)).norm() < 1e-10 &&
                     (S - Eigen::Vector3d(-push, 0, upper * g)).norm() < 1e-10;
  return right ? 0 : 1;
}
