#include <locdyn/mechanism/smooth/point_system.hpp>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn::detail {
namespace {

void require_not_negative(double value, const char* what) {
  if (value >= 0 && std::isfinite(value)) return;
  throw std::invalid_argument(std::string(what) + ": expected a number >= 0, found " + spelled(value));
}

}  // namespace

// --- what there is ---------------------------------------------------------------------------------------------------

PointSystem::PointId PointSystem::add_point(const Eigen::Vector3d& position, double mass,
                                            const Eigen::Vector3d& velocity) {
  require_finite(position, "position");
  require_finite(velocity, "velocity");
  require_not_negative(mass, "mass");
  const PointId id = size();
  const auto n = static_cast<Eigen::Index>(id);
  x_.conservativeResize(3 * n + 3);
  v_.conservativeResize(3 * n + 3);
  x_.tail<3>() = position;
  v_.tail<3>() = velocity;
  mass_.conservativeResize(n + 1, n + 1);
  mass_.row(n).setZero();
  mass_.col(n).setZero();
  mass_(n, n) = mass;
  fixed_.push_back(false);
  return id;
}

PointSystem::PointId PointSystem::add_fixed_point(const Eigen::Vector3d& position) {
  const PointId id = add_point(position);
  fixed_[id] = true;
  return id;
}

Eigen::Index PointSystem::at(PointId point) const {
  if (point < size()) return 3 * static_cast<Eigen::Index>(point);
  throw std::invalid_argument("point: expected one of " + std::to_string(size()) + ", found " + std::to_string(point));
}

PointSystem::RowId PointSystem::add_row(PointId a, PointId b) {
  const double length = (position(b) - position(a)).norm();
  if (!(length > 0)) {
    throw std::invalid_argument("link: expected points that are apart, found " + std::to_string(a) + " and " +
                                std::to_string(b) + " together");
  }
  rows_.push_back({a, b, length});
  return rows_.size() - 1;
}

void PointSystem::add_mass(PointId a, PointId b, double mass) {
  mass_(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) += mass;
}

PointSystem::RowId PointSystem::add_link(PointId a, PointId b, double mass) {
  require_not_negative(mass, "mass");
  const RowId row = add_row(a, b);
  add_mass(a, a, mass / 3);
  add_mass(b, b, mass / 3);
  add_mass(a, b, mass / 6);
  add_mass(b, a, mass / 6);
  return row;
}

void PointSystem::add_spring(PointId a, PointId b, double stiffness, double rest_length, double damping) {
  (void)at(a);
  (void)at(b);
  require_not_negative(stiffness, "stiffness");
  require_not_negative(rest_length, "rest length");
  require_not_negative(damping, "damping");
  if (a == b) throw std::invalid_argument("spring: expected two points, found one: " + std::to_string(a));
  springs_.push_back({a, b, stiffness, rest_length, damping});
}

PointSystem::RowId PointSystem::add_rigid_body(const std::array<PointId, 4>& points, const MassProperties& properties) {
  validate(properties);
  // w(X) = B⁻¹ (1, X): barycentric coordinates, exact for all matter of the body.
  Eigen::Matrix4d B;
  for (int i = 0; i < 4; ++i) B.col(i) << 1, position(points[static_cast<std::size_t>(i)]);
  const Eigen::FullPivLU<Eigen::Matrix4d> factor(B);
  if (!factor.isInvertible()) {
    throw std::invalid_argument("rigid body: expected four points that do not lie in a plane, found that they do");
  }
  // ∫ρ (1, X)(1, X)ᵀ of its mass, centre and Euler tensor.
  Eigen::Matrix4d moments;
  const Eigen::Vector3d c = properties.center;
  moments(0, 0) = properties.mass;
  moments.block<3, 1>(1, 0) = properties.mass * c;
  moments.block<1, 3>(0, 1) = properties.mass * c.transpose();
  moments.block<3, 3>(1, 1) = euler_tensor(properties) + properties.mass * c * c.transpose();
  const Eigen::Matrix4d inverse = factor.inverse(), M = inverse * moments * inverse.transpose();
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) add_mass(points[i], points[j], M(static_cast<int>(i), static_cast<int>(j)));
  }
  const RowId first = rows_.size();
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = i + 1; j < 4; ++j) add_row(points[i], points[j]);
  }
  return first;
}

void PointSystem::set_velocity(PointId point, const Eigen::Vector3d& velocity) {
  require_finite(velocity, "velocity");
  v_.segment<3>(at(point)) = velocity;
}

// --- what it is worth ------------------------------------------------------------------------------------------------

double PointSystem::kinetic_energy() const {
  const Eigen::Map<const Eigen::Matrix3Xd> v(v_.data(), 3, mass_.rows());
  return 0.5 * (v * mass_).cwiseProduct(v).sum();
}

Eigen::Vector3d PointSystem::angular_momentum() const {
  const Eigen::Map<const Eigen::Matrix3Xd> x(x_.data(), 3, mass_.rows()), v(v_.data(), 3, mass_.rows());
  const Eigen::Matrix3Xd p = v * mass_;
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (Eigen::Index i = 0; i < p.cols(); ++i) sum += x.col(i).cross(p.col(i));
  return sum;
}

double PointSystem::potential_energy(const Eigen::VectorXd& x) const {
  double sum = 0;
  const Eigen::VectorXd weights = mass_.rowwise().sum();
  for (Eigen::Index i = 0; i < weights.size(); ++i) sum -= weights[i] * gravity.dot(x.segment<3>(3 * i));
  for (const Spring& s : springs_) {
    const double longer = (x.segment<3>(at(s.b)) - x.segment<3>(at(s.a))).norm() - s.rest;
    sum += 0.5 * s.stiffness * longer * longer;
  }
  return sum;
}

Eigen::VectorXd PointSystem::constraints(const Eigen::VectorXd& x) const {
  Eigen::VectorXd C(static_cast<Eigen::Index>(rows_.size()));
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Row& row = rows_[k];
    const double square = (x.segment<3>(at(row.b)) - x.segment<3>(at(row.a))).squaredNorm();
    C[static_cast<Eigen::Index>(k)] = (square - row.length * row.length) / (2 * row.length);
  }
  return C;
}

double PointSystem::position_error() const {
  return rows_.empty() ? 0 : constraints(x_).cwiseAbs().maxCoeff();
}

}  // namespace locdyn::detail
