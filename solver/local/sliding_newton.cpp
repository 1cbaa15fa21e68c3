#include <cmath>
#include <limits>
#include <locdyn/solver/local/sliding_newton.hpp>

namespace locdyn::detail {
namespace {

constexpr int kMostIterations = 200;
constexpr double kStep = 1e-6;  // the last step, relative; Newton squares it

// The positive root of A λ² + B λ + C = 0 with A > 0 and C ≤ 0, without cancellation.
double positive_root(double A, double B, double C) noexcept {
  const double root = std::sqrt(B * B - 4 * A * C);
  return B > 0 ? -2 * C / (B + root) : (root - B) / (2 * A);
}

}  // namespace

SlidingRoot sliding_newton(const TangentFrame& frame, const TangentLoad& load, double friction) noexcept {
  const double c0 = load.c[0], c1 = load.c[1], a0 = load.a[0], a1 = load.a[1];
  const double c = std::sqrt(c0 * c0 + c1 * c1);

  // μ q(λ) = A λ² + B λ + C.
  const double A = friction * load.beta;
  const double B = A * (frame.sigma[0] + frame.sigma[1]) + friction * (frame.m[0] * c0 + frame.m[1] * c1);
  const double C = friction * load.q0;

  // Upper bound.
  const double offset = (c0 * a0 + c1 * a1 + std::abs(c0 * a1 - c1 * a0)) / c;
  double low = 0;
  double high = positive_root(A, B - c, std::fmin(C - offset, 0)) * (1 + 4 * std::numeric_limits<double>::epsilon());

  double lambda = high;
  double v0 = c0, v1 = c1;
  int iteration = 0;
  while (++iteration <= kMostIterations) {
    v0 = lambda * c0 + a0;
    v1 = lambda * c1 + a1;
    const double v = std::sqrt(v0 * v0 + v1 * v1);
    const double G = v - ((A * lambda + B) * lambda + C);
    (G > 0 ? low : high) = lambda;
    double next = lambda - G / ((v0 * c0 + v1 * c1) / v - (2 * A * lambda + B));
    if (std::abs(next - lambda) <= kStep * lambda) {
      lambda = next;
      break;
    }
    if (!(next > low && next < high)) next = low > 0 ? std::sqrt(low) * std::sqrt(high) : high / 16;
    if (!(next > low && next < high)) break;  // neighbours in floating point
    lambda = next;
  }
  v0 = lambda * c0 + a0;
  v1 = lambda * c1 + a1;
  const double size = std::sqrt(v0 * v0 + v1 * v1);
  const double scale = -1 / size;
  return {scale * (frame.cosine * v0 + frame.sine * v1), scale * (frame.cosine * v1 - frame.sine * v0), lambda, size,
          iteration};
}

}  // namespace locdyn::detail
