#include <locdyn/sensitivity/numeric_linearisation.hpp>

#include <array>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/ldy/assembly/derivative_check.hpp>

namespace locdyn::detail {
namespace {

constexpr double kStep = 1e-5;  // [m, rad]: the square of it, and rounding over it, are 1e-10 and 1e-11

std::unique_ptr<Body> copy_of(const Body& body) {
  if (const auto* rigid = dynamic_cast<const RigidBody*>(&body)) return std::make_unique<RigidBody>(*rigid);
  if (const auto* planar = dynamic_cast<const PlanarBody*>(&body)) return std::make_unique<PlanarBody>(*planar);
  if (const auto* particle = dynamic_cast<const Particle*>(&body)) return std::make_unique<Particle>(*particle);
  if (const auto* obstacle = dynamic_cast<const Obstacle*>(&body)) return std::make_unique<Obstacle>(*obstacle);
  throw std::invalid_argument("expected a particle, a planar body, a rigid body or an obstacle, found another kind");
}

// While it lives one body is a little way along one of its velocities; then it is where it was.
class Aside {
 public:
  Aside(Body& body, int freedom, double way) : body_(body), q_(body.configuration()), u_(body.velocity()) {
    body.set_velocity(Eigen::VectorXd::Unit(body.freedoms(), freedom));
    body.advance(way);
    body.set_velocity(u_);
  }
  ~Aside() {
    body_.set_configuration(q_);
    body_.set_velocity(u_);
  }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

 private:
  Body& body_;
  Eigen::VectorXd q_, u_;
};

// Calls take(column, f) for each velocity of the bodies, with the central difference of f().
template <class Function>
void differences(BodySet& middle, const std::vector<BodyId>& ids, const Function& f, Eigen::MatrixXd& result) {
  Eigen::Index column = 0;
  for (const BodyId id : ids) {
    for (int k = 0; k < middle[id].freedoms(); ++k, ++column) {
      Eigen::VectorXd change;
      {
        const Aside there(middle[id], k, kStep);
        change = f();
      }
      {
        const Aside here(middle[id], k, -kStep);
        change -= f();
      }
      result.col(column) = change / (2 * kStep);
    }
  }
}

// σ + C R of all blocks.
Eigen::VectorXd shift_of(const Law& law, const Eigen::VectorXd& R) {
  Eigen::VectorXd shift(R.size());
  for (int k = 0; 3 * k < R.size(); ++k) {
    shift.segment<3>(3 * k) = offset(law, k) + compliance(law, k).cwiseProduct(R.segment<3>(3 * k));
  }
  return shift;
}

std::array<Eigen::Vector3d, kMaxLawBlocks> blocks_of(const Eigen::VectorXd& V) {
  std::array<Eigen::Vector3d, kMaxLawBlocks> blocks;
  for (int k = 0; 3 * k < V.size(); ++k) blocks[static_cast<std::size_t>(k)] = V.segment<3>(3 * k);
  return blocks;
}

}  // namespace

std::unique_ptr<BodySet> bodies_at_middle(const System& system, const std::vector<BodyBefore>& before, double time,
                                          double h) {
  auto middle = std::make_unique<BodySet>();
  for (BodyId id{0}; id < system.bodies().id_bound(); ++id) {
    if (!system.bodies().contains(id)) {
      middle->emplace<Obstacle>();
      continue;
    }
    std::unique_ptr<Body> body = copy_of(system.bodies()[id]);
    if (body->freedoms() == 0) {
      body->advance(-h / 2);
    } else {
      body->set_configuration(before[id.value()].q);
      body->set_velocity(before[id.value()].u);
      body->advance(h / 2);
    }
    body->clear_forces();
    middle->add(std::move(body));
  }
  middle->set_time(time);
  return middle;
}

ConstraintLinearisation linearise_constraint(System& system, ConstraintId id, BodySet& middle,
                                             const std::vector<BodyLinearisation>& bodies, double h) {
  Constraint& constraint = system.assembly().constraint(id);
  const LocalDynamics& ldy = system.graph();
  const std::vector<double> memory(constraint.memory().begin(), constraint.memory().end());
  ConstraintLinearisation result;
  result.constraint = id;
  result.bodies.assign(constraint.bodies().begin(), constraint.bodies().end());
  const int size = 3 * block_count(ldy.law(id));
  Eigen::VectorXd R(size), after, now;
  for (int k = 0; 3 * k < size; ++k) R.segment<3>(3 * k) = ldy.row(id, k).R;
  Eigen::Index n = 0;
  for (const BodyId body : result.bodies) n += middle[body].freedoms();
  after.resize(n);
  now.resize(n);
  n = 0;
  for (const BodyId body : result.bodies) {
    const BodyLinearisation& of = bodies[body.value()];
    after.segment(n, of.freedoms) = of.u_after.head(of.freedoms);
    now.segment(n, of.freedoms) = of.u.head(of.freedoms);
    n += of.freedoms;
  }
  const auto rows_now = [&] {
    constraint.set_memory(memory);
    return constraint_rows(constraint, middle);
  };
  const ConstraintRows here = rows_now();
  result.H = here.H;
  const Eigen::VectorXd V = here.H * now + here.drive;

  // U, V, Hᵀ R and σ + C R at one go.
  const auto values = [&] {
    const ConstraintRows there = rows_now();
    Eigen::VectorXd all(3 * size + n);
    const auto blocks = blocks_of(V);
    all << there.H * after + there.drive, there.H * now + there.drive, there.H.transpose() * R,
        shift_of(constraint.law(h, {blocks.data(), static_cast<std::size_t>(size / 3)}), R);
    return all;
  };
  Eigen::MatrixXd by_q(3 * size + n, n);
  differences(middle, result.bodies, values, by_q);
  result.U_q = by_q.topRows(size);
  result.V_q = by_q.middleRows(size, size);
  result.P_q = by_q.middleRows(2 * size, n);
  result.S_q = by_q.bottomRows(size);

  (void)rows_now();
  result.S_V = Eigen::MatrixXd::Zero(size, size);
  const double way = kStep * (1 + V.cwiseAbs().maxCoeff());
  for (int k = 0; k < size; ++k) {
    Eigen::VectorXd change = Eigen::VectorXd::Zero(size);
    for (const double side : {1.0, -1.0}) {
      const auto blocks = blocks_of(V + side * way * Eigen::VectorXd::Unit(size, k));
      change += side * shift_of(constraint.law(h, {blocks.data(), static_cast<std::size_t>(size / 3)}), R);
    }
    result.S_V.col(k) = change / (2 * way);
  }
  constraint.set_memory(memory);
  return result;
}

ForceLinearisation linearise_force(Force& force, BodySet& middle) {
  ForceLinearisation result;
  result.bodies.assign(force.bodies().begin(), force.bodies().end());
  if (result.bodies.empty()) {
    throw std::invalid_argument("expected a force that names its bodies, found one on all there are (" +
                                std::string(force.kind()) + ")");
  }
  const std::vector<double> memory(force.memory().begin(), force.memory().end());
  Eigen::Index n = 0;
  for (const BodyId body : result.bodies) n += middle[body].freedoms();
  const auto value = [&] {
    force.set_memory(memory);
    for (const BodyId body : result.bodies) middle[body].clear_forces();
    force.add_to(middle);
    Eigen::VectorXd all(n);
    Eigen::Index at = 0;
    for (const BodyId body : result.bodies) {
      const Eigen::VectorXd own = middle[body].added_force();
      all.segment(at, own.size()) = own;
      at += own.size();
    }
    return all;
  };
  result.value = value();
  result.by_q.resize(n, n);
  differences(middle, result.bodies, value, result.by_q);
  force.set_memory(memory);
  return result;
}

}  // namespace locdyn::detail
