#pragma once
// The motion near a singular position in its own freedoms. Where rows are nearly lost, a state that is off them by δ
// has accelerations that are off by δ/σ², σ their smallest singular value, and an integrator of y = [q, u] never gets
// there. Here it sees only how far the mechanism has gone along the motions Z that it had at the start of a step,
//
//   z = Pᵀ (q − q₀),   ż = Pᵀ q̇,   P from A Z, so that ż = 0 of all that is across in the metric of kinetic energy
//
// and every state that it tries is one on the rows, found by Newton from where q₀, u₀, u̇₀ lead. What rounding leaves
// across, up to ε/σ², does not show in z at first order. A singular position itself is stepped over.
//
// Source: Potra & Rheinboldt, Mech. Struct. Mach. 19 (1991) 1–18 (tangent-plane parametrisation); Hairer, Lubich &
// Wanner, Geometric Numerical Integration (2006) §IV.5.3.

#include <Eigen/Core>

#include <locdyn/mechanism/smooth/constrained_solve.hpp>
#include <locdyn/mechanism/smooth/first_order_form.hpp>

namespace locdyn::detail {

class TangentChart {
 public:
  /// About a state y at time t that meets the rows; `form` must outlive it and its independent rows stay. Throws
  /// MotionError as `FirstOrderForm::rate` does. Cost: a sparse QR.
  TangentChart(FirstOrderForm& form, double t, const Eigen::VectorXd& y);

  /// [z, ż] where it starts.
  [[nodiscard]] const Eigen::VectorXd& state() const noexcept { return start_; }
  /// [ż, z̈]. Throws MotionError: does_not_close where z is out of reach or on another branch. Cost: some four
  /// factorisations.
  [[nodiscard]] Eigen::VectorXd rate(double t, const Eigen::VectorXd& z);
  /// y of [z, ż]; the bodies have it then. Throws as `rate`.
  [[nodiscard]] Eigen::VectorXd full(double t, const Eigen::VectorXd& z);
  /// The size of numbers in y that z and ż stand for: root mean squares of q and of u.
  [[nodiscard]] double position_size() const noexcept { return position_size_; }
  [[nodiscard]] double velocity_size() const noexcept { return velocity_size_; }

 private:
  [[nodiscard]] Eigen::MatrixXd rate_matrix() const;
  [[nodiscard]] Eigen::VectorXd curvature() const;
  [[nodiscard]] Eigen::VectorXd missing(const Eigen::VectorXd& z) const;
  void factorise();

  FirstOrderForm& form_;
  Mechanism& mechanism_;
  ConstrainedSolve solve_;  // of rows and chart
  Eigen::Index freedoms_ = 0;
  double t_;
  Eigen::VectorXd y_, u_, acceleration_, start_;
  Eigen::MatrixXd P_, E_;  // E: Pᵀ ∂q̇/∂u where last factored
  double position_size_ = 0, velocity_size_ = 0;
};

}  // namespace locdyn::detail
