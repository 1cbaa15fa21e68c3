// Explicit Runge–Kutta, order 8: steps of y = [q, u], and near singular positions steps in the mechanism's own
// freedoms, of which none ends where rows are all but lost.

#include <algorithm>
#include <optional>

#include <locdyn/mechanism/mobility.hpp>
#include <locdyn/mechanism/smooth/integrate/prince_dormand.hpp>
#include <locdyn/mechanism/smooth/integrate/stepper.hpp>
#include <locdyn/mechanism/smooth/tangent_chart.hpp>

namespace locdyn::detail {
namespace {

constexpr double kTooNear = 1e-3;  // smallest singular value, of the best one: rounding grows with its inverse square
constexpr double kShorter = 0.8;   // the next attempt's step
constexpr int kMostAttempts = 24;  // down to 0.5 % of the usual step

class RungeKutta final : public Stepper {
 public:
  RungeKutta(FirstOrderForm& form, double t, const Eigen::VectorXd& y, const StepperOptions& options)
      : form_(form),
        options_(options),
        steps_(t, y, options.rtol, Eigen::VectorXd::Constant(y.size(), options.atol), rate(),
               form.options().kind == Stabilisation::projection ? projection() : SundialsState::Function()),
        parts_(t, y, options.rtol, Eigen::VectorXd::Constant(y.size(), options.atol), rate()),
        t_(t),
        y_(y),
        before_(t),
        y_before_(y) {
    if (options.first_step > 0) steps_.set_first_step(options.first_step);
    if (options.max_step > 0) steps_.set_max_step(options.max_step);
  }

  double step(double stop) override {
    before_ = t_;
    y_before_ = y_;
    chart_.reset();
    const bool projects = form_.options().kind == Stabilisation::projection;
    if (form_.near_singular() && form_.freedoms() > 0 && projects) {
      chart_.emplace(form_, t_, y_);
      step_in_chart(stop);
    } else {
      if (left_) steps_.restart(t_, y_, std::min(next_, stop - t_));
      left_ = false;
      t_ = steps_.advance(stop);
      y_ = steps_.y();
      next_ = steps_.next_step();
    }
    return t_;
  }

  [[nodiscard]] Eigen::VectorXd state() const override { return y_; }

  [[nodiscard]] Eigen::VectorXd state_at(double t) override {
    if (t == t_) return y_;
    if (t == before_) return y_before_;
    if (!chart_) return parts_.leap(before_, y_before_, t);
    PrinceDormand part = in_chart();
    const Eigen::VectorXd z = part.leap(before_, chart_->state(), t);
    count(part);
    return chart_->full(t, z);
  }

  [[nodiscard]] StepperCounts counts() const override {
    StepperCounts counts = steps_.counts();
    counts.steps += charted_.steps;
    counts.rejected += charted_.rejected;
    counts.evaluations += charted_.evaluations + parts_.counts().evaluations;
    return counts;
  }

 private:
  SundialsState::Function rate() {
    return [this](double t, const Eigen::VectorXd& y) { return form_.rate(t, y); };
  }
  SundialsState::Function projection() {
    return [this](double t, const Eigen::VectorXd& y) { return form_.projected(t, y); };
  }

  PrinceDormand in_chart() {
    const Eigen::Index n = chart_->state().size() / 2;
    Eigen::VectorXd atol(2 * n);
    atol << Eigen::VectorXd::Constant(n, options_.atol + options_.rtol * chart_->position_size()),
        Eigen::VectorXd::Constant(n, options_.atol + options_.rtol * chart_->velocity_size());
    return {before_, chart_->state(), options_.rtol, atol,
            [this](double t, const Eigen::VectorXd& z) { return chart_->rate(t, z); }};
  }

  void step_in_chart(double stop) {
    left_ = true;
    ++charted_.steps;
    double h = next_, nearest = -1;
    for (int attempt = 0; attempt < kMostAttempts && nearest < kTooNear * form_.best(); ++attempt) {
      PrinceDormand pair = in_chart();
      if (h > 0) pair.set_first_step(std::min(h, stop - before_));
      if (options_.max_step > 0) pair.set_max_step(options_.max_step);
      try {
        const double t = pair.advance(stop);
        const Eigen::VectorXd y = chart_->full(t, pair.y());
        const Mobility there = mobility(form_.mechanism());
        const double weakest = there.rank_lost > 0 ? 0 : there.weakest;
        if (weakest > nearest) {
          nearest = weakest;
          next_ = std::max(pair.next_step(), h);
          t_ = t;
          y_ = y;
        }
        h = kShorter * (t - before_);
      } catch (const MotionError& error) {
        const bool shorter = error.reason() == MotionError::Reason::does_not_close ||
                             error.reason() == MotionError::Reason::step_too_small;
        if (!shorter || (attempt + 1 == kMostAttempts && nearest < 0)) throw;
        h *= kShorter;
      }
      count(pair);
    }
  }

  void count(const PrinceDormand& pair) {
    const StepperCounts counts = pair.counts();
    charted_.evaluations += counts.evaluations;
    charted_.rejected += counts.rejected;
  }

  FirstOrderForm& form_;
  StepperOptions options_;
  PrinceDormand steps_, parts_;
  std::optional<TangentChart> chart_;  // of the last step
  bool left_ = false;                  // the steps of y, for a chart
  StepperCounts charted_;
  double next_ = 0;  // step [s], as the errors of the last ones ask; 0: to be found
  double t_;
  Eigen::VectorXd y_;
  double before_;
  Eigen::VectorXd y_before_;
};

}  // namespace

std::unique_ptr<Stepper> make_runge_kutta(FirstOrderForm& form, double t, const Eigen::VectorXd& y,
                                          const StepperOptions& options) {
  return std::make_unique<RungeKutta>(form, t, y, options);
}

}  // namespace locdyn::detail
