#pragma once
// The turn of a unit quaternion by a small angle, of one body or of four, a lane of a vector register each: one source,
// so that both give the same bits.

#include <locdyn/base/lanes_anywhere.hpp>

namespace locdyn::detail {

#define LOCDYN_TURN       \
  template <class Number> \
  [[gnu::always_inline]] inline

/// Of half angles up to 0.03, as in most steps, by s = x²: what cosine and sinc are off 1 by, in double good to 5e-20.
constexpr double kSmallHalf2 = 1e-3;
LOCDYN_TURN void cosine_excess(const Number& s, Number& excess) {
  excess = -s / 2 * (1 - s / 12 * (1 - s / 30 * (1 - s / 56)));
}
LOCDYN_TURN void sinc_excess(const Number& s, Number& excess) {
  excess = -s / 6 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72)));
}

/// What |q|² is off 1 by, to 1e-23: c = a + b with a a multiple of 2⁻²⁶, so that Σ a² − 1 is exact, and
/// c² − a² = b (a + c).
LOCDYN_TURN void length_excess(const Number (&q)[4], Number& excess) {
  constexpr double kCut = 0x1.8p26;
  Number coarse = q[0] - q[0], fine = coarse;
  for (int i = 0; i < 4; ++i) {
    const Number a = (q[i] + kCut) - kCut;
    coarse += a * a;
    fine += (q[i] - a) * (q[i] + a);
  }
  excess = (coarse - 1) + fine;
}

/// q (x, y, z, w) ← q exp θ, made unit again, where ‖θ‖²/4 = half2 ≤ kSmallHalf2. q changes by so little that double
/// holds the change to 1e-18, and what its norm is off 1 by, which is taken back with it, to less.
LOCDYN_TURN void turn_little(Number (&q)[4], const Number (&theta)[3], const Number& half2) {
  Number cosine, scale, excess;
  cosine_excess(half2, cosine);
  sinc_excess(half2, scale);
  length_excess(q, excess);
  scale = 0.5 + 0.5 * scale;
  const Number share = cosine - 0.5 * excess, x = scale * theta[0], y = scale * theta[1], z = scale * theta[2];
  const Number w = share * q[3] - (q[0] * x + q[1] * y + q[2] * z);
  const Number changed[3] = {share * q[0] + q[3] * x + (q[1] * z - q[2] * y),
                             share * q[1] + q[3] * y + (q[2] * x - q[0] * z),
                             share * q[2] + q[3] * z + (q[0] * y - q[1] * x)};
  for (int i = 0; i < 3; ++i) q[i] += changed[i];
  q[3] += w;
}

/// The matrix of a unit quaternion, column by column.
LOCDYN_TURN void matrix_of(const Number (&q)[4], Number (&matrix)[9]) {
  const Number tx = 2 * q[0], ty = 2 * q[1], tz = 2 * q[2];
  const Number twx = tx * q[3], twy = ty * q[3], twz = tz * q[3];
  const Number txx = tx * q[0], txy = ty * q[0], txz = tz * q[0];
  const Number tyy = ty * q[1], tyz = tz * q[1], tzz = tz * q[2];
  matrix[0] = 1 - (tyy + tzz);
  matrix[1] = txy + twz;
  matrix[2] = txz - twy;
  matrix[3] = txy - twz;
  matrix[4] = 1 - (txx + tzz);
  matrix[5] = tyz + twx;
  matrix[6] = txz + twy;
  matrix[7] = tyz - twx;
  matrix[8] = 1 - (txx + tyy);
}

#undef LOCDYN_TURN

}  // namespace locdyn::detail
