#include <locdyn/mechanism/smooth/force_tangent.hpp>

namespace locdyn::detail {
namespace {

constexpr double kDifference = 1e-7;  // [m], [rad]

}  // namespace

Eigen::MatrixXd force_tangent(FirstOrderForm& form, const AppliedLoads& loads, double rate) {
  Mechanism& mechanism = form.mechanism();
  const double t = mechanism.bodies().time();
  const Eigen::VectorXd y = form.state(), u = mechanism.velocity(), f = smooth_forces(mechanism, loads);
  Eigen::MatrixXd tangent(u.size(), u.size());
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    const Eigen::VectorXd x = kDifference * Eigen::VectorXd::Unit(u.size(), i);
    mechanism.displace(x);
    mechanism.set_velocity(u + rate * x);
    tangent.col(i) = (smooth_forces(mechanism, loads) - f) / kDifference;
    form.set_state(t, y);
  }
  return tangent;
}

}  // namespace locdyn::detail
