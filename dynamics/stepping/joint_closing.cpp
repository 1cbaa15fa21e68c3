#include <locdyn/dynamics/stepping/joint_closing.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace locdyn {
namespace {

constexpr double kClosed = 1e-14;  // [m]: rounding
constexpr double kGain = 0.5;      // of |C| in an iteration; less is rounding, or no way to close
constexpr int kMostIterations = 8;

std::vector<ConstraintId> hard_joints(const LocalDynamics& graph) {
  std::vector<ConstraintId> ids;
  for (ConstraintId id = 0; id < graph.id_bound(); ++id) {
    if (graph.contains(id) && is_hard(graph.law(id))) ids.push_back(id);
  }
  return ids;
}

// C of all rows of a constraint, and the largest of those in use.
using Errors = std::array<Eigen::Vector3d, kMaxLawBlocks>;

Errors errors_of(const System& system, ConstraintId id) {
  Errors errors;
  errors.fill(Eigen::Vector3d::Zero());
  const auto blocks = static_cast<std::size_t>(block_count(system.graph().law(id)));
  system.assembly().constraint(id).position_error(system.bodies(), {errors.data(), blocks});
  return errors;
}

Eigen::VectorXd errors_of(const System& system, const SaddleProblem& problem) {
  Eigen::VectorXd all(static_cast<Eigen::Index>(problem.rows.size()));
  ConstraintId last = kNone;
  Errors errors;
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const SaddleRow& row = problem.rows[i];
    if (row.constraint != last) errors = errors_of(system, last = row.constraint);
    all[static_cast<Eigen::Index>(i)] = errors[static_cast<std::size_t>(row.row / 3)][row.row % 3];
  }
  return all;
}

double largest_error(const System& system, const std::vector<ConstraintId>& ids) {
  double largest = 0;
  for (ConstraintId id : ids) {
    const Errors errors = errors_of(system, id);
    const Law& law = system.graph().law(id);
    for (int k = 0; k < block_count(law); ++k) {
      for (int axis = 0; axis < 3; ++axis) {
        if (uses(rows(law, k), axis)) largest = std::max(largest, std::abs(errors[k][axis]));
      }
    }
  }
  return largest;
}

// Positions alone; velocities stay.
void displace(System& system, const BilateralSystem& joints, const Eigen::VectorXd& displacement) {
  for (BodyId id = 0; id < static_cast<BodyId>(joints.first.size()); ++id) {
    if (joints.first[id] < 0) continue;
    Body& body = system.bodies()[id];
    const Eigen::VectorXd velocity = body.velocity();
    body.set_velocity(displacement.segment(joints.first[id], body.freedoms()));
    body.advance(1.0);
    body.set_velocity(velocity);
  }
}

std::vector<Eigen::VectorXd> places(const System& system, const BilateralSystem& joints) {
  std::vector<Eigen::VectorXd> q;
  for (BodyId id = 0; id < static_cast<BodyId>(joints.first.size()); ++id) {
    if (joints.first[id] >= 0) q.push_back(system.bodies()[id].configuration());
  }
  return q;
}

void put_back(System& system, const BilateralSystem& joints, const std::vector<Eigen::VectorXd>& q) {
  auto next = q.begin();
  for (BodyId id = 0; id < static_cast<BodyId>(joints.first.size()); ++id) {
    if (joints.first[id] >= 0) system.bodies()[id].set_configuration(*next++);
  }
}

}  // namespace

ClosingReport JointClosing::close(System& system) {
  ClosingReport report;
  const std::vector<ConstraintId> ids = hard_joints(system.graph());
  report.error = largest_error(system, ids);
  if (!(report.error > kClosed) || system.graph().factor() == nullptr) return report;

  const BilateralSystem joints = bilateral_system(system.graph(), ids);
  const double before = system.bodies().potential_energy(system.gravity);
  try {
    saddle_.factorise(joints.problem);
  } catch (const std::runtime_error&) {
    return report;
  }
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(joints.problem.A.rows());
  Eigen::VectorXd C = errors_of(system, joints.problem);
  for (int i = 0; i < kMostIterations && report.error > kClosed; ++i) {
    const std::vector<Eigen::VectorXd> q = places(system, joints);
    displace(system, joints, saddle_.solve(none, -C).a);
    C = errors_of(system, joints.problem);
    const double error = C.cwiseAbs().maxCoeff();
    if (!(error < report.error)) {
      put_back(system, joints, q);
      break;
    }
    const bool gains = error < kGain * report.error;
    report.error = error;
    if (!gains) break;
  }
  report.energy = system.bodies().potential_energy(system.gravity) - before;
  return report;
}

}  // namespace locdyn
