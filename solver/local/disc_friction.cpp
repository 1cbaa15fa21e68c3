#include <locdyn/solver/local/disc_friction.hpp>

#include <cmath>
#include <limits>

namespace locdyn::detail {

// λ by Newton on 1/‖x(λ)‖ − 1/r, which is nearly straight (eq. 3.13), held between bounds that each step narrows.
Eigen::Vector2d solve_in_disc(const Eigen::Matrix2d& W, const Eigen::Vector2d& c, double radius) noexcept {
  if (!(radius > 0)) return Eigen::Vector2d::Zero();
  const auto solved = [&](double lambda, const Eigen::Vector2d& v) -> Eigen::Vector2d {  // (W + λ I)⁻¹ v
    const double a = W(0, 0) + lambda, d = W(1, 1) + lambda;
    const double determinant = a * d - W(0, 1) * W(1, 0);
    return Eigen::Vector2d(d * v[0] - W(0, 1) * v[1], a * v[1] - W(1, 0) * v[0]) / determinant;
  };
  const Eigen::Vector2d free = solved(0, -c);
  if (free.allFinite() && free.norm() <= radius) return free;
  // ‖x(λ)‖ falls from above the radius to at most it.
  double low = 0, high = c.norm() / radius + std::abs(W(0, 1)) + std::abs(W(1, 0));
  double lambda = free.allFinite() ? 0 : 0.5 * high;
  Eigen::Vector2d x = solved(lambda, -c);
  for (int step = 0; step < 60 && high - low > 1e-15 * high; ++step) {
    const double length = x.norm();
    if (std::abs(length - radius) <= 4 * std::numeric_limits<double>::epsilon() * radius) break;
    (length > radius ? low : high) = lambda;
    lambda += length * length / x.dot(solved(lambda, x)) * (length - radius) / radius;
    if (!(lambda > low && lambda < high)) lambda = 0.5 * (low + high);
    x = solved(lambda, -c);
  }
  const double length = x.norm();
  return length > 0 && std::isfinite(length) ? Eigen::Vector2d(x * (radius / length))
                                             : Eigen::Vector2d(Eigen::Vector2d::Zero());
}

}  // namespace locdyn::detail
