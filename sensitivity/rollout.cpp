#include <locdyn/sensitivity/rollout.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace locdyn {
namespace {

void require_steps(long steps, const char* what) {
  if (steps >= 0) return;
  throw std::invalid_argument(std::string("rollout: ") + what + ": expected at least 0, found " +
                              std::to_string(steps));
}

}  // namespace

Rollout::Rollout(System& system, TimeStepper& stepper, const RolloutOptions& options)
    : system_(system), stepper_(stepper), options_(options) {
  require_steps(options.checkpoint_every, "checkpoint_every");
  gap_ = std::max(1L, options.checkpoint_every);
  saved_.push_back(stepper.state());
}

// Where the distance is not given it doubles once the saved states are more than twice the root of the steps.
void Rollout::run(long steps, const Look& look) {
  require_steps(steps, "steps");
  for (long k = 0; k < steps; ++k) {
    (void)stepper_.step();
    ++steps_;
    if (steps_ % gap_ == 0) saved_.push_back(stepper_.state());
    if (options_.checkpoint_every == 0 && static_cast<long>(saved_.size()) > 2 * gap_ + 1) {
      for (std::size_t i = 1; 2 * i < saved_.size(); ++i) saved_[i] = std::move(saved_[2 * i]);
      saved_.resize((saved_.size() + 1) / 2);
      gap_ *= 2;
    }
    if (look) look(steps_);
  }
}

RolloutGradient Rollout::adjoint(const Seed& seed) {
  const StepperState end = stepper_.state();
  RolloutGradient gradient;
  gradient.parameters = no_parameters(system_);
  StepResponse by_response{.state = no_state(system_), .reaction = {}, .velocity = {}};
  std::vector<StepperState> between;
  for (long last = steps_; last > 0;) {
    // The steps behind the last saved state, once more.
    const long first = (last - 1) / gap_ * gap_;
    between.assign(1, saved_[static_cast<std::size_t>(first / gap_)]);
    stepper_.restore(between.front());
    for (long k = first + 1; k < last; ++k) {
      (void)stepper_.step();
      between.push_back(stepper_.state());
    }
    for (; last > first; --last) {
      stepper_.restore(between[static_cast<std::size_t>(last - 1 - first)]);
      const DifferentiatedStep step(system_, stepper_, options_.step);
      if (seed) seed(last, by_response.state);
      const StepResponse none = step.no_response();
      by_response.reaction = none.reaction;
      by_response.velocity = none.velocity;
      StepInput by_input = step.adjoint(by_response);
      add(by_input.parameters, gradient.parameters);
      by_response.state = std::move(by_input.state);
      if (step.not_strict().empty()) continue;
      ++gradient.steps_not_strict;
      gradient.not_strict = step.not_strict();
      gradient.first_not_strict = last;
    }
  }
  stepper_.restore(saved_.front());
  if (seed) seed(0, by_response.state);
  gradient.initial = std::move(by_response.state);
  stepper_.restore(end);
  return gradient;
}

void Rollout::tangent(long steps, const StateVariation& initial, const ParameterVariation& parameters,
                      const Follow& follow) {
  require_steps(steps, "steps");
  validate(initial, system_);
  validate(parameters, system_);
  const StepperState end = stepper_.state();
  stepper_.restore(saved_.front());
  StepInput change{.state = initial, .parameters = parameters, .contacts = {}};
  if (follow) follow(0, change.state);
  for (long k = 1; k <= steps; ++k) {
    const DifferentiatedStep step(system_, stepper_, options_.step);
    change.state = step.tangent(change).state;
    if (follow) follow(k, change.state);
  }
  stepper_.restore(end);
}

}  // namespace locdyn
