#pragma once
// What acts on the bodies of a mechanism beside its constraints: weight, and forces that a function of the state adds.

#include <Eigen/Core>
#include <functional>

#include <locdyn/mechanism/mechanism.hpp>

namespace locdyn {

/// Adds forces and torques to the bodies (`Body::add_force` and its like), at the configurations, velocities and time t
/// [s] that hold when it is called. Integrators call it at states that they only try: it should keep nothing.
using AddForces = std::function<void(BodySet& bodies, double t)>;

struct AppliedLoads {
  Eigen::Vector3d gravity = {0, 0, -9.81};  ///< [m/s²], in space
  AddForces add = {};                       ///< empty: none
};

/// Gravity, applied forces and loads of a system, which must outlive the answer. Its loads are asked for a step of
/// length 0.
[[nodiscard]] AppliedLoads loads_of(System& system);

/// f (n) of A u̇ = f + Gᵀ λ where the bodies are: loads, weight, stresses, gyroscopic torques. Forces that bodies had
/// are cleared. Throws what a function of the loads throws, and std::invalid_argument for a result that is not finite,
/// naming the body.
[[nodiscard]] Eigen::VectorXd smooth_forces(Mechanism& mechanism, const AppliedLoads& loads);

/// A (n×n): inertia of all bodies, constant.
[[nodiscard]] SparseMatrix inertia(const Mechanism& mechanism);

}  // namespace locdyn
