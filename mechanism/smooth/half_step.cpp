// The half-step scheme of fixed_step.hpp. Forces that depend on velocities, and the gyroscopic torque that reactions
// change, are taken at the mean velocity of the step, found by a first pass: a free body keeps its angular momentum.

#include <locdyn/mechanism/smooth/fixed_stepper.hpp>

#include <locdyn/bodies/kinematic_body.hpp>

namespace locdyn::detail {
namespace {

class HalfStep final : public FixedStepper {
 public:
  HalfStep(FirstOrderForm& form, const AppliedLoads& loads) : FixedStepper(form, loads), system_(A_) {}

  FixedStepPoint step(double t, double h) override {
    const Eigen::VectorXd before = mechanism_.velocity();
    form_.set_time(t + 0.5 * h);
    mechanism_.displace(0.5 * h * before);
    mechanism_.evaluate();
    system_.factorise(form_.independent_G());
    // Of the mean velocity: that is what moves the bodies.
    const Eigen::VectorXd demand = -form_.of_independent(2 * mechanism_.d() + mechanism_.G() * before);
    const Eigen::VectorXd free = free_velocity(before, before, h);
    ConstrainedSolve::Answer solution = system_.solve(A_ * free, demand);
    const Eigen::VectorXd mean = 0.5 * (before + solution.a);
    const Eigen::VectorXd turning = torque(mean, before) - torque(0.5 * (before + free), before);
    if (loads_.add || !turning.isZero(0)) {
      solution = system_.solve(A_ * free_velocity(before, mean, h) + h * turning, demand);
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
    for (const BodyId id : bodies.ids()) bodies[id].clear_forces();
    mechanism_.set_velocity(at);
    if (loads_.add) loads_.add(bodies, bodies.time());
    mechanism_.set_velocity(before);
    Eigen::VectorXd u = before;
    for (const BodyId id : bodies.ids()) {
      Body& body = bodies[id];
      if (body.freedoms() > 0 && body.mass() > 0) {
        body.predict(h, loads_.gravity, Scheme::half_step);
        u.segment(mechanism_.first(id), body.freedoms()) = body.free_velocity();
      }
      body.clear_forces();
    }
    return u;
  }

  // −Ω × J Ω of all bodies at the velocity `at`.
  Eigen::VectorXd torque(const Eigen::VectorXd& at, const Eigen::VectorXd& before) {
    mechanism_.set_velocity(at);
    BodySet& bodies = mechanism_.bodies();
    Eigen::VectorXd torque = Eigen::VectorXd::Zero(at.size());
    for (const BodyId id : bodies.ids()) {
      if (bodies[id].freedoms() == 0 || !(bodies[id].mass() > 0)) continue;
      torque.segment(mechanism_.first(id), bodies[id].freedoms()) =
          kinematic(bodies, id).smooth_force(Eigen::Vector3d::Zero());
    }
    mechanism_.set_velocity(before);
    return torque;
  }

  ConstrainedSolve system_;
};

}  // namespace

std::unique_ptr<FixedStepper> make_half_step(FirstOrderForm& form, const AppliedLoads& loads) {
  return std::make_unique<HalfStep>(form, loads);
}

}  // namespace locdyn::detail
