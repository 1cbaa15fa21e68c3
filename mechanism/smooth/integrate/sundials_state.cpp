#include <locdyn/mechanism/smooth/integrate/sundials_state.hpp>

#include <stdexcept>
#include <utility>

#include <locdyn/mechanism/smooth/motion_error.hpp>

namespace locdyn::detail {

SundialsState::SundialsState(const Eigen::VectorXd& y, Function rate, Function projected)
    : rate_(std::move(rate)), projected_(std::move(projected)) {
  if (SUNContext_Create(nullptr, &context_) != 0) throw std::runtime_error("SUNDIALS: expected a context, found none");
  y_ = N_VNew_Serial(y.size(), context_);
  if (y_ == nullptr) {
    SUNContext_Free(&context_);
    throw std::runtime_error("SUNDIALS: expected a vector, found none");
  }
  view(y_) = y;
}

SundialsState::~SundialsState() {
  N_VDestroy(y_);
  SUNContext_Free(&context_);
}

Eigen::Map<Eigen::VectorXd> SundialsState::view(N_Vector y) {
  return {NV_DATA_S(y), static_cast<Eigen::Index>(NV_LENGTH_S(y))};
}

int SundialsState::guarded(const std::function<void()>& work) {
  try {
    work();
    return 0;
  } catch (const MotionError& error) {
    thrown_ = std::current_exception();
    if (error.reason() == MotionError::Reason::does_not_close) return 1;
  } catch (...) {
    thrown_ = std::current_exception();
  }
  failed_ = true;
  return -1;
}

int SundialsState::evaluate(double t, N_Vector y, N_Vector rate) {
  if (!view(y).allFinite()) return 1;
  return guarded([&] { view(rate) = rate_(t, view(y)); });
}

int SundialsState::project(double t, N_Vector y) {
  return guarded([&] { view(y) = projected_(t, view(y)); });
}

void SundialsState::rethrow() {
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

int sundials_rate(realtype t, N_Vector y, N_Vector rate, void* data) {
  return static_cast<SundialsState*>(data)->evaluate(t, y, rate);
}

void ignore_sundials_message(int, const char*, const char*, char*, void*) {}

}  // namespace locdyn::detail
