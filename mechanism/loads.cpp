#include <locdyn/mechanism/loads.hpp>

#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/solver/saddle/saddle_system.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr double kBalanced = 1e-9;

}  // namespace

void Loads::add_force(BodyId id, const Eigen::Vector3d& X, const Eigen::Vector3d& force) {
  require_finite(X, "point of a load");
  require_finite(force, "force");
  const Body& body = mechanism_.bodies()[id];
  PointJacobian H(3, body.freedoms());
  body.point_jacobian(body.to_space(X), Eigen::Matrix3d::Identity(), H);
  f_.segment(mechanism_.first(id), body.freedoms()) += H.transpose() * force;
}

void Loads::add_torque(BodyId id, const Eigen::Vector3d& torque) {
  require_finite(torque, "torque");
  const Body& body = mechanism_.bodies()[id];
  PointJacobian H(3, body.freedoms());
  body.spin_jacobian(Eigen::Matrix3d::Identity(), H);
  f_.segment(mechanism_.first(id), body.freedoms()) += H.transpose() * torque;
}

void Loads::add_gravity(const Eigen::Vector3d& gravity) {
  require_finite(gravity, "gravity");
  for (const BodyId id : mechanism_.bodies().ids()) {
    const Body& body = mechanism_.bodies()[id];
    if (body.freedoms() > 0) add_force(id, Eigen::Vector3d::Zero(), body.mass() * gravity);
  }
}

StaticReport static_reactions(Mechanism& mechanism, const Eigen::VectorXd& f) {
  const SaddleSystem& factor = mechanism.factorise();
  const SaddleSolution solution = factor.solve(f, Eigen::VectorXd::Zero(mechanism.G().rows()));
  StaticReport report{.reactions = solution.lambda, .drives = Eigen::VectorXd::Zero(mechanism.drive_count())};
  for (DriveId drive = 0; drive < mechanism.drive_count(); ++drive) {
    const Eigen::Index row = mechanism.row_of(drive);
    if (row >= 0) report.drives[drive] = mechanism.drive(drive).length() * solution.lambda[row];
  }
  const Eigen::VectorXd carried = mechanism.G().transpose() * solution.lambda;
  const double scale = f.norm() + carried.norm();
  report.unbalanced = scale > 0 ? (f + carried).norm() / scale : 0;
  report.balanced = solution.converged && solution.unsupported < 0 && report.unbalanced <= kBalanced;
  return report;
}

}  // namespace locdyn
