#pragma once
// One body in one step of the half-step scheme, linearised. A change of configuration δq has as many numbers as the
// body has velocities: of a rigid body δθ in the body frame, Q ← Q exp δθ, and δx in space. Then
//
//   δq* = qq δq + qu δu,   δu_free = fq δq* + fu δu + ff δf + fg δg + …,   δq⁺ = pq δq* + pu δu⁺
//
// and, with J(x) the velocity of the point at x by u, what v = J(x) u and p = J(x)ᵀ f change by with q* and x.
//
// Source: Iserles et al., Acta Numerica 9 (2000) 215–365 (dexp); the momentum equation of bodies/momentum_update.hpp
// differentiated.

#include <Eigen/Core>

#include <locdyn/bodies/body.hpp>

namespace locdyn::detail {

inline constexpr int kMostFreedoms = 6;
using BodyMatrix = Eigen::Matrix<double, kMostFreedoms, kMostFreedoms>;
using BodyVector = Eigen::Matrix<double, kMostFreedoms, 1>;
using PointMatrix = Eigen::Matrix<double, 3, kMostFreedoms>;

/// Rows and columns beyond `freedoms` are 0.
struct BodyLinearisation {
  int freedoms = 0;         ///< 0: an obstacle
  Eigen::Index first = -1;  ///< of its numbers among those of all bodies
  bool turns = false;       ///< a rigid body
  bool planar = false;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();        ///< at q*
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();  ///< Q at q*
  Eigen::Vector3d obstacle_velocity = Eigen::Vector3d::Zero(), obstacle_spin = Eigen::Vector3d::Zero();
  BodyVector u = BodyVector::Zero(), u_free = BodyVector::Zero(), u_after = BodyVector::Zero();
  BodyMatrix inverse_inertia = BodyMatrix::Zero();
  BodyMatrix qq = BodyMatrix::Zero(), qu = BodyMatrix::Zero(), fq = BodyMatrix::Zero(), fu = BodyMatrix::Zero(),
             ff = BodyMatrix::Zero(), pq = BodyMatrix::Zero(), pu = BodyMatrix::Zero();
  Eigen::Matrix<double, kMostFreedoms, 3> fg = Eigen::Matrix<double, kMostFreedoms, 3>::Zero();
  /// Of u⁺ at a fixed impulse: by the mass, and by the entries of J, row by row.
  BodyVector by_mass = BodyVector::Zero();
  Eigen::Matrix<double, kMostFreedoms, 9> by_inertia = Eigen::Matrix<double, kMostFreedoms, 9>::Zero();

  /// J(x), and of the spin; both in space axes.
  [[nodiscard]] PointMatrix point(const Eigen::Vector3d& x) const;
  [[nodiscard]] PointMatrix spin() const;
  /// Velocity of the point at x by the velocities w, an obstacle's included.
  [[nodiscard]] Eigen::Vector3d velocity(const BodyVector& w, const Eigen::Vector3d& x) const;
  /// ∂(J(x) w)/∂q* at fixed x, and ∂/∂x.
  [[nodiscard]] PointMatrix velocity_by_q(const BodyVector& w, const Eigen::Vector3d& x) const;
  [[nodiscard]] Eigen::Matrix3d velocity_by_x(const BodyVector& w) const;
  /// ∂(J(x)ᵀ f)/∂q* at fixed x and f, and ∂/∂x.
  [[nodiscard]] BodyMatrix pull_by_q(const Eigen::Vector3d& f, const Eigen::Vector3d& x) const;
  [[nodiscard]] Eigen::Matrix<double, kMostFreedoms, 3> pull_by_x(const Eigen::Vector3d& f) const;
  /// The same of the spin: ∂(Q Ω)/∂q*, and of its moment.
  [[nodiscard]] PointMatrix spin_by_q(const BodyVector& w) const;
  [[nodiscard]] BodyMatrix twist_by_q(const Eigen::Vector3d& moment) const;
};

/// Is it a particle, a planar body, a rigid body or an obstacle?
[[nodiscard]] bool has_linearisation(const Body& body);

/// A body's numbers before and after a step of h [s]; `load` (n) is the generalised force of its loads at q*, which are
/// taken as fixed in space, `force` that of everything added.
struct BodyBefore {
  Eigen::VectorXd q, u;
};
[[nodiscard]] BodyLinearisation linearise_body(const Body& body, const BodyBefore& before, double h);

/// Adds what a torque that is fixed in space does as the body turns, and the change of mass, which need the forces.
void add_load(const Eigen::VectorXd& load, const Eigen::VectorXd& force, double mass, double h,
              BodyLinearisation& body);

}  // namespace locdyn::detail
