#pragma once
// Bodies and constraints moved by a dense solve, so that only the assembly, the laws and the scheme are on trial.

#include <Eigen/LU>
#include <algorithm>
#include <functional>

#include "random_scene.hpp"

namespace locdyn::test {

struct World {
  BodySet bodies;
  LocalDynamics ldy;
  Assembly assembly{bodies, ldy};
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();

  // Solves U + σ + C R = 0 on the rows in use of all (bilateral) constraints, in dense form.
  void solve_bilateral() {
    std::vector<ConstraintId> ids;
    for (ConstraintId id{0}; id < ldy.id_bound(); ++id) ids.push_back(id);
    Eigen::MatrixXd M = dense_w(ldy, ids);
    Eigen::VectorXd rhs = -dense_b(ldy, ids);
    Eigen::Index row = 0;
    for (ConstraintId id : ids) {
      const auto& law = std::get<BilateralLaw>(ldy.law(id));
      for (int k = 0; k < law.blocks(); ++k, row += 3) {
        for (int i = 0; i < 3; ++i) {
          M(row + i, row + i) += uses(law.rows(k), i) ? law.block[k].compliance[i] : 1.0;
          rhs[row + i] -= uses(law.rows(k), i) ? law.block[k].shift[i] : 0.0;
        }
      }
    }
    const Eigen::VectorXd R = M.fullPivLu().solve(rhs);
    row = 0;
    for (ConstraintId id : ids) {
      for (int k = 0; k < block_count(ldy.law(id)); ++k, row += 3) ldy.row(id, k).R = R.segment<3>(row);
    }
  }

  void step(double h, const std::function<void()>& between = {}) {
    bodies.advance(0.5 * h);
    if (between) between();
    bodies.predict(h, gravity);
    assembly.update(h);
    solve_bilateral();
    assembly.apply_reactions();
    bodies.advance(0.5 * h);
  }

  // The largest error of position of all constraints.
  [[nodiscard]] double position_error() const {
    double largest = 0;
    for (const Eigen::Vector3d& e : errors()) largest = std::max(largest, e.cwiseAbs().maxCoeff());
    return largest;
  }
  [[nodiscard]] std::vector<Eigen::Vector3d> errors() const {
    std::vector<Eigen::Vector3d> all;
    for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
      std::vector<Eigen::Vector3d> error(static_cast<std::size_t>(block_count(ldy.law(id))));
      assembly.constraint(id).position_error(bodies, error);
      all.insert(all.end(), error.begin(), error.end());
    }
    return all;
  }

  // Newton's method for C = 0: the least change in the kinetic metric. Velocities stay.
  void project() {
    std::vector<Eigen::VectorXd> u;
    for (const BodyId id : bodies.ids()) u.push_back(bodies[id].velocity());
    for (int i = 0; i < 20 && position_error() > 1e-15; ++i) {
      for (const BodyId id : bodies.ids()) {
        bodies[id].set_velocity(Eigen::VectorXd::Zero(bodies[id].freedoms()));
      }
      bodies.predict(1, Eigen::Vector3d::Zero());
      assembly.update(1);
      const std::vector<Eigen::Vector3d> error = errors();
      std::size_t at = 0;
      for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
        auto law = std::get<BilateralLaw>(ldy.law(id));
        for (int k = 0; k < law.blocks(); ++k) {
          law.block[k].shift = error[at++] - ldy.row(id, k).B;  // B holds what time and obstacles add: not here
        }
        ldy.set_law(id, law);
      }
      solve_bilateral();
      assembly.apply_reactions();
      bodies.advance(1);
    }
    for (const BodyId id : bodies.ids()) bodies[id].set_velocity(u[id]);
  }
};

}  // namespace locdyn::test
