#include <locdyn/simulation/stepping/joint_closing.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

namespace locdyn::detail {
namespace {

constexpr double kClosed = 1e-14;  // [m]: rounding
// Of the largest coordinate of a joint's bodies: each of two places and of the two points there is off by half a unit
// in the last place. Without it a buggy 300 m from the origin closed 3e-14 m anew at every step, which took 1.6 times
// as long.
constexpr double kRounding = 2 * std::numeric_limits<double>::epsilon();
constexpr double kGain = 0.5;  // of |C| in an iteration; less is rounding, or no way to close
constexpr int kMostIterations = 8;

// By id. Contacts are none.
std::vector<ConstraintId> hard_joints(const System& system) {
  std::vector<ConstraintId> ids;
  for (const ConstraintId id : system.constraints()) {
    if (holds_hard(system.graph().law(id))) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end());
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
  ConstraintId last{kNone};
  Errors errors;
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const SaddleRow& row = problem.rows[i];
    if (row.constraint != last) errors = errors_of(system, last = row.constraint);
    all[static_cast<Eigen::Index>(i)] = errors[static_cast<std::size_t>(row.row / 3)][row.row % 3];
  }
  return all;
}

double largest_error(const System& system, ConstraintId id) {
  double largest = 0;
  const Errors errors = errors_of(system, id);
  const Law& law = system.graph().law(id);
  for (int k = 0; k < block_count(law); ++k) {
    for (int axis = 0; axis < 3; ++axis) {
      if (uses(bilateral_rows(law, k), axis)) largest = std::max(largest, std::abs(errors[k][axis]));
    }
  }
  return largest;
}

// What the rounding of its bodies' coordinates leaves of C, wherever they are.
double rounding(const System& system, ConstraintId id) {
  double largest = 0;
  for (const BodyId body : system.assembly().constraint(id).bodies()) {
    largest = std::max(largest, system.bodies()[body].configuration().lpNorm<Eigen::Infinity>());
  }
  return std::max(kClosed, kRounding * largest);
}

// The bodies that joints act on, by id, and the first coordinate of each.
struct JointBody {
  BodyId id;
  Eigen::Index first;
};

std::vector<JointBody> bodies_of(const System& system, const BilateralSystem& joints) {
  const std::span<const BodyId> ids = system.assembly().kinematics().bodies();
  std::vector<JointBody> bodies;
  for (std::size_t group = 0; group < ids.size(); ++group) {
    if (joints.first[group] >= 0) bodies.push_back({ids[group], joints.first[group]});
  }
  return bodies;
}

// Positions alone; velocities stay.
void displace(System& system, const std::vector<JointBody>& bodies, const Eigen::VectorXd& displacement) {
  for (const auto& [id, first] : bodies) {
    Body& body = system.bodies()[id];
    const Eigen::VectorXd velocity = body.velocity();
    body.set_velocity(displacement.segment(first, body.freedoms()));
    body.advance(1.0);
    body.set_velocity(velocity);
  }
}

std::vector<Eigen::VectorXd> places(const System& system, const std::vector<JointBody>& bodies) {
  std::vector<Eigen::VectorXd> q;
  for (const JointBody& body : bodies) q.push_back(system.bodies()[body.id].configuration());
  return q;
}

void put_back(System& system, const std::vector<JointBody>& bodies, const std::vector<Eigen::VectorXd>& q) {
  for (std::size_t i = 0; i < q.size(); ++i) system.bodies()[bodies[i].id].set_configuration(q[i]);
}

double potential_energy(const System& system, const std::vector<JointBody>& bodies) {
  double energy = 0;
  for (const JointBody& body : bodies) energy += system.bodies()[body.id].potential_energy(system.gravity);
  return energy;
}

}  // namespace

ClosingReport JointClosing::close(System& system) {
  ClosingReport report;
  const std::vector<ConstraintId> ids = hard_joints(system);
  bool open = false;
  for (const ConstraintId id : ids) {
    const double error = largest_error(system, id);
    report.error = std::max(report.error, error);
    open = open || (error > kClosed && error > rounding(system, id));
  }
  if (!open || system.graph().factor() == nullptr) return report;

  const BilateralSystem joints = bilateral_system(system.graph(), ids);
  const std::vector<JointBody> bodies = bodies_of(system, joints);
  const double before = potential_energy(system, bodies);
  try {
    saddle_.factorise(joints.problem);
  } catch (const std::runtime_error&) {
    return report;
  }
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(joints.problem.A.rows());
  Eigen::VectorXd C = errors_of(system, joints.problem);
  for (int i = 0; i < kMostIterations && report.error > kClosed; ++i) {
    const std::vector<Eigen::VectorXd> q = places(system, bodies);
    displace(system, bodies, saddle_.solve(none, -C).a);
    C = errors_of(system, joints.problem);
    const double error = C.cwiseAbs().maxCoeff();
    if (!(error < report.error)) {
      put_back(system, bodies, q);
      break;
    }
    const bool gains = error < kGain * report.error;
    report.error = error;
    if (!gains) break;
  }
  report.energy = potential_energy(system, bodies) - before;
  return report;
}

}  // namespace locdyn::detail
