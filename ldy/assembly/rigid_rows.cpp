#include <locdyn/ldy/assembly/rigid_rows.hpp>

#include <locdyn/base/instruction_set.hpp>
#include <locdyn/base/lanes_anywhere.hpp>

namespace locdyn::detail {
namespace {

#define LOCDYN_INLINE [[gnu::always_inline]] inline

// H = ± (frameᵀ [r]ᵀ Q, frameᵀ), column by column: r × f_k for all axes k of the frame at once, in the axes of the
// body.
LOCDYN_INLINE void take_jacobian(const RigidSide& side, const Eigen::Vector3d& x, const FourLanes (&f)[3],
                                 FourLanes (&H)[6]) {
  const Eigen::Vector3d r = x - side.body->position();
  const Eigen::Matrix3d& Q = side.body->rotation();
  const FourLanes t0 = f[2] * r[1] - f[1] * r[2], t1 = f[0] * r[2] - f[2] * r[0], t2 = f[1] * r[0] - f[0] * r[1];
  for (int j = 0; j < 3; ++j) {
    H[j] = (t0 * Q(0, j) + t1 * Q(1, j) + t2 * Q(2, j)) * side.sign;
    H[3 + j] = f[j] * side.sign;
  }
  for (int j = 0; j < 6; ++j) store_lanes(H[j], side.H + 4 * j);
}

// Y = h (J⁻¹ H_spinᵀ; H_linearᵀ / m), whose columns are the rows of what is computed.
LOCDYN_INLINE void take_response(const RigidSide& side, double h, const FourLanes (&H)[6], FourLanes (&columns)[4],
                                 FourLanes (&last)[2]) {
  const Eigen::Matrix3d& inverse = side.body->inverse_inertia();
  const double of_mass = h / side.body->mass();
  const FourLanes a = H[0] * h, b = H[1] * h, c = H[2] * h;
  for (int i = 0; i < 3; ++i) columns[i] = a * inverse(i, 0) + b * inverse(i, 1) + c * inverse(i, 2);
  columns[3] = H[3] * of_mass;
  last[0] = H[4] * of_mass;
  last[1] = H[5] * of_mass;
  transpose_lanes(columns);
  for (int k = 0; k < 3; ++k) {
    store_lanes(columns[k], side.Y + 6 * k);
    store_lanes(TwoLanes{last[0][k], last[1][k]}, side.Y + 6 * k + 4);
  }
}

LOCDYN_INLINE void fill_anywhere(std::span<const RigidSide> sides, const Eigen::Vector3d& x,
                                 const Eigen::Matrix3d& frame, double h, Eigen::Matrix3d& W) {
  const FourLanes f[3] = {{frame(0, 0), frame(0, 1), frame(0, 2), 0},
                          {frame(1, 0), frame(1, 1), frame(1, 2), 0},
                          {frame(2, 0), frame(2, 1), frame(2, 2), 0}};
  FourLanes w[3] = {};
  for (const RigidSide& side : sides) {
    FourLanes H[6], columns[4], last[2];
    take_jacobian(side, x, f, H);
    take_response(side, h, H, columns, last);
    for (int k = 0; k < 3; ++k) {
      for (int i = 0; i < 4; ++i) w[k] += H[i] * columns[k][i];
      for (int i = 0; i < 2; ++i) w[k] += H[4 + i] * last[i][k];
    }
  }
  // Each column is written whole; the next one covers its padding.
  store_lanes(w[0], W.data());
  store_lanes(w[1], W.data() + 3);
  for (int i = 0; i < 3; ++i) W(i, 2) = w[2][i];
}

#undef LOCDYN_INLINE

#if defined(__x86_64__)
[[gnu::target("avx2")]] void fill_avx2(std::span<const RigidSide> sides, const Eigen::Vector3d& x,
                                       const Eigen::Matrix3d& frame, double h, Eigen::Matrix3d& W) {
  fill_anywhere(sides, x, frame, h, W);
}
#endif
// Out of line, so that the other is a jump away.
[[gnu::noinline]] void fill_plain(std::span<const RigidSide> sides, const Eigen::Vector3d& x,
                                  const Eigen::Matrix3d& frame, double h, Eigen::Matrix3d& W) {
  fill_anywhere(sides, x, frame, h, W);
}

}  // namespace

void fill_rigid_rows(std::span<const RigidSide> sides, const Eigen::Vector3d& x, const Eigen::Matrix3d& frame, double h,
                     Eigen::Matrix3d& W) {
#if defined(__x86_64__)
  if (has_avx2()) return fill_avx2(sides, x, frame, h, W);
#endif
  fill_plain(sides, x, frame, h, W);
}

}  // namespace locdyn::detail
