#include <algorithm>
#include <cmath>
#include <limits>
#include <locdyn/solver/local/tangent_frame.hpp>

namespace locdyn::detail {

bool TangentFrame::set(const Eigen::Matrix3d& W) noexcept {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  *this = {};
  if (!(W(2, 2) > 0) || !std::isfinite(1 / W(2, 2))) return false;
  inverse_normal = 1 / W(2, 2);

  // Schur complement of the normal row.
  const double k0 = W(0, 2) / W(2, 2), k1 = W(1, 2) / W(2, 2);
  const double m0 = W(2, 0) / W(2, 2), m1 = W(2, 1) / W(2, 2);
  const double s00 = W(0, 0) - k0 * W(2, 0), s01 = W(0, 1) - k0 * W(2, 1);
  const double s10 = W(1, 0) - k1 * W(2, 0), s11 = W(1, 1) - k1 * W(2, 1);

  // One Jacobi rotation diagonalises the symmetric part.
  const double h = 0.5 * (s01 + s10);
  double t = 0;
  if (h != 0) {
    const double zeta = (s11 - s00) / (2 * h);
    t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
    cosine = 1 / std::sqrt(1 + t * t);
    sine = t * cosine;
  }
  tau = 0.5 * (s10 - s01);
  k[0] = cosine * k0 - sine * k1;
  k[1] = sine * k0 + cosine * k1;
  m[0] = cosine * m0 - sine * m1;
  m[1] = sine * m0 + cosine * m1;

  // Eigenvalues that rounding alone made small or negative are raised: R changes by what rounding of W would change.
  // Each has its own rounding, that of the sum it is: blocks graded by units or lever arms keep their small
  // eigenvalues.
  const double c2 = cosine * cosine, s2 = sine * sine;
  const double rounding0 = kEpsilon * (c2 * W(0, 0) + s2 * W(1, 1) + std::abs(t * h));
  const double rounding1 = kEpsilon * (s2 * W(0, 0) + c2 * W(1, 1) + std::abs(t * h));
  const double sigma0 = s00 - t * h, sigma1 = s11 + t * h;
  sigma[0] = std::max(sigma0, 0.5 * rounding0);
  sigma[1] = std::max(sigma1, 0.5 * rounding1);
  determinant = sigma[0] * sigma[1] + tau * tau;
  inverse_determinant = 1 / determinant;
  return sigma0 >= -8 * rounding0 && sigma1 >= -8 * rounding1 && determinant > 0 && std::isfinite(inverse_determinant);
}

bool is_regular(const Eigen::Matrix3d& W) noexcept {
  // The rounding that `set` grants is some 1e-15 of W_tt, and of a diagonal block far above it nothing is in doubt.
  constexpr double kByFar = 1e-10;
  const double s00 = W(0, 0) - W(0, 2) * W(2, 0) / W(2, 2), s11 = W(1, 1) - W(1, 2) * W(2, 1) / W(2, 2);
  const double s01 = W(0, 1) - W(0, 2) * W(2, 1) / W(2, 2), s10 = W(1, 0) - W(1, 2) * W(2, 0) / W(2, 2);
  const double h = 0.5 * (s01 + s10);
  const double size = W(0, 0) * W(1, 1), left = s00 * s11 - h * h;
  const bool ordinary = W(2, 2) > 1e-100 && W(0, 0) > 0 && size > 1e-100 && size < 1e100;
  if (ordinary && s00 > 0 && s11 > 0 && left > kByFar * size) return true;
  return TangentFrame().set(W);
}

}  // namespace locdyn::detail
