#pragma once
// What the integrators of SUNDIALS have in common: accepted steps of y = [q, u], and the state anywhere in the last
// one.

#include <Eigen/Core>
#include <memory>

#include <locdyn/mechanism/smooth/first_order_form.hpp>

namespace locdyn::detail {

struct StepperOptions {
  double rtol = 1e-9, atol = 1e-11;  ///< of each number in y
  double first_step = 0;             ///< [s], > 0; 0: found
  double max_step = 0;               ///< [s], > 0; 0: none
};

struct StepperCounts {
  long steps = 0, rejected = 0, evaluations = 0;
};

class Stepper {
 public:
  virtual ~Stepper() = default;
  /// One accepted step, not beyond `stop`; y is then projected where the form asks for it. Throws MotionError. Returns
  /// the time reached [s].
  virtual double step(double stop) = 0;
  /// y where the last step ended.
  [[nodiscard]] virtual Eigen::VectorXd state() const = 0;
  /// y at a time within the last step, not projected.
  [[nodiscard]] virtual Eigen::VectorXd state_at(double t) = 0;
  [[nodiscard]] virtual StepperCounts counts() const = 0;
};

// Each starts at time t from y; the form must outlive it. Throw std::runtime_error where SUNDIALS has no memory.

/// Explicit Runge–Kutta of order 8 by ARKODE. A state within a step is one of a shorter step, of the same order.
/// Source: Prince & Dormand, J. Comput. Appl. Math. 7 (1981) 67–75, RK8(7)13M.
[[nodiscard]] std::unique_ptr<Stepper> make_runge_kutta(FirstOrderForm& form, double t, const Eigen::VectorXd& y,
                                                        const StepperOptions& options);
/// Backward differentiation, orders 1–5, by CVODE, with its projection; Jacobians by differences, dense.
[[nodiscard]] std::unique_ptr<Stepper> make_bdf(FirstOrderForm& form, double t, const Eigen::VectorXd& y,
                                                const StepperOptions& options);
/// Adams–Moulton, orders 1–12, by CVODE. What it steps is not projected, since that would cost it its order.
[[nodiscard]] std::unique_ptr<Stepper> make_adams(FirstOrderForm& form, double t, const Eigen::VectorXd& y,
                                                  const StepperOptions& options);

}  // namespace locdyn::detail
