#pragma once
// What SUNDIALS needs of everybody: a context, vectors, and a place for what a function of ours throws.

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>

#include <Eigen/Core>
#include <exception>
#include <functional>

namespace locdyn::detail {

class SundialsState {
 public:
  /// ẏ(t, y), or the nearest y that is allowed.
  using Function = std::function<Eigen::VectorXd(double t, const Eigen::VectorXd& y)>;

  explicit SundialsState(const Eigen::VectorXd& y, Function rate, Function projected = {});
  SundialsState(const SundialsState&) = delete;
  SundialsState& operator=(const SundialsState&) = delete;
  ~SundialsState();

  [[nodiscard]] SUNContext context() const noexcept { return context_; }
  [[nodiscard]] N_Vector vector() const noexcept { return y_; }
  [[nodiscard]] static Eigen::Map<Eigen::VectorXd> view(N_Vector y);

  /// ẏ, and the projection in place, for the callbacks: 0; 1 where a shorter step may help (numbers that are not
  /// finite, MotionError: does_not_close); −1 where it will not. `rethrow` has what was thrown.
  int evaluate(double t, N_Vector y, N_Vector rate);
  int project(double t, N_Vector y);
  void rethrow();

  /// A callback has answered −1.
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] bool projects() const { return static_cast<bool>(projected_); }

 private:
  int guarded(const std::function<void()>& work);

  Function rate_, projected_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  std::exception_ptr thrown_;
  bool failed_ = false;
};

/// ẏ as a callback, `data` a SundialsState.
int sundials_rate(realtype t, N_Vector y, N_Vector rate, void* data);
/// Is silent: what failed is thrown.
void ignore_sundials_message(int code, const char* module, const char* function, char* message, void* data);

}  // namespace locdyn::detail
