#include <locdyn/solver/path/smoothed_pair.hpp>

#include <cmath>

namespace locdyn::detail {
namespace {

constexpr double kHalfRoot = 0.70710678118654752;

// v = (l₁ c₁ + l₂ c₂)/√2, c₁ and c₂ orthonormal, c₃ normal to both.
struct Spectrum {
  explicit Spectrum(const Eigen::Vector3d& v) noexcept : slope(v.head<2>().norm()), l1(v[2] + slope), l2(v[2] - slope) {
    Eigen::Vector2d t(1, 0);
    if (slope > 0) t = v.head<2>() / slope;
    c1 = {kHalfRoot * t[0], kHalfRoot * t[1], kHalfRoot};
    c2 = {-kHalfRoot * t[0], -kHalfRoot * t[1], kHalfRoot};
    c3 = {-t[1], t[0], 0};
  }

  [[nodiscard]] Eigen::Vector3d vector(double a, double b) const noexcept { return kHalfRoot * (a * c1 + b * c2); }
  [[nodiscard]] Eigen::Matrix3d matrix(double a, double b, double c) const noexcept {
    return a * c1 * c1.transpose() + b * c2 * c2.transpose() + c * c3 * c3.transpose();
  }

  double slope, l1, l2;
  Eigen::Vector3d c1, c2, c3;
};

double root(double l, double sigma) noexcept {
  return std::sqrt(l * l + 4 * sigma);
}

// φ(l) without cancellation.
double smoothed(double l, double sigma) noexcept {
  return l > 0 ? 0.5 * (l + root(l, sigma)) : 2 * sigma / (root(l, sigma) - l);
}

// (φ(l₁) − φ(l₂))/(l₁ − l₂), between 0 and 1.
double divided(double l1, double l2, double sigma) noexcept {
  // The difference of the roots is (l₁ + l₂)(l₁ − l₂) over their sum.
  const double mean = (l1 + l2) / (root(l1, sigma) + root(l2, sigma));
  if (mean >= 0) return 0.5 * (1 + mean);
  // 1 + mean = (√₁ + l₁ + √₂ + l₂)/(√₁ + √₂)
  return (smoothed(l1, sigma) + smoothed(l2, sigma)) / (root(l1, sigma) + root(l2, sigma));
}

double along(double l, double dl, double sigma, double tau_step) noexcept {
  constexpr double kLarge = 10;  // x over z
  const double size = std::abs(l), sign = l > 0 ? 1 : -1, width = root(l, sigma);
  const double x = smoothed(size, sigma);
  const double share = (x * sign * dl + sigma * tau_step) / (width * x);  // dx/x of the larger of the pair
  const double next = x * x < kLarge * sigma || share < -0.9 ? x * std::exp(share) : x * (1 + share);
  return sign * (next - sigma * std::exp(tau_step) / next);
}

}  // namespace

SmoothedPair smoothed_pair(const Eigen::Vector3d& v, double sigma) noexcept {
  const Spectrum s(v);
  const double x1 = smoothed(s.l1, sigma), x2 = smoothed(s.l2, sigma);
  const double z1 = smoothed(-s.l1, sigma), z2 = smoothed(-s.l2, sigma);
  const double root1 = root(s.l1, sigma), root2 = root(s.l2, sigma);
  return {.x = s.vector(x1, x2),
          .z = s.vector(z1, z2),
          .dx = s.matrix(x1 / root1, x2 / root2, divided(s.l1, s.l2, sigma)),
          .dz = s.matrix(z1 / root1, z2 / root2, divided(-s.l1, -s.l2, sigma)),
          .drift = s.vector(sigma / root1, sigma / root2)};
}

PairMetric pair_metric(const Eigen::Vector3d& v, double sigma) noexcept {
  const Spectrum s(v);
  PairMetric metric;
  metric.axes << s.c1, s.c2, s.c3;
  const auto weight = [sigma](double l) { return 1 / (0.5 * l * l + 2 * sigma); };
  metric.weights = {weight(s.l1), weight(s.l2), 1 / (s.slope * s.slope + 4 * sigma)};
  return metric;
}

Eigen::Vector3d extrapolated(const Eigen::Vector3d& v, double sigma, const Eigen::Vector3d& step,
                             double tau_step) noexcept {
  const Eigen::Vector3d straight = v + step;
  const Spectrum s(v);
  const double slope = straight.head<2>().norm();
  if (s.slope * s.slope < 4 * sigma || !(straight.head<2>().dot(v.head<2>()) > 0)) return straight;
  const double l1 = along(s.l1, s.c1.dot(step) / kHalfRoot, sigma, tau_step);
  const double l2 = along(s.l2, s.c2.dot(step) / kHalfRoot, sigma, tau_step);
  if (!(l1 > l2)) return straight;
  Eigen::Vector3d next = 0.5 * (l1 - l2) / slope * straight;
  next[2] = 0.5 * (l1 + l2);
  return next;
}

}  // namespace locdyn::detail
