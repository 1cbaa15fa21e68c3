#include <locdyn/solver/local/disc_friction.hpp>

#include <cmath>
#include <limits>

namespace locdyn::detail {

// λ by Newton on 1/‖x(λ)‖ − 1/r, which is nearly straight (eq. 3.13), held between bounds that each step narrows.
Eigen::Vector2d solve_in_disc(const Eigen::Matrix2d& W, const Eigen::Vector2d& c, double radius) noexcept {
  if (!(radius > 0)) return Eigen::Vector2d::Zero();
  double x0 = 0, x1 = 0, inverse = 0, length = 0;
  // x = −(W + λ I)⁻¹ c.
  const auto solve = [&](double lambda) {
    const double a = W(0, 0) + lambda, d = W(1, 1) + lambda;
    inverse = 1 / (a * d - W(0, 1) * W(1, 0));
    x0 = (W(0, 1) * c[1] - d * c[0]) * inverse;
    x1 = (W(1, 0) * c[0] - a * c[1]) * inverse;
    length = std::sqrt(x0 * x0 + x1 * x1);
  };
  solve(0);
  if (length <= radius) return {x0, x1};
  // ‖x(λ)‖ falls from above the radius to at most it.
  double low = 0, high = c.norm() / radius + std::abs(W(0, 1)) + std::abs(W(1, 0));
  double lambda = 0;
  if (!std::isfinite(length)) solve(lambda = 0.5 * high);
  for (int step = 0; step < 60 && high - low > 1e-15 * high; ++step) {
    if (std::abs(length - radius) <= 4 * std::numeric_limits<double>::epsilon() * radius) break;
    (length > radius ? low : high) = lambda;
    const double a = W(0, 0) + lambda, d = W(1, 1) + lambda;
    const double falls = (x0 * (d * x0 - W(0, 1) * x1) + x1 * (a * x1 - W(1, 0) * x0)) * inverse;  // xᵀ (W + λ I)⁻¹ x
    lambda += length * length * (length - radius) / (radius * falls);
    if (!(lambda > low && lambda < high)) lambda = 0.5 * (low + high);
    solve(lambda);
  }
  if (!(length > 0 && std::isfinite(length))) return Eigen::Vector2d::Zero();
  return {x0 * (radius / length), x1 * (radius / length)};
}

}  // namespace locdyn::detail
