// The half-step scheme of fixed_step.hpp. Forces that depend on velocities are taken at the mean velocity of the step,
// found by a first pass.

#include <locdyn/dynamics/smooth/fixed_stepper.hpp>

namespace locdyn {
namespace {

class HalfStep final : public FixedStepper {
 public:
  HalfStep(FirstOrderForm& form, const AppliedLoads& loads)
      : FixedStepper(form, loads), system_({.rank_check = RankCheck::never}) {}

  FixedStepPoint step(double t, double h) override {
    const Eigen::VectorXd before = mechanism_.velocity();
    form_.set_time(t + 0.5 * h);
    mechanism_.displace(0.5 * h * before);
    mechanism_.evaluate();
    system_.factorise({.A = A_, .G = form_.independent_G(), .compliance = {}, .rows = {}});
    // Of the mean velocity: that is what moves the bodies.
    const Eigen::VectorXd demand = -form_.of_independent(2 * mechanism_.d() + mechanism_.G() * before);
    SaddleSolution solution = system_.solve(A_ * free_velocity(before, before, h), demand);
    if (loads_.add) {
      const Eigen::VectorXd mean = 0.5 * (before + solution.a);
      solution = system_.solve(A_ * free_velocity(before, mean, h), demand);
    }
    ++iterations_;
    mechanism_.set_velocity(solution.a);
    mechanism_.displace(0.5 * h * solution.a);
    static_cast<void>(form_.projected(t + h, form_.state()));
    return {.time = t + h, .acceleration = (solution.a - before) / h, .multipliers = spread(solution.lambda / h)};
  }

 private:
  // Of all bodies at q*, loads at the velocity `at`.
  Eigen::VectorXd free_velocity(const Eigen::VectorXd& before, const Eigen::VectorXd& at, double h) {
    BodySet& bodies = mechanism_.bodies();
    for (BodyId id = 0; id < bodies.size(); ++id) bodies[id].clear_forces();
    mechanism_.set_velocity(at);
    if (loads_.add) loads_.add(bodies, bodies.time());
    mechanism_.set_velocity(before);
    Eigen::VectorXd u = before;
    for (BodyId id = 0; id < bodies.size(); ++id) {
      Body& body = bodies[id];
      if (body.freedoms() > 0 && body.mass() > 0) {
        body.predict(h, loads_.gravity, Scheme::half_step);
        u.segment(mechanism_.first(id), body.freedoms()) = body.free_velocity();
      }
      body.clear_forces();
    }
    return u;
  }

  SaddleSystem system_;
};

}  // namespace

std::unique_ptr<FixedStepper> make_half_step(FirstOrderForm& form, const AppliedLoads& loads) {
  return std::make_unique<HalfStep>(form, loads);
}

}  // namespace locdyn
