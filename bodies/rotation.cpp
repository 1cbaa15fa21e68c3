#include <locdyn/bodies/rotation.hpp>

#include <array>
#include <cmath>
#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/turn.hpp>

namespace locdyn {
using namespace detail;
namespace {

template <class Scalar>
Scalar sinc(Scalar x) {
  return x == 0 ? 1 : std::sin(x) / x;
}

double cosine_off_one(double s) {
  double excess;
  cosine_excess(s, excess);
  return excess;
}
double sinc_off_one(double s) {
  double excess;
  sinc_excess(s, excess);
  return excess;
}

// Where the angle is small, by series: both functions in extended precision take eight times as long as those in
// double, whose error is the rounding of an extended number near 1.
template <class Scalar>
Eigen::Quaternion<Scalar, Eigen::DontAlign> unit_quaternion(const Eigen::Matrix<Scalar, 3, 1>& theta) {
  const Scalar half2 = theta.squaredNorm() / 4;
  Scalar cosine, scale;
  if (half2 <= Scalar(kSmallHalf2)) {
    cosine = 1 + Scalar(cosine_off_one(static_cast<double>(half2)));
    scale = (1 + Scalar(sinc_off_one(static_cast<double>(half2)))) / 2;
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

Eigen::Matrix3d exponential_derivative(const Eigen::Vector3d& theta) {
  const double s = theta.squaredNorm();
  const Eigen::Matrix3d S = skew(theta);
  return Eigen::Matrix3d::Identity() - versine_of(s) * S + sine_remainder_of(s) * (S * S);
}

ExtendedVector rotated(const ExtendedVector& theta, const ExtendedVector& v) {
  return unit_quaternion(theta) * v;
}

void turn(Orientation& q, const Eigen::Vector3d& theta) {
  const double half2 = theta.squaredNorm() / 4;
  if (half2 <= kSmallHalf2) {
    double number[4] = {q.x(), q.y(), q.z(), q.w()};
    turn_little(number, {theta[0], theta[1], theta[2]}, half2);
    q.coeffs() << number[0], number[1], number[2], number[3];
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
