// Multistep methods by CVODE: BDF for stiff forces, with its projection; Adams.

#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <stdexcept>
#include <string>

#include <locdyn/mechanism/smooth/integrate/stepper.hpp>
#include <locdyn/mechanism/smooth/integrate/sundials_state.hpp>

namespace locdyn::detail {
namespace {

// What the projection changes; the error estimate stays as it is.
int project(realtype t, N_Vector y, N_Vector correction, realtype, N_Vector, void* data) {
  const Eigen::VectorXd before = SundialsState::view(y);
  N_VScale(1, y, correction);
  const int flag = static_cast<SundialsState*>(data)->project(t, correction);
  if (flag != 0) return flag;
  SundialsState::view(correction) -= before;
  return 0;
}

class Multistep final : public Stepper {
 public:
  Multistep(int method, FirstOrderForm& form, double t, const Eigen::VectorXd& y, const StepperOptions& options)
      : state_(
            y, [&form](double at, const Eigen::VectorXd& x) { return form.rate(at, x); },
            [&form](double at, const Eigen::VectorXd& x) { return form.projected(at, x); }),
        t_(t),
        y_(y),
        memory_(CVodeCreate(method, state_.context())) {
    const bool ready = memory_ != nullptr && CVodeInit(memory_, sundials_rate, t, state_.vector()) == CV_SUCCESS &&
                       attach_solver(method);
    if (!ready) {
      release();
      throw std::runtime_error("SUNDIALS: expected an integrator, found none");
    }
    CVodeSetErrHandlerFn(memory_, ignore_sundials_message, nullptr);
    CVodeSetUserData(memory_, &state_);
    CVodeSStolerances(memory_, options.rtol, options.atol);
    if (options.first_step > 0) CVodeSetInitStep(memory_, options.first_step);
    if (options.max_step > 0) CVodeSetMaxStep(memory_, options.max_step);
    if (method == CV_BDF && form.options().kind == Stabilisation::projection) {
      CVodeSetProjFn(memory_, project);
      CVodeSetProjErrEst(memory_, SUNFALSE);
      CVodeSetProjFrequency(memory_, 1);
    }
  }
  Multistep(const Multistep&) = delete;
  Multistep& operator=(const Multistep&) = delete;
  ~Multistep() override { release(); }

  double step(double stop) override {
    CVodeSetStopTime(memory_, stop);
    realtype t = t_;
    const int flag = CVode(memory_, stop, state_.vector(), &t, CV_ONE_STEP);
    if (flag < 0 || state_.failed()) {  // with fixed-point iterations CVODE creeps on past a function that failed
      state_.rethrow();
      throw MotionError(MotionError::Reason::step_too_small, t_,
                        "expected steps that meet the tolerances, found none (CVODE: " + std::to_string(flag) + ")");
    }
    t_ = t;
    y_ = SundialsState::view(state_.vector());
    return t_;
  }
  [[nodiscard]] Eigen::VectorXd state() const override { return y_; }

  [[nodiscard]] Eigen::VectorXd state_at(double t) override {
    if (t == t_) return y_;
    CVodeGetDky(memory_, t, 0, state_.vector());
    Eigen::VectorXd y = SundialsState::view(state_.vector());
    SundialsState::view(state_.vector()) = y_;
    return y;
  }

  [[nodiscard]] StepperCounts counts() const override {
    long steps = 0, failures = 0, evaluations = 0, more = 0;
    CVodeGetNumSteps(memory_, &steps);
    CVodeGetNumErrTestFails(memory_, &failures);
    CVodeGetNumRhsEvals(memory_, &evaluations);
    if (matrix_ != nullptr) CVodeGetNumLinRhsEvals(memory_, &more);
    return {.steps = steps, .rejected = failures, .evaluations = evaluations + more};
  }

 private:
  bool attach_solver(int method) {
    if (method == CV_ADAMS) {
      fixed_point_ = SUNNonlinSol_FixedPoint(state_.vector(), 0, state_.context());
      return fixed_point_ != nullptr && CVodeSetNonlinearSolver(memory_, fixed_point_) == CV_SUCCESS;
    }
    matrix_ = SUNDenseMatrix(y_.size(), y_.size(), state_.context());
    linear_ = SUNLinSol_Dense(state_.vector(), matrix_, state_.context());
    return linear_ != nullptr && CVodeSetLinearSolver(memory_, linear_, matrix_) == CV_SUCCESS;
  }

  void release() {
    if (memory_ != nullptr) CVodeFree(&memory_);
    if (fixed_point_ != nullptr) SUNNonlinSolFree(fixed_point_);
    if (linear_ != nullptr) SUNLinSolFree(linear_);
    if (matrix_ != nullptr) SUNMatDestroy(matrix_);
  }

  SundialsState state_;
  double t_;
  Eigen::VectorXd y_;
  void* memory_;
  SUNNonlinearSolver fixed_point_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
};

}  // namespace

std::unique_ptr<Stepper> make_bdf(FirstOrderForm& form, double t, const Eigen::VectorXd& y,
                                  const StepperOptions& options) {
  return std::make_unique<Multistep>(CV_BDF, form, t, y, options);
}

std::unique_ptr<Stepper> make_adams(FirstOrderForm& form, double t, const Eigen::VectorXd& y,
                                    const StepperOptions& options) {
  return std::make_unique<Multistep>(CV_ADAMS, form, t, y, options);
}

}  // namespace locdyn::detail
