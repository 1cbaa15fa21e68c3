#pragma once
// What SUNDIALS needs of everybody: a context, vectors, and a place for what a function of ours throws.

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>

#include <Eigen/Core>
#include <exception>
#include <memory>

#include <locdyn/dynamics/smooth/first_order_form.hpp>

namespace locdyn {

class SundialsState {
 public:
  SundialsState(FirstOrderForm& form, const Eigen::VectorXd& y);
  SundialsState(const SundialsState&) = delete;
  SundialsState& operator=(const SundialsState&) = delete;
  ~SundialsState();

  [[nodiscard]] SUNContext context() const noexcept { return context_; }
  [[nodiscard]] N_Vector vector() const noexcept { return y_; }
  [[nodiscard]] static Eigen::Map<Eigen::VectorXd> view(N_Vector y);

  /// ẏ, and the projection in place, for the callbacks: 0, or −1 where the form throws; `rethrow` has what it threw.
  int evaluate(double t, N_Vector y, N_Vector rate);
  int project(double t, N_Vector y);
  void rethrow();

  [[nodiscard]] FirstOrderForm& form() noexcept { return form_; }

 private:
  FirstOrderForm& form_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  std::exception_ptr thrown_;
};

/// ẏ as a callback, `data` a SundialsState.
int sundials_rate(realtype t, N_Vector y, N_Vector rate, void* data);
/// Is silent: what failed is thrown.
void ignore_sundials_message(int code, const char* module, const char* function, char* message, void* data);

}  // namespace locdyn
