#include <locdyn/mechanism/rates.hpp>

#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/kinematic_body.hpp>
#include <locdyn/solver/saddle/saddle_system.hpp>

namespace locdyn {
using namespace detail;

RateReport nearest_rates(const Mechanism& mechanism, const Eigen::VectorXd& gamma, const Eigen::VectorXd& near) {
  if (near.size() != 0 && near.size() != mechanism.coordinates()) {
    throw std::invalid_argument("rates: expected " + std::to_string(mechanism.coordinates()) +
                                " numbers to be near to, found " + std::to_string(near.size()));
  }
  require_finite(near, "rates to be near to");
  const SaddleSystem& factor = mechanism.factor();
  const bool free = near.size() == 0;
  const Eigen::VectorXd start = free ? Eigen::VectorXd::Zero(mechanism.coordinates()) : near;
  const SaddleSolution solution = factor.solve(mechanism.metric() * start, gamma);

  RateReport report{.value = solution.a, .multipliers = solution.lambda};
  report.freedoms = factor.freedoms();
  report.rank_lost = factor.rank_lost();
  report.met = !solution.contradictory && solution.converged;
  const Eigen::VectorXd left = mechanism.G() * solution.a - gamma;
  if (left.size() == 0) return report;
  Eigen::Index worst = 0;
  report.residual = left.cwiseAbs().maxCoeff(&worst);
  if (solution.contradictory) worst = solution.contradiction.row;
  if (!report.met) report.at_fault = mechanism.spelled(worst);
  return report;
}

RateReport solve_velocities(Mechanism& mechanism, const Eigen::VectorXd& near) {
  mechanism.factorise();
  RateReport report = nearest_rates(mechanism, -mechanism.d(), near);
  if (report.met) mechanism.set_velocity(report.value);
  return report;
}

RateReport solve_accelerations(Mechanism& mechanism, const Eigen::VectorXd& near) {
  mechanism.factorise();
  return nearest_rates(mechanism, -mechanism.bias(), near);
}

Eigen::Vector3d point_acceleration(const Mechanism& mechanism, BodyId id, const Eigen::Vector3d& X,
                                   const Eigen::VectorXd& acceleration) {
  const KinematicBody& body = kinematic(mechanism.bodies(), id);
  const MaterialMotion motion = body.point_motion(X);
  if (body.freedoms() == 0) return motion.bias;
  PointJacobian H(3, body.freedoms());
  body.point_jacobian(motion.value, Eigen::Matrix3d::Identity(), H);
  return motion.bias + H * acceleration.segment(mechanism.first(id), body.freedoms());
}

}  // namespace locdyn
