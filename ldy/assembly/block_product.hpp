#pragma once
// The block of W between two rows, Σ_k H_αk Y_βk over the moving bodies that both act on: the kernel of assembly.
// Columns of H are padded to four numbers, so that a column is one vector register (or two); the number of velocities
// is a compile-time constant for the usual kinds of body, so that the sum is unrolled.

#include <Eigen/Core>
#include <cstring>

#include <locdyn/ldy/assembly/kinematics.hpp>

namespace locdyn {

/// A column of H, the fourth number zero.
using PaddedColumn = double __attribute__((vector_size(32)));

/// w (three columns) += H Y for a body with N velocities.
template <int N>
inline void add_body_block(const double* __restrict H, const double* __restrict Y, PaddedColumn (&w)[3]) {
  for (int i = 0; i < N; ++i) {
    PaddedColumn h;
    std::memcpy(&h, H + 4 * i, sizeof h);
    w[0] += h * Y[i];
    w[1] += h * Y[N + i];
    w[2] += h * Y[2 * N + i];
  }
}

/// The same for any number of velocities n.
inline void add_body_block(int n, const double* H, const double* Y, PaddedColumn (&w)[3]) {
  switch (n) {
    case 3: return add_body_block<3>(H, Y, w);
    case 6: return add_body_block<6>(H, Y, w);
    case 12: return add_body_block<12>(H, Y, w);
    default: break;
  }
  for (int i = 0; i < n; ++i) {
    PaddedColumn h;
    std::memcpy(&h, H + 4 * i, sizeof h);
    for (int c = 0; c < 3; ++c) w[c] += h * Y[c * n + i];
  }
}

/// W_αβ (3×3) = Σ_k H_αk Y_βk, bodies in the order of row α. Cost: one comparison of ids for each pair of couplings,
/// 9 n products for each shared body.
inline void assemble_block(const Kinematics& kinematics, std::span<const Coupling> alpha, std::span<const Coupling> beta,
                           Eigen::Matrix3d& W) {
  PaddedColumn w[3] = {};
  for (const Coupling& a : alpha) {
    for (const Coupling& b : beta) {
      if (a.body == b.body) {
        add_body_block(static_cast<int>(a.freedoms), kinematics.jacobian(a), kinematics.response(b), w);
      }
    }
  }
  for (int c = 0; c < 3; ++c) std::memcpy(W.data() + 3 * c, &w[c], 3 * sizeof(double));
}

}  // namespace locdyn
