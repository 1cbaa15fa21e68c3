#include <locdyn/contact/elliptic_cone.hpp>

#include <algorithm>
#include <cmath>

namespace locdyn {
namespace {

// τ ∈ [0, 1] with (1 − τ) a(τ) = |z_n|, a(τ) = ‖(c_1/(d_1 + e_1 τ), c_2/(d_2 + e_2 τ))‖ and a(0) > |z_n| ≥ 0. 1/a is
// concave, so Newton's steps on (1 − τ) − |z_n|/a(τ) climb to the root from τ = 0; on a circle the first one is there.
// Source: the secular equation of trust regions, Conn, Gould & Toint, Trust-Region Methods (2000) §7.3.
double secular_root(const Eigen::Array2d& c, const Eigen::Array2d& d, const Eigen::Array2d& e, double normal,
                    double& a) noexcept {
  double root = 0;
  for (int step = 0; step < 100; ++step) {
    const Eigen::Array2d weight = d + e * root;
    const Eigen::Array2d p = (weight > 0).select(c / weight, 0);
    a = p.matrix().norm();
    if (!(a > 0)) return root;
    const double value = (1 - root) - normal / a;
    const double bend = (weight > 0).select(p * p * e / weight, 0).sum() / (a * a);  // −a'/a
    const double next = std::min(root + value / (1 + normal / a * bend), 1.0);
    if (!(next > root)) return root;
    root = next;
  }
  return root;
}

}  // namespace

double elliptic_violation(const Eigen::Vector3d& R, const Eigen::Vector2d& friction) noexcept {
  const double largest = friction.maxCoeff();
  Eigen::Vector2d scaled;
  double violation = -R[2];
  for (int k = 0; k < 2; ++k) {
    const bool none = friction[k] < elliptic::kNoFriction;
    scaled[k] = none ? 0 : R[k] * (largest / friction[k]);
    if (none) violation = std::max(violation, std::abs(R[k]));
  }
  violation = std::max(violation, scaled.norm() - largest * R[2]);
  return violation > 0 ? violation : 0;
}

Eigen::Vector3d project_on_elliptic_cone(const Eigen::Vector3d& z, const Eigen::Vector2d& friction) noexcept {
  // In units of the largest entry, so that no square overflows. A flat cone lies in its plane.
  const Eigen::Array2d mu = friction.array();
  const Eigen::Array2d t = (mu < elliptic::kNoFriction).select(0, z.head<2>().array());
  const double size = std::max(t.abs().maxCoeff(), std::abs(z[2]));
  if (!(size > 0)) return Eigen::Vector3d::Zero();
  const Eigen::Array2d x = t / size;
  const double normal = z[2] / size;

  // Inside: on the cone's own plane, z itself. In the polar cone: the apex.
  const double radius = (x != 0).select(x / mu, 0).matrix().norm();
  if (normal >= 0 && radius <= normal) return {t[0], t[1], z[2]};
  const double support = (x * mu).matrix().norm();
  if (normal <= 0 && support <= -normal) return Eigen::Vector3d::Zero();

  double a = 0;
  if (normal >= 0) {
    // R_i = z_i μ_i²/(μ_i² + τ), R_n = z_n/(1 − τ) = a.
    const double root = secular_root(x * mu, mu * mu, Eigen::Array2d::Ones(), normal, a);
    const Eigen::Array2d squares = mu * mu;
    const Eigen::Array2d R = (x != 0).select(x * (squares / (squares + root)), 0);
    return {size * R[0], size * R[1], size * a};
  }
  // The same for the dual cone, whose semi-axes are 1/μ_i, of −z: R_i = z_i μ_i² τ/(1 + μ_i² τ), R_n = τ a.
  const double root = secular_root(x * mu, Eigen::Array2d::Ones(), mu * mu, -normal, a);
  const Eigen::Array2d R = x * (mu * mu * root / (1 + mu * mu * root));
  return {size * R[0], size * R[1], size * root * a};
}

Eigen::Vector3d elliptic_shift(const Eigen::Vector3d& U, const Eigen::Vector2d& friction) noexcept {
  return {U[0], U[1], U[2] + friction.cwiseProduct(U.head<2>()).norm()};
}

}  // namespace locdyn
