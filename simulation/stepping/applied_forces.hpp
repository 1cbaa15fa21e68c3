#pragma once
// What acts on the bodies in a step of the half-step scheme: loads and applied forces at q*, and at the time of q*.
//
// A force that depends on velocities is taken at the mean velocity of the step, as it is foreseen,
//
//   ũ = ½ (u + u_free(f(q*, u)) + A⁻¹ h Σ Hᵀ R),   u_free = u + A⁻¹ h f(q*, ũ)
//
// with the reactions R of the step before: of second order in h where these change smoothly, and a damped system that
// rests stays at rest. f(q*, u) would be of first order.

#include <span>
#include <vector>

#include <locdyn/simulation/system.hpp>

namespace locdyn::detail {

class AppliedForces {
 public:
  /// `system` outlives it.
  explicit AppliedForces(System& system) : system_(system) {}

  /// Clears the forces of the bodies `ids` and adds the loads for the step of size h [s] that began at `time`. Bodies
  /// are at q*.
  void load(double time, double h, std::span<const BodyId> ids);
  /// Adds the forces and predicts. The assembly's geometry is up to date. Where it throws, velocities are as before.
  void take(double h, int threads, std::span<const BodyId> ids);

 private:
  void foresee(double h, int threads, std::span<const BodyId> ids);

  System& system_;
  std::vector<Eigen::VectorXd> loads_, velocity_;  // by body
};

}  // namespace locdyn::detail
