#include <locdyn/sensitivity/variation.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace locdyn {
namespace {

Eigen::Index freedom_count(const System& system) {
  Eigen::Index count = 0;
  for (const BodyId id : system.bodies().ids()) count += system.bodies()[id].freedoms();
  return count;
}

void require_shape(const Eigen::MatrixXd& values, Eigen::Index rows, Eigen::Index columns, const char* what) {
  if (values.rows() != rows || values.cols() != columns) {
    throw std::invalid_argument(std::string(what) + ": expected " + std::to_string(rows) + " x " +
                                std::to_string(columns) + " numbers, found " + std::to_string(values.rows()) + " x " +
                                std::to_string(values.cols()));
  }
  if (!values.allFinite()) {
    throw std::invalid_argument(std::string(what) + ": expected finite numbers, found one that is not");
  }
}

}  // namespace

Eigen::Index ParameterVariation::pair(SurfaceId a, SurfaceId b) {
  const Eigen::Index low = std::min(a.value(), b.value()), high = std::max(a.value(), b.value());
  return high * (high + 1) / 2 + low;
}

StateVariation no_state(const System& system) {
  const Eigen::Index n = freedom_count(system);
  return {.q = Eigen::VectorXd::Zero(n), .u = Eigen::VectorXd::Zero(n), .memory = {}};
}

ParameterVariation no_parameters(const System& system) {
  const auto bodies = static_cast<Eigen::Index>(system.bodies().id_bound());
  const auto colliders = static_cast<Eigen::Index>(system.colliders().size());
  const auto surfaces = static_cast<Eigen::Index>(system.materials.size());
  ParameterVariation none;
  none.force = Eigen::VectorXd::Zero(freedom_count(system));
  none.mass = Eigen::VectorXd::Zero(bodies);
  none.inertia = Eigen::MatrixXd::Zero(9, bodies);
  none.size = none.position = Eigen::MatrixXd::Zero(3, colliders);
  none.friction = none.restitution = Eigen::VectorXd::Zero(surfaces * (surfaces + 1) / 2);
  return none;
}

void add(const ParameterVariation& b, ParameterVariation& a) {
  a.force += b.force;
  a.gravity += b.gravity;
  a.mass += b.mass;
  a.inertia += b.inertia;
  a.size += b.size;
  a.position += b.position;
  a.friction += b.friction;
  a.restitution += b.restitution;
}

double dot(const StateVariation& a, const StateVariation& b) {
  double sum = a.q.dot(b.q) + a.u.dot(b.u);
  for (const auto& [identity, memory] : a.memory) {
    const auto other = b.memory.find(identity);
    if (other == b.memory.end()) continue;
    sum += memory.frame.dot(other->second.frame) + memory.velocity.dot(other->second.velocity);
  }
  return sum;
}

double dot(const ParameterVariation& a, const ParameterVariation& b) {
  return a.force.dot(b.force) + a.gravity.dot(b.gravity) + a.mass.dot(b.mass) +
         a.inertia.cwiseProduct(b.inertia).sum() + a.size.cwiseProduct(b.size).sum() +
         a.position.cwiseProduct(b.position).sum() + a.friction.dot(b.friction) + a.restitution.dot(b.restitution);
}

void validate(const StateVariation& state, const System& system) {
  const Eigen::Index n = freedom_count(system);
  require_shape(state.q, n, 1, "q");
  require_shape(state.u, n, 1, "u");
  for (const auto& [identity, memory] : state.memory) {
    require_shape(memory.frame, 3, 1, "memory of a contact, frame");
    require_shape(memory.velocity, 3, 1, "memory of a contact, velocity");
  }
}

void validate(const ParameterVariation& parameters, const System& system) {
  const ParameterVariation sizes = no_parameters(system);
  const auto check = [](const Eigen::MatrixXd& values, const Eigen::MatrixXd& like, const char* what) {
    require_shape(values, like.rows(), like.cols(), what);
  };
  check(parameters.force, sizes.force, "force");
  check(parameters.gravity, sizes.gravity, "gravity");
  check(parameters.mass, sizes.mass, "mass");
  check(parameters.inertia, sizes.inertia, "inertia");
  check(parameters.size, sizes.size, "size");
  check(parameters.position, sizes.position, "position");
  check(parameters.friction, sizes.friction, "friction");
  check(parameters.restitution, sizes.restitution, "restitution");
}

}  // namespace locdyn
