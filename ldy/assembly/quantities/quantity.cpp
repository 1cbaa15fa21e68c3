#include <locdyn/ldy/assembly/quantities/quantity.hpp>

#include <Eigen/Geometry>
#include <cmath>
#include <stdexcept>

namespace locdyn {
namespace {

using Eigen::Vector3d;

// The linear part of a derivative, p ȧ + q ḃ: velocity, drive, H, and of the bias what is linear.
Rate linear(double p, const Rate& a, double q, const Rate& b) {
  return {p * a.velocity + q * b.velocity, p * a.drive + q * b.drive, p * a.bias + q * b.bias, p * a.H + q * b.H};
}

VectorRate linear(const Eigen::Matrix3d& P, const VectorRate& a, const Eigen::Matrix3d& Q, const VectorRate& b) {
  return {P * a.velocity + Q * b.velocity, P * a.drive + Q * b.drive, P * a.bias + Q * b.bias, P * a.H + Q * b.H};
}

// pᵀ ȧ + qᵀ ḃ.
Rate linear(const Vector3d& p, const VectorRate& a, const Vector3d& q, const VectorRate& b) {
  return {p.dot(a.velocity) + q.dot(b.velocity), p.dot(a.drive) + q.dot(b.drive), p.dot(a.bias) + q.dot(b.bias),
          p.transpose() * a.H + q.transpose() * b.H};
}

Eigen::Matrix3d across(const Vector3d& a) {
  Eigen::Matrix3d matrix;
  matrix << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return matrix;
}

const Eigen::Matrix3d kOne = Eigen::Matrix3d::Identity();

Quantity of(double value, const Rate& rate) {
  Quantity quantity;
  static_cast<Rate&>(quantity) = rate;
  quantity.value = value;
  return quantity;
}

VectorQuantity of(const Vector3d& value, const VectorRate& rate) {
  VectorQuantity quantity;
  static_cast<VectorRate&>(quantity) = rate;
  quantity.value = value;
  return quantity;
}

// A direction that stays.
VectorQuantity constant(const Vector3d& value, Eigen::Index freedoms) {
  VectorQuantity quantity;
  quantity.value = value;
  quantity.H.setZero(3, freedoms);
  return quantity;
}

}  // namespace

// --- sums ------------------------------------------------------------------------------------------------------------

Quantity operator+(const Quantity& a, const Quantity& b) {
  return of(a.value + b.value, linear(1, a, 1, b));
}
Quantity operator-(const Quantity& a, const Quantity& b) {
  return of(a.value - b.value, linear(1, a, -1, b));
}
Quantity operator*(double factor, const Quantity& a) {
  return of(factor * a.value, factor * static_cast<const Rate&>(a));
}
Quantity operator-(const Quantity& a, double constant) {
  return of(a.value - constant, a);
}
VectorQuantity operator+(const VectorQuantity& a, const VectorQuantity& b) {
  return of(a.value + b.value, static_cast<const VectorRate&>(a) + static_cast<const VectorRate&>(b));
}
VectorQuantity operator-(const VectorQuantity& a, const VectorQuantity& b) {
  return of(a.value - b.value, static_cast<const VectorRate&>(a) - static_cast<const VectorRate&>(b));
}
VectorQuantity operator*(double factor, const VectorQuantity& a) {
  return of(factor * a.value, VectorRate{factor * a.velocity, factor * a.drive, factor * a.bias, factor * a.H});
}
Rate operator-(const Rate& a, const Rate& b) {
  return linear(1, a, -1, b);
}
Rate operator*(double factor, const Rate& a) {
  return {factor * a.velocity, factor * a.drive, factor * a.bias, factor * a.H};
}
VectorRate operator+(const VectorRate& a, const VectorRate& b) {
  return {a.velocity + b.velocity, a.drive + b.drive, a.bias + b.bias, a.H + b.H};
}
VectorRate operator-(const VectorRate& a, const VectorRate& b) {
  return {a.velocity - b.velocity, a.drive - b.drive, a.bias - b.bias, a.H - b.H};
}

// --- products and chains ---------------------------------------------------------------------------------------------

Quantity chain(double f, double first, double second, const Quantity& c) {
  Quantity result = of(f, first * static_cast<const Rate&>(c));
  result.bias += second * c.velocity * c.velocity;
  return result;
}

Quantity operator*(const Quantity& a, const Quantity& b) {
  Quantity result = of(a.value * b.value, linear(b.value, a, a.value, b));
  result.bias += 2 * a.velocity * b.velocity;
  return result;
}

VectorQuantity operator*(const Quantity& a, const VectorQuantity& b) {
  VectorQuantity result;
  result.value = a.value * b.value;
  result.velocity = a.velocity * b.value + a.value * b.velocity;
  result.drive = a.drive * b.value + a.value * b.drive;
  result.bias = a.bias * b.value + a.value * b.bias + 2 * a.velocity * b.velocity;
  result.H = b.value * a.H + a.value * b.H;
  return result;
}

Quantity dot(const VectorQuantity& a, const VectorQuantity& b) {
  Quantity result = of(a.value.dot(b.value), linear(b.value, a, a.value, b));
  result.bias += 2 * a.velocity.dot(b.velocity);
  return result;
}

VectorQuantity cross(const VectorQuantity& a, const VectorQuantity& b) {
  VectorQuantity result = of(a.value.cross(b.value), linear(-across(b.value), a, across(a.value), b));
  result.bias += 2 * a.velocity.cross(b.velocity);
  return result;
}

Quantity component(const VectorQuantity& a, int i) {
  return of(a.value[i], {a.velocity[i], a.drive[i], a.bias[i], a.H.row(i)});
}

Rate dot(const VectorQuantity& a, const VectorRate& b) {
  const double turning = a.velocity.dot(b.velocity);
  return {a.value.dot(b.velocity), a.value.dot(b.drive), a.value.dot(b.bias) + turning, a.value.transpose() * b.H};
}

VectorRate cross(const VectorRate& a, const VectorQuantity& b) {
  const Eigen::Matrix3d B = -across(b.value);
  return {B * a.velocity, B * a.drive, B * a.bias + a.velocity.cross(b.velocity), B * a.H};
}

// --- lengths and angles ----------------------------------------------------------------------------------------------

Quantity norm(const VectorQuantity& a) {
  const double length = a.value.norm();
  if (!(length > 0)) throw std::invalid_argument("length: expected a vector of length > 0, found 0");
  const Vector3d n = a.value / length;
  Quantity result = of(length, linear(n, a, Vector3d::Zero(), a));
  const Vector3d turning = a.velocity - n.dot(a.velocity) * n;
  result.bias += turning.squaredNorm() / length;
  return result;
}

VectorQuantity unit(const VectorQuantity& a) {
  const Quantity length = norm(a);
  const double r = length.value;
  return chain(1 / r, -1 / (r * r), 2 / (r * r * r), length) * a;
}

Quantity atan2(const Quantity& y, const Quantity& x) {
  const double square = x.value * x.value + y.value * y.value;
  if (!(square > 0)) throw std::invalid_argument("angle: expected vectors of length > 0, found 0");
  Quantity angle = of(std::atan2(y.value, x.value), linear(x.value / square, y, -y.value / square, x));
  angle.bias -= 2 * angle.velocity * (x.value * x.velocity + y.value * y.velocity) / square;
  return angle;
}

Quantity signed_angle(const VectorQuantity& a, const VectorQuantity& b, const VectorQuantity& n) {
  const VectorQuantity along = unit(n);
  const Quantity cosine = dot(a, b) - dot(a, along) * dot(b, along);
  return atan2(dot(along, cross(a, b)), cosine);
}

Quantity unsigned_angle(const VectorQuantity& a, const VectorQuantity& b) {
  constexpr double kRounding = 1e-15;
  const VectorQuantity c = cross(a, b);
  if (c.value.norm() > kRounding * a.value.norm() * b.value.norm()) return atan2(norm(c), dot(a, b));
  const Vector3d along = a.value.normalized();
  const Vector3d least = std::abs(along[2]) < 0.999 ? Vector3d::UnitZ() : Vector3d::UnitX();
  const Vector3d n = (least - least.dot(along) * along).normalized();
  return atan2(dot(constant(n, a.H.cols()), c), dot(a, b));
}

}  // namespace locdyn
