#include <locdyn/bodies/rotation.hpp>

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

// Of a half angle up to 0.03, as in most steps: what cosine and sinc are off 1 by, in double, is good to 5e-20, the
// rounding of an extended number near 1; both functions of that type take eight times as long.
template <class Scalar>
Eigen::Quaternion<Scalar, Eigen::DontAlign> unit_quaternion(const Eigen::Matrix<Scalar, 3, 1>& theta) {
  const Scalar half2 = theta.squaredNorm() / 4;
  Scalar cosine, scale;
  if (half2 <= Scalar(1e-3)) {
    const auto s = static_cast<double>(half2);
    cosine = 1 + Scalar(-s / 2 * (1 - s / 12 * (1 - s / 30 * (1 - s / 56))));
    scale = (1 + Scalar(-s / 6 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72))))) / 2;
  } else {
    const Scalar half = std::sqrt(half2);
    cosine = std::cos(half);
    scale = sinc(half) / 2;
  }
  return {cosine, scale * theta[0], scale * theta[1], scale * theta[2]};
}

// (x − sin x)/x³; the series where the difference would cancel.
double sine_remainder(double x) {
  const double s = x * x;
  if (s > 1) return (x - std::sin(x)) / (s * x);
  double sum = 0;
  double term = 1.0 / 6;
  for (int k = 2; k <= 10; ++k) {
    sum += term;
    term *= -s / (2 * k * (2 * k + 1));
  }
  return sum + term;
}

}  // namespace

Eigen::Matrix3d skew(const Eigen::Vector3d& a) {
  Eigen::Matrix3d S;
  S << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return S;
}

Orientation exponential(const Eigen::Vector3d& theta) {
  return unit_quaternion<double>(theta);
}

Eigen::Matrix3d exponential_matrix(const Eigen::Vector3d& theta) {
  const double angle = theta.norm();
  const double half_sinc = sinc(0.5 * angle);
  const Eigen::Matrix3d S = skew(theta);
  return Eigen::Matrix3d::Identity() + sinc(angle) * S + 0.5 * half_sinc * half_sinc * S * S;
}

Eigen::Matrix3d exponential_derivative(const Eigen::Vector3d& theta) {
  const double angle = theta.norm();
  const double half_sinc = sinc(0.5 * angle);
  const Eigen::Matrix3d S = skew(theta);
  return Eigen::Matrix3d::Identity() - 0.5 * half_sinc * half_sinc * S + sine_remainder(angle) * S * S;
}

ExtendedVector rotated(const ExtendedVector& theta, const ExtendedVector& v) {
  return unit_quaternion(theta) * v;
}

void turn(Orientation& q, const Eigen::Vector3d& theta) {
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
