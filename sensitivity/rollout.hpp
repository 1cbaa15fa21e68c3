#pragma once
// Derivatives over many steps. The adjoint goes back through the run: each step is taken again from a saved state and
// differentiated, so that no linear system outlives its step. Saved are ⌈√n⌉ states of n steps (or as many as asked
// for), and the states between two of those while they are gone back through: memory for 2 √n states, three steps and
// one adjoint a step in all. A run taken again has the bits of the first (TimeStepper::restore).
//
// Source: Griewank & Walther, Evaluating Derivatives (2nd ed. 2008) ch. 12 (checkpoints, here spread evenly).

#include <functional>
#include <vector>

#include <locdyn/sensitivity/differentiated_step.hpp>

namespace locdyn {

/// How a run is differentiated.
struct RolloutOptions {
  SensitivityOptions step = {};  ///< of each step
  long checkpoint_every = 0;     ///< ≥ 0 steps between saved states; 0: the square root of their number
};

/// The derivatives of a number by where a run began and what its system is made of.
struct RolloutGradient {
  StateVariation initial;             ///< by q and u where it began
  ParameterVariation parameters;      ///< summed over all steps
  long steps_not_strict = 0;          ///< with a state on an edge
  std::vector<NotStrict> not_strict;  ///< of the first such step
  long first_not_strict = 0;          ///< which one it is, from 1; 0 where all are strict
};

class Rollout {
 public:
  /// Begins where the stepper is. Both outlive it. Throws std::invalid_argument for an option out of range.
  Rollout(System& system, TimeStepper& stepper, const RolloutOptions& options = {});

  /// Called with the number k of a state, 0 … n, while the system is there.
  using Look = std::function<void(long k)>;
  /// Takes so many steps more, ≥ 0, and looks at the state that each ends with. Throws std::invalid_argument.
  void run(long steps, const Look& look = {});

  /// Adds to `by_state` the derivatives of the number by q and u of state k, while the system is in it.
  using Seed = std::function<void(long k, StateVariation& by_state)>;
  /// Back through all steps taken, from k = n to 0; the system is then where it was before the call. Errors as of
  /// `DifferentiatedStep`, whatever state the system is then in.
  [[nodiscard]] RolloutGradient adjoint(const Seed& seed);

  /// δ of state k while the system is in it, k = 0 … steps, by that of state 0 and of the parameters: takes so many
  /// steps from where this began, and goes back to where the system was.
  using Follow = std::function<void(long k, const StateVariation& change)>;
  void tangent(long steps, const StateVariation& initial, const ParameterVariation& parameters, const Follow& follow);

  /// Taken so far.
  [[nodiscard]] long steps() const noexcept { return steps_; }

 private:
  System& system_;
  TimeStepper& stepper_;
  RolloutOptions options_;
  long steps_ = 0;
  std::vector<StepperState> saved_;  // of every `gap_`-th state
  long gap_ = 1;
};

}  // namespace locdyn
