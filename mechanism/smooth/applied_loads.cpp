#include <locdyn/mechanism/smooth/applied_loads.hpp>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/kinematic_body.hpp>

namespace locdyn {
using namespace detail;

AppliedLoads loads_of(System& system) {
  return {.gravity = system.gravity, .add = [&system](BodySet& bodies, double t) {
            system.forces().add_to(bodies);
            for (const Load& load : system.loads()) load(t, 0, bodies);
          }};
}

Eigen::VectorXd smooth_forces(Mechanism& mechanism, const AppliedLoads& loads) {
  BodySet& bodies = mechanism.bodies();
  for (const BodyId id : bodies.ids()) bodies[id].clear_forces();
  if (loads.add) loads.add(bodies, bodies.time());
  Eigen::VectorXd f(mechanism.coordinates());
  for (const BodyId id : bodies.ids()) {
    const Eigen::VectorXd part = kinematic(bodies, id).smooth_force(loads.gravity);
    bodies[id].clear_forces();
    for (Eigen::Index i = 0; i < part.size(); ++i) {
      if (std::isfinite(part[i])) continue;
      throw std::invalid_argument("forces on body " + std::to_string(id) + ": expected finite numbers, found " +
                                  spelled(part[i]) + " along velocity " + std::to_string(i));
    }
    f.segment(mechanism.first(id), bodies[id].freedoms()) = part;
  }
  return f;
}

SparseMatrix inertia(const Mechanism& mechanism) {
  std::vector<Eigen::Triplet<double>> entries;
  for (const BodyId id : mechanism.bodies().ids()) {
    const Body& body = mechanism.bodies()[id];
    if (body.freedoms() == 0 || body.mass() == 0) continue;
    const Eigen::MatrixXd block = body.inertia();
    const Eigen::Index at = mechanism.first(id);
    for (Eigen::Index j = 0; j < block.cols(); ++j) {
      for (Eigen::Index i = 0; i < block.rows(); ++i) {
        entries.emplace_back(static_cast<int>(at + i), static_cast<int>(at + j), block(i, j));
      }
    }
  }
  SparseMatrix A(mechanism.coordinates(), mechanism.coordinates());
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

}  // namespace locdyn
