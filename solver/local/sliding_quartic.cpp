#include <algorithm>
#include <cmath>
#include <locdyn/solver/local/sliding_quartic.hpp>

namespace locdyn::detail {
namespace {

// The largest real root of z³ + a z² + b z + c: the trigonometric form where there are three, Cardano's else.
double largest_cubic_root(double a, double b, double c) noexcept {
  const double q = (a * a - 3 * b) / 9;
  const double r = ((2 * a * a - 9 * b) * a + 27 * c) / 54;
  double z = 0;
  if (r * r < q * q * q) {
    const double root = std::sqrt(q);
    z = 2 * root * std::cos(std::acos(std::clamp(-r / (q * root), -1.0, 1.0)) / 3) - a / 3;
  } else {
    const double s = -std::copysign(std::cbrt(std::abs(r) + std::sqrt(std::max(r * r - q * q * q, 0.0))), r);
    z = (s != 0 ? s + q / s : 0) - a / 3;
  }
  for (int step = 0; step < 2; ++step) {
    const double slope = (3 * z + 2 * a) * z + b;
    if (slope > 0) z -= (((z + a) * z + b) * z + c) / slope;
  }
  return z;
}

// Real roots of y² + u y + w; a discriminant within `slack` below zero is a double root.
void add_quadratic_roots(double u, double w, double slack, double shift, std::array<double, 4>& roots, int& count) {
  const double discriminant = u * u - 4 * w;
  if (discriminant < -slack) return;
  const double half = 0.5 * std::sqrt(std::max(discriminant, 0.0));
  roots[count++] = -0.5 * u - half - shift;
  roots[count++] = -0.5 * u + half - shift;
}

}  // namespace

int quartic_roots(const std::array<double, 5>& c, std::array<double, 4>& roots) noexcept {
  // x = size y: the coefficients of the monic quartic in y are at most 1, so that nothing is small by its unit.
  double size = 0;
  for (int k = 0; k < 4; ++k) size = std::max(size, std::pow(std::abs(c[k] / c[4]), 1.0 / (4 - k)));
  if (!(size > 0) || !std::isfinite(size)) return 0;
  const double a3 = c[3] / c[4] / size;
  const double a2 = c[2] / c[4] / (size * size);
  const double a1 = c[1] / c[4] / (size * size) / size;
  const double a0 = c[0] / c[4] / (size * size) / (size * size);

  // Depressed: y = x − a3/4, y⁴ + p y² + q y + r.
  const double s = a3 / 4;
  const double p = a2 - 6 * s * s;
  const double q = a1 - 2 * a2 * s + 8 * s * s * s;
  const double r = a0 - a1 * s + a2 * s * s - 3 * s * s * s * s;

  // Ferrari: z > 0 makes it (y² + u y + (p + z − q/u)/2)(y² − u y + (p + z + q/u)/2), u = √z.
  constexpr double kSlack = 1e-6;
  int count = 0;
  const double z = std::max(largest_cubic_root(2 * p, p * p - 4 * r, -q * q), 0.0);
  const double u = std::sqrt(z);
  if (u > 1e-8) {
    add_quadratic_roots(u, 0.5 * (p + z - q / u), kSlack, s, roots, count);
    add_quadratic_roots(-u, 0.5 * (p + z + q / u), kSlack, s, roots, count);
  } else {
    const double root = std::sqrt(std::max(p * p - 4 * r, 0.0));
    add_quadratic_roots(0, 0.5 * (p - root), kSlack, s, roots, count);
    add_quadratic_roots(0, 0.5 * (p + root), kSlack, s, roots, count);
  }

  for (int i = 0; i < count; ++i) {
    double& x = roots[i];
    double value = (((x + a3) * x + a2) * x + a1) * x + a0;
    for (int step = 0; step < 4; ++step) {
      const double slope = ((4 * x + 3 * a3) * x + 2 * a2) * x + a1;
      const double next = x - value / slope;
      const double next_value = (((next + a3) * next + a2) * next + a1) * next + a0;
      if (!(std::abs(next_value) < std::abs(value))) break;
      x = next;
      value = next_value;
    }
    x *= size;
  }
  return count;
}

int sliding_quartic(const Eigen::Matrix3d& W, double friction, const Eigen::Vector3d& b,
                    std::array<double, 4>& lambdas) noexcept {
  // N = adj(W + λ P_t) b, W and b brought to the size of 1.
  const double width = W.cwiseAbs().maxCoeff();
  const double length = b.cwiseAbs().maxCoeff();
  if (!(width > 0 && length > 0)) return 0;
  const Eigen::Matrix3d A = W / width;
  const Eigen::Vector3d e = b / length;
  const double t0 = e[0] * (A(1, 1) * A(2, 2) - A(1, 2) * A(2, 1)) + e[1] * (A(0, 2) * A(2, 1) - A(0, 1) * A(2, 2)) +
                    e[2] * (A(0, 1) * A(1, 2) - A(0, 2) * A(1, 1));
  const double t1 = e[0] * (A(1, 2) * A(2, 0) - A(1, 0) * A(2, 2)) + e[1] * (A(0, 0) * A(2, 2) - A(0, 2) * A(2, 0)) +
                    e[2] * (A(0, 2) * A(1, 0) - A(0, 0) * A(1, 2));
  const double s0 = e[0] * A(2, 2) - e[2] * A(0, 2);
  const double s1 = e[1] * A(2, 2) - e[2] * A(1, 2);
  const double n0 = e[0] * (A(1, 0) * A(2, 1) - A(1, 1) * A(2, 0)) + e[1] * (A(0, 1) * A(2, 0) - A(0, 0) * A(2, 1)) +
                    e[2] * (A(0, 0) * A(1, 1) - A(0, 1) * A(1, 0));
  const double n1 = e[2] * (A(0, 0) + A(1, 1)) - e[0] * A(2, 0) - e[1] * A(2, 1);
  const double n2 = e[2];

  const double f = friction * friction;
  const std::array<double, 5> c = {f * n0 * n0 - t0 * t0 - t1 * t1, 2 * (f * n0 * n1 - t0 * s0 - t1 * s1),
                                   f * (n1 * n1 + 2 * n0 * n2) - s0 * s0 - s1 * s1, 2 * f * n1 * n2, f * n2 * n2};
  std::array<double, 4> roots{};
  const int found = quartic_roots(c, roots);
  int count = 0;
  for (int i = 0; i < found; ++i) {
    if (roots[i] >= -1e-8)
      lambdas[count++] = width * std::max(roots[i], 0.0);  // a stick at the border may be just below
  }
  return count;
}

}  // namespace locdyn::detail
