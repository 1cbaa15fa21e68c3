// Generalised-α of fixed_step.hpp. Newton in the displacement x = h² β δa of a step:
//
//   (β′ A − ∂f/∂x) x − Gᵀ δλ = f + Gᵀ λ − A u̇⁺,   G x = −C,   β′ = (1 − α_m)/((1 − α_f) β h²)
//
// ∂f/∂x, of forces that depend on the state, by differences once a step: springs may be as stiff as they like.

#include <Eigen/Core>
#include <Eigen/LU>
#include <cmath>
#include <limits>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/mechanism/smooth/fixed_stepper.hpp>
#include <locdyn/mechanism/smooth/force_tangent.hpp>

namespace locdyn::detail {
namespace {

constexpr Eigen::Index kMostStiff = 400;  // coordinates: more go without a tangent
constexpr double kStagnation = 1e-9;      // [m]: a correction that no longer shrinks is rounding only below this

class GeneralisedAlpha final : public FixedStepper {
 public:
  GeneralisedAlpha(FirstOrderForm& form, const AppliedLoads& loads, const FixedStepOptions& options, double h)
      : FixedStepper(form, loads), options_(options), system_(A_) {
    stiff_ = loads.add && mechanism_.coordinates() <= kMostStiff;
    const double rho = options.spectral_radius;
    alpha_m_ = (2 * rho - 1) / (rho + 1);
    alpha_f_ = rho / (rho + 1);
    gamma_ = 0.5 + alpha_f_ - alpha_m_;
    beta_ = 0.25 * (gamma_ + 0.5) * (gamma_ + 0.5);
    start(h);
  }

  FixedStepPoint step(double t, double h) override {
    const Eigen::VectorXd y = form_.state(), u = mechanism_.velocity();
    const Eigen::VectorXd drift = h * u + h * h * (0.5 - beta_) * a_;
    const double scale = (1 - alpha_m_) / ((1 - alpha_f_) * beta_ * h * h);
    // As if u̇ stayed.
    Eigen::VectorXd a = (acceleration_ - alpha_m_ * a_) / (1 - alpha_m_), acceleration;
    const Eigen::VectorXd push = u + h * (1 - gamma_) * a_;
    Eigen::VectorXd lambda = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(form_.independent().size()));
    double before = std::numeric_limits<double>::infinity();
    for (int i = 0; i < options_.max_iterations; ++i) {
      ++iterations_;
      // Where a leads.
      form_.set_state(t, y);
      form_.set_time(t + h);
      mechanism_.displace(drift + h * h * beta_ * a);
      mechanism_.set_velocity(push + h * gamma_ * a);
      acceleration = ((1 - alpha_m_) * a + alpha_m_ * a_ - alpha_f_ * acceleration_) / (1 - alpha_f_);
      // What is missing there.
      mechanism_.evaluate();
      const SparseMatrix G = form_.independent_G();
      const Eigen::VectorXd force = smooth_forces(mechanism_, loads_) + G.transpose() * lambda - A_ * acceleration;
      const Eigen::VectorXd lacks = missing(h);
      if (i == 0 && stiff_) tangent_ = A_ - force_tangent(form_, loads_, gamma_ / (beta_ * h)) / scale;
      const ConstrainedSolve::Answer solution = solve(G, force / scale, lacks);
      a += solution.a / (h * h * beta_);
      lambda += scale * solution.lambda;
      const double moved = mechanism_.length(solution.a);
      if (!std::isfinite(moved)) break;
      const bool rounding = moved < kStagnation && moved > 0.5 * before;
      if (moved > options_.tolerance && !rounding) {
        before = moved;
        continue;
      }
      return end_of_step(t, h, y, drift, push, a, lambda);
    }
    throw MotionError(MotionError::Reason::no_solution, t,
                      "expected a step that is solved, found a correction of " + spelled(before) + " m after " +
                          std::to_string(options_.max_iterations) + " iterations: take a shorter step");
  }

 private:
  // With the tangent, [T −Gᵀ; G 0] dense.
  ConstrainedSolve::Answer solve(const SparseMatrix& G, const Eigen::VectorXd& f, const Eigen::VectorXd& gamma) {
    if (!stiff_) {
      system_.factorise(G);
      return system_.solve(f, gamma);
    }
    const Eigen::Index n = f.size(), k = gamma.size();
    Eigen::MatrixXd both = Eigen::MatrixXd::Zero(n + k, n + k);
    both.topLeftCorner(n, n) = tangent_;
    both.bottomLeftCorner(k, n) = G;
    both.topRightCorner(n, k) = -both.bottomLeftCorner(k, n).transpose();
    Eigen::VectorXd right(n + k);
    right << f, gamma;
    const Eigen::VectorXd found = both.partialPivLu().solve(right);
    return {found.head(n), found.tail(k)};
  }

  // u̇ where the bodies are, and a = u̇ a little later.
  void start(double h) {
    const double t = mechanism_.bodies().time();
    const Eigen::VectorXd y = form_.state(), u = mechanism_.velocity();
    const Eigen::Index n = mechanism_.coordinates();
    acceleration_ = form_.rate(t, y).tail(n);
    form_.set_state(t, y);
    mechanism_.displace(h * u + 0.5 * h * h * acceleration_);
    mechanism_.set_velocity(u + h * acceleration_);
    const Eigen::VectorXd later = form_.rate(t + h, form_.state()).tail(n);
    form_.set_state(t, y);
    a_ = acceleration_ + (alpha_m_ - alpha_f_) * (later - acceleration_);
  }

  // −C; of rows posed on velocities alone −(D u + d), as far as x moves velocities.
  [[nodiscard]] Eigen::VectorXd missing(double h) {
    Eigen::VectorXd C = mechanism_.error();
    const Eigen::VectorXd rate = mechanism_.G() * mechanism_.velocity() + mechanism_.d();
    for (Eigen::Index i = 0; i < C.size(); ++i) {
      if (!mechanism_.rows()[static_cast<std::size_t>(i)].holonomic) C[i] = beta_ * h / gamma_ * rate[i];
    }
    return -form_.of_independent(C);
  }

  FixedStepPoint end_of_step(double t, double h, const Eigen::VectorXd& y, const Eigen::VectorXd& drift,
                             const Eigen::VectorXd& push, const Eigen::VectorXd& a, const Eigen::VectorXd& lambda) {
    form_.set_state(t, y);
    form_.set_time(t + h);
    mechanism_.displace(drift + h * h * beta_ * a);
    mechanism_.set_velocity(push + h * gamma_ * a);
    acceleration_ = ((1 - alpha_m_) * a + alpha_m_ * a_ - alpha_f_ * acceleration_) / (1 - alpha_f_);
    a_ = a;
    return {.time = t + h, .acceleration = acceleration_, .multipliers = spread(lambda)};
  }

  FixedStepOptions options_;
  double alpha_m_, alpha_f_, gamma_, beta_;
  Eigen::VectorXd acceleration_, a_;
  ConstrainedSolve system_;
  bool stiff_ = false;  // forces that depend on the state have a tangent
  Eigen::MatrixXd tangent_;
};

}  // namespace

std::unique_ptr<FixedStepper> make_generalised_alpha(FirstOrderForm& form, const AppliedLoads& loads,
                                                     const FixedStepOptions& options, double h) {
  return std::make_unique<GeneralisedAlpha>(form, loads, options, h);
}

}  // namespace locdyn::detail
