#pragma once
// The explicit pair of Prince and Dormand, RK8(7)13M, stepped by ARKODE. The pair that ARKODE brings for order 8
// (Fehlberg's) estimates no error where forces depend on time alone.
//
// Source: Prince & Dormand, J. Comput. Appl. Math. 7 (1981) 67–75.

#include <Eigen/Core>

#include <locdyn/mechanism/smooth/integrate/stepper.hpp>
#include <locdyn/mechanism/smooth/integrate/sundials_state.hpp>

namespace locdyn::detail {

class PrinceDormand {
 public:
  /// Error allowed in number i of y: rtol |y_i| + atol_i. Throws std::runtime_error where SUNDIALS has no memory.
  PrinceDormand(double t, const Eigen::VectorXd& y, double rtol, const Eigen::VectorXd& atol,
                SundialsState::Function rate, SundialsState::Function projected = {});
  PrinceDormand(const PrinceDormand&) = delete;
  PrinceDormand& operator=(const PrinceDormand&) = delete;
  ~PrinceDormand();

  /// For the steps to come [s], > 0.
  void set_first_step(double h);
  void set_max_step(double h);
  /// Goes on from elsewhere, as if it came by a step of h [s] there; 0: found.
  void restart(double t, const Eigen::VectorXd& y, double h);
  /// One step with error control, not beyond `stop`. Throws what the functions do, and MotionError: step_too_small.
  double advance(double stop);
  /// What the error of the last step asks of the next [s].
  [[nodiscard]] double next_step() const;
  /// One step without control.
  Eigen::VectorXd leap(double from, const Eigen::VectorXd& y, double to);
  [[nodiscard]] Eigen::VectorXd y() const { return SundialsState::view(state_.vector()); }
  [[nodiscard]] StepperCounts counts() const;

 private:
  double evolve(double stop);

  SundialsState state_;
  void* memory_;
  N_Vector atol_;
  double t_;
};

}  // namespace locdyn::detail
