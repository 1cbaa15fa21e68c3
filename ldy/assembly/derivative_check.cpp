#include <locdyn/ldy/assembly/derivative_check.hpp>

#include <cmath>
#include <stdexcept>
#include <vector>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {
namespace {

Law law_of(const Constraint& constraint) {
  std::array<Eigen::Vector3d, kMaxLawBlocks> V;
  V.fill(Eigen::Vector3d::Zero());
  return constraint.law(1.0, V);
}

// C(q, t) in the rows that have one, 0 in the others.
Eigen::VectorXd error_of(const Constraint& constraint, const BodySet& bodies, const Law& law) {
  const int blocks = block_count(law);
  std::vector<Eigen::Vector3d> error(static_cast<std::size_t>(blocks));
  constraint.position_error(bodies, error);
  Eigen::VectorXd C(3 * blocks);
  for (int i = 0; i < C.size(); ++i) {
    const RowMask mask = rows(law, i / 3) & constraint.holonomic_rows(i / 3);
    C[i] = uses(mask, i % 3) ? error[static_cast<std::size_t>(i / 3)][i % 3] : 0;
  }
  return C;
}

void require_numbers(const Constraint& constraint, const Eigen::MatrixXd& values, const char* what) {
  if (values.allFinite()) return;
  throw std::invalid_argument(std::string(constraint.kind()) + ": " + what +
                              ": expected finite numbers, found one that is not");
}

// Bodies, time and memory as they were, whatever happens.
class PutBack {
 public:
  PutBack(Constraint& constraint, BodySet& bodies) : constraint_(constraint), bodies_(bodies), time_(bodies.time()) {
    for (BodyId id : constraint.bodies()) {
      q_.push_back(bodies[id].configuration());
      u_.push_back(bodies[id].velocity());
    }
    memory_.assign(constraint.memory().begin(), constraint.memory().end());
  }
  ~PutBack() { put_back(); }
  PutBack(const PutBack&) = delete;
  PutBack& operator=(const PutBack&) = delete;

  void put_back() {
    for (std::size_t k = 0; k < q_.size(); ++k) {
      bodies_[constraint_.bodies()[k]].set_configuration(q_[k]);
      bodies_[constraint_.bodies()[k]].set_velocity(u_[k]);
    }
    bodies_.set_time(time_);
    constraint_.set_memory(memory_);
  }
  [[nodiscard]] const Eigen::VectorXd& velocity(std::size_t k) const { return u_[k]; }

 private:
  Constraint& constraint_;
  BodySet& bodies_;
  double time_;
  std::vector<Eigen::VectorXd> q_, u_;
  std::vector<double> memory_;
};

std::string described(Eigen::Index row, const std::string& where, double expected, double found) {
  return "row " + std::to_string(row % 3) + " of block " + std::to_string(row / 3) + where + ": expected " +
         spelled(expected) + ", found " + spelled(found);
}

// Takes `found` into the worst so far.
void compare(const Eigen::VectorXd& found, const Eigen::VectorXd& expected, const std::string& where, double scale,
             double& worst, std::string& text) {
  for (Eigen::Index i = 0; i < found.size(); ++i) {
    const double difference = std::abs(found[i] - expected[i]) / scale;
    if (!(difference > worst)) continue;
    worst = difference;
    text = described(i, where, expected[i], found[i]);
  }
}

}  // namespace

ConstraintRows constraint_rows(Constraint& constraint, const BodySet& bodies) {
  // A graph of one constraint, to evaluate into.
  const Law law = law_of(constraint);
  const int blocks = block_count(law);
  LocalDynamics graph;
  const ConstraintId id = graph.insert(law);
  Kinematics kinematics;
  kinematics.lay_out(graph, bodies, [&](ConstraintId) { return constraint.bodies(); });
  const auto first = static_cast<Index>(&graph.row(id, 0) - graph.diagonal_arena().data());
  for (int k = 0; k < blocks; ++k) kinematics.drive(first + static_cast<Index>(k)).setZero();
  ConstraintKinematics view(kinematics, first);
  constraint.evaluate(bodies, view);

  ConstraintRows result;
  Eigen::Index freedoms = 0;
  for (BodyId body : constraint.bodies()) freedoms += bodies[body].freedoms();
  result.H = Eigen::MatrixXd::Zero(3 * blocks, freedoms);
  result.drive = Eigen::VectorXd::Zero(3 * blocks);
  Eigen::VectorXd u(freedoms);
  for (int k = 0; k < blocks; ++k) {
    result.drive.segment<3>(3 * k) = view.drive(k);
    Eigen::Index column = 0;
    for (BodyId body : constraint.bodies()) {
      const JacobianMap H = view.H(k, body);
      result.H.block(3 * k, column, 3, H.cols()) = H;
      u.segment(column, H.cols()) = bodies[body].velocity();
      column += H.cols();
    }
    for (int i = 0; i < 3; ++i) {
      if (uses(rows(law, k), i)) continue;
      result.H.row(3 * k + i).setZero();
      result.drive[3 * k + i] = 0;
    }
  }
  result.error = error_of(constraint, bodies, law);
  result.U = result.H * u + result.drive;

  std::vector<Eigen::Vector3d> bias(static_cast<std::size_t>(blocks));
  try {
    constraint.acceleration_bias(bodies, bias);
  } catch (const std::logic_error& fault) {
    if (dynamic_cast<const std::invalid_argument*>(&fault) != nullptr) throw;
    return result;
  }
  result.bias.resize(3 * blocks);
  for (int k = 0; k < blocks; ++k) result.bias.segment<3>(3 * k) = bias[static_cast<std::size_t>(k)];
  return result;
}

DerivativeReport check_derivatives(Constraint& constraint, BodySet& bodies, const DerivativeCheckOptions& options) {
  require_positive(options.step, "step");
  const double step = options.step;
  const Law law = law_of(constraint);
  PutBack start(constraint, bodies);
  const ConstraintRows now = constraint_rows(constraint, bodies);
  if (now.bias.size() == 0) {
    throw std::logic_error("acceleration bias: expected a joint, found a " + std::string(constraint.kind()));
  }
  require_numbers(constraint, now.error, "C");
  require_numbers(constraint, now.H, "H");
  require_numbers(constraint, now.drive, "drive");
  require_numbers(constraint, now.bias, "bias");

  // The rows whose C has a derivative.
  Eigen::VectorXd holonomic(now.error.size());
  for (int i = 0; i < holonomic.size(); ++i) {
    holonomic[i] = uses(rows(law, i / 3) & constraint.holonomic_rows(i / 3), i % 3) ? 1 : 0;
  }
  // f where `move(+step)` and `move(−step)` lead, over 2 step.
  const auto difference = [&](const auto& move, const auto& f) {
    move(step);
    const Eigen::VectorXd after = f();
    start.put_back();
    move(-step);
    const Eigen::VectorXd before = f();
    start.put_back();
    return Eigen::VectorXd((after - before) / (2 * step));
  };
  const auto error = [&] { return error_of(constraint, bodies, law); };

  DerivativeReport report;
  Eigen::Index column = 0;
  const double scale = 1 + now.H.cwiseAbs().maxCoeff();
  for (BodyId id : constraint.bodies()) {
    for (int j = 0; j < bodies[id].freedoms(); ++j, ++column) {
      const auto move = [&](double dt) {
        bodies[id].set_velocity(Eigen::VectorXd::Unit(bodies[id].freedoms(), j));
        bodies[id].advance(dt);
      };
      const Eigen::VectorXd expected = difference(move, error);
      require_numbers(constraint, expected, "C beside where the bodies are");
      compare(now.H.col(column).cwiseProduct(holonomic), expected,
              ", velocity " + std::to_string(j) + " of body " + std::to_string(id), scale, report.H, report.worst_H);
    }
  }

  // Time alone, obstacles with it; then all.
  const double time = bodies.time();
  const auto move_time = [&](double dt) {
    bodies.set_time(time + dt);
    for (BodyId id : constraint.bodies()) {
      if (bodies[id].freedoms() == 0) bodies[id].advance(dt);
    }
  };
  const Eigen::VectorXd drive = difference(move_time, error);
  compare(now.drive.cwiseProduct(holonomic), drive, ", drive", 1 + now.drive.cwiseAbs().maxCoeff(), report.drive,
          report.worst_drive);
  const auto move_all = [&](double dt) {
    bodies.set_time(time + dt);
    for (BodyId id : constraint.bodies()) bodies[id].advance(dt);
  };
  const Eigen::VectorXd bias = difference(move_all, [&] { return constraint_rows(constraint, bodies).U; });
  require_numbers(constraint, bias, "U beside where the bodies are");
  compare(now.bias, bias, ", bias", 1 + now.bias.cwiseAbs().maxCoeff(), report.bias, report.worst_bias);
  return report;
}

}  // namespace locdyn::detail
