#pragma once
// Siconos' solvers of the local problem in 3D, each with its defaults but for what would stop it short of the accuracy
// asked for, and for what its documentation calls the better choice.
//
// Source: Siconos 4.4 numerics; Acary, Brémond & Huber (2018) §4 for the families.

#include <span>

struct SolverOptions;

namespace locdyn::peer {

struct SolverChoice {
  const char* name;
  int solver;                   ///< Siconos' number
  int local;                    ///< of the solver of one contact within; 0: the default's
  int iterations;               ///< most iterations of the outer loop
  void (*set)(SolverOptions*);  ///< further settings, or nullptr
};

/// All, the default of Siconos' users first, then those that are often fast: they outrun the others.
[[nodiscard]] std::span<const SolverChoice> solver_choices();

/// The options of one run.
[[nodiscard]] SolverOptions* make_options(const SolverChoice& choice, double tolerance);

}  // namespace locdyn::peer
