#pragma once
// What a step depends on and what it gives, as changes δ of it, and as the derivatives of a number by it: the same
// fields for both, paired by the plain dot product.
//
// Bodies that move are taken in the order of their ids, each with as many numbers as it has velocities; N is their sum.
// A change of configuration has the axes of the velocities: of a rigid body δθ in the body frame, Q ← Q exp δθ, then δx
// in space, so that q ⊕ δq is `Body::advance` by the velocity δq for one second.

#include <Eigen/Core>
#include <cstdint>
#include <map>

#include <locdyn/simulation/system.hpp>

namespace locdyn {

/// What contacts hand on from step to step: the turning of their frames, and U⁻ in them (contact.hpp, σ_t).
struct ContactMemory {
  Eigen::Vector3d frame = Eigen::Vector3d::Zero();     ///< δφ in space, F ← (I + [δφ]×) F
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  ///< δU⁻ (t1, t2, n)
};

/// Where a system is.
struct StateVariation {
  Eigen::VectorXd q, u;                           ///< (N) each
  std::map<std::uint64_t, ContactMemory> memory;  ///< by identity of the contact; what is not there is 0
};

/// What a system is made of, the same over many steps. Derivatives add up.
struct ParameterVariation {
  Eigen::VectorXd force;  ///< (N) generalised, constant over the step: torque in the body frame, then force in space
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  ///< in space [m/s²]
  Eigen::VectorXd mass;                               ///< by body id [kg], at fixed inertia tensors
  /// 9 × bodies: the entries of J in the body frame, row by row [kg m²]; of a planar body the last.
  Eigen::MatrixXd inertia;
  /// 3 × colliders: of a sphere its radius, of a capsule radius and length, of a box its edge lengths [m].
  Eigen::MatrixXd size;
  Eigen::MatrixXd position;  ///< 3 × colliders: where the shape lies in its body [m]
  /// By pair of surfaces, a ≥ b at a (a + 1)/2 + b: the friction that holds (μ_s = μ_k changes as one), and e.
  Eigen::VectorXd friction, restitution;

  /// Where a pair of surfaces lies.
  [[nodiscard]] static Eigen::Index pair(SurfaceId a, SurfaceId b);
};

/// Of one contact in one step, in the order of `DifferentiatedStep::contacts`.
struct ContactVariation {
  Eigen::Vector3d point = Eigen::Vector3d::Zero();  ///< of its place in space [m], at fixed frame and gap
  Eigen::Vector3d frame = Eigen::Vector3d::Zero();  ///< δφ of its frame, in space
  double gap = 0;                                   ///< [m]
  double friction = 0;                              ///< μ; along t1 where it is elliptic
  double cross_friction = 0;                        ///< μ along t2 where it is elliptic
  double restitution = 0;                           ///< e
  double rolling = 0, torsional = 0;                ///< μ_r, μ_τ [m]
};

/// Zeros of the sizes that a system has.
[[nodiscard]] StateVariation no_state(const System& system);
[[nodiscard]] ParameterVariation no_parameters(const System& system);

/// a += b.
void add(const ParameterVariation& b, ParameterVariation& a);
/// The sum of the products of all fields; what is not in a memory is 0.
[[nodiscard]] double dot(const StateVariation& a, const StateVariation& b);
[[nodiscard]] double dot(const ParameterVariation& a, const ParameterVariation& b);

/// Throws std::invalid_argument naming the field where a size is not that of the system or a number is not finite.
void validate(const StateVariation& state, const System& system);
void validate(const ParameterVariation& parameters, const System& system);

}  // namespace locdyn
