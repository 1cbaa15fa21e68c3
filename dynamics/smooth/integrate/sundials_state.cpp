#include <locdyn/dynamics/smooth/integrate/sundials_state.hpp>

#include <stdexcept>
#include <utility>

namespace locdyn {

SundialsState::SundialsState(FirstOrderForm& form, const Eigen::VectorXd& y) : form_(form) {
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

int SundialsState::evaluate(double t, N_Vector y, N_Vector rate) {
  try {
    if (!view(y).allFinite()) return 1;  // a state that no motion has: a shorter step
    view(rate) = form_.rate(t, view(y));
    return 0;
  } catch (...) {
    thrown_ = std::current_exception();
    return -1;
  }
}

int SundialsState::project(double t, N_Vector y) {
  try {
    view(y) = form_.projected(t, view(y));
    return 0;
  } catch (...) {
    thrown_ = std::current_exception();
    return -1;
  }
}

void SundialsState::rethrow() {
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

int sundials_rate(realtype t, N_Vector y, N_Vector rate, void* data) {
  return static_cast<SundialsState*>(data)->evaluate(t, y, rate);
}

void ignore_sundials_message(int, const char*, const char*, char*, void*) {}

}  // namespace locdyn
