#include <locdyn/bodies/rotation.hpp>

#include <array>
#include <cmath>
#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;
namespace {

template <class Scalar>
Scalar sinc(Scalar x) {
  return x == 0 ? 1 : std::sin(x) / x;
}

// Of half angles up to 0.03, as in most steps, by s = x²: what cosine and sinc are off 1 by, in double good to 5e-20,
// the rounding of an extended number near 1; both functions of that type take eight times as long.
constexpr double kSmallHalf2 = 1e-3;
double cosine_excess(double s) {
  return -s / 2 * (1 - s / 12 * (1 - s / 30 * (1 - s / 56)));
}
double sinc_excess(double s) {
  return -s / 6 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72)));
}

template <class Scalar>
Eigen::Quaternion<Scalar, Eigen::DontAlign> unit_quaternion(const Eigen::Matrix<Scalar, 3, 1>& theta) {
  const Scalar half2 = theta.squaredNorm() / 4;
  Scalar cosine, scale;
  if (half2 <= Scalar(kSmallHalf2)) {
    cosine = 1 + Scalar(cosine_excess(static_cast<double>(half2)));
    scale = (1 + Scalar(sinc_excess(static_cast<double>(half2)))) / 2;
  } else {
    const Scalar half = std::sqrt(half2);
    cosine = std::cos(half);
    scale = sinc(half) / 2;
  }
  return {cosine, scale * theta[0], scale * theta[1], scale * theta[2]};
}

// Up to a quarter of a radian, s = x², what is left out of these series is below rounding.
constexpr double kSeries = 1.0 / 16;

// 1 / ((2k + 2)(2k + 3)): of one term of the series of (x − sin x)/x³ to the next.
constexpr std::array<double, 11> kNextOdd = {0,         1.0 / 20,  1.0 / 42,  1.0 / 72,  1.0 / 110, 1.0 / 156,
                                             1.0 / 210, 1.0 / 272, 1.0 / 342, 1.0 / 420, 1.0 / 506};

// (sin x)/x by s = x².
double sinc_of(double s) {
  if (s > kSeries) return sinc(std::sqrt(s));
  return 1 - s * (1.0 / 6) * (1 - s * (1.0 / 20) * (1 - s * (1.0 / 42) * (1 - s * (1.0 / 72) * (1 - s * (1.0 / 110)))));
}

// (1 − cos x)/x².
double versine_of(double s) {
  if (s > kSeries) {
    const double half_sinc = sinc(0.5 * std::sqrt(s));
    return 0.5 * half_sinc * half_sinc;
  }
  return 0.5 * (1 - s * (1.0 / 12) *
                        (1 - s * (1.0 / 30) * (1 - s * (1.0 / 56) * (1 - s * (1.0 / 90) * (1 - s * (1.0 / 132))))));
}

// (x − sin x)/x³; the series up to x = 1, where the difference would cancel.
double sine_remainder_of(double s) {
  if (s > 1) return (1 - sinc_of(s)) / s;
  double series = 1;
  for (int k = s > kSeries ? 10 : 6; k > 0; --k) series = 1 - s * kNextOdd[k] * series;
  return series / 6;
}

}  // namespace

Orientation exponential(const Eigen::Vector3d& theta) {
  return unit_quaternion<double>(theta);
}

Eigen::Matrix3d exponential_matrix(const Eigen::Vector3d& theta) {
  const double s = theta.squaredNorm();
  const Eigen::Matrix3d S = skew(theta);
  return Eigen::Matrix3d::Identity() + sinc_of(s) * S + versine_of(s) * (S * S);
}

AngleFactors angle_factors(double s) {
  return {sinc_of(s), versine_of(s)};
}

Eigen::Matrix3d exponential_derivative(const Eigen::Vector3d& theta) {
  const double s = theta.squaredNorm();
  const Eigen::Matrix3d S = skew(theta);
  return Eigen::Matrix3d::Identity() - versine_of(s) * S + sine_remainder_of(s) * (S * S);
}

ExtendedVector rotated(const ExtendedVector& theta, const ExtendedVector& v) {
  return unit_quaternion(theta) * v;
}

// By a small angle q changes by so little that double holds the change to 1e-18, and what its norm is off 1 by, which
// is taken back with it, to less.
void turn(Orientation& q, const Eigen::Vector3d& theta) {
  const double half2 = theta.squaredNorm() / 4;
  if (half2 <= kSmallHalf2) {
    const double cosine = cosine_excess(half2);
    const Eigen::Vector3d v = (0.5 + 0.5 * sinc_excess(half2)) * theta;
    const Eigen::Vector3d axis = q.vec();
    const double too_long = 0.5 * static_cast<double>(q.coeffs().cast<Extended>().squaredNorm() - 1);
    const double w = (cosine - too_long) * q.w() - axis.dot(v);
    q.vec() += (cosine - too_long) * axis + q.w() * v + axis.cross(v);
    q.w() += w;
    return;
  }
  auto turned = q.cast<Extended>() * unit_quaternion<Extended>(theta.cast<Extended>());
  turned.normalize();
  q = turned.cast<double>();
}

Eigen::Vector4d coefficients(const Orientation& q) {
  return {q.w(), q.x(), q.y(), q.z()};
}

Orientation orientation_of(const Eigen::Vector4d& coefficients) {
  const Orientation q(coefficients[0], coefficients[1], coefficients[2], coefficients[3]);
  (void)unit_orientation(q);  // the check
  return q;
}

Orientation unit_orientation(const Orientation& q) {
  require_finite(q.coeffs(), "orientation");
  const double norm = q.norm();
  if (std::abs(norm - 1) > 1e-6) {
    throw std::invalid_argument("orientation: expected a quaternion of norm 1, found norm " + spelled(norm));
  }
  return q.normalized();
}

}  // namespace locdyn
