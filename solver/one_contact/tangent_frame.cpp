#include <locdyn/solver/one_contact/tangent_frame.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace locdyn {

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
  const double trace = W.trace();
  const double least = 0.5 * kEpsilon * trace;
  const double lowest = std::min(s00 - t * h, s11 + t * h);
  sigma[0] = std::max(s00 - t * h, least);
  sigma[1] = std::max(s11 + t * h, least);
  determinant = sigma[0] * sigma[1] + tau * tau;
  inverse_determinant = 1 / determinant;
  return lowest >= -8 * kEpsilon * trace && determinant > 0 && std::isfinite(inverse_determinant);
}

}  // namespace locdyn
