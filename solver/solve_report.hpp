#pragma once
// What every solver gives back, whatever happened: R in the graph is the best iterate found, and this says how good.

#include <cstddef>
#include <string>
#include <vector>

#include <locdyn/ldy/residual.hpp>

namespace locdyn {

/// How a solve ended.
enum class SolveStatus {
  converged,       ///< the residual of the chosen measure met the tolerance
  max_iterations,  ///< the limit of iterations, or of work, came first
  max_time,        ///< the time limit came first
  stalled,         ///< no further progress in rounding or in the method
  diverged,        ///< the residual grew beyond recovery
  failed           ///< the method broke down (a singular factor, a ray); the report says where
};

/// Its name as it stands above.
[[nodiscard]] const char* to_string(SolveStatus status) noexcept;

/// What the stopping test looks at; each as in `Residual`.
enum class Measure { scaled, relative, absolute };

/// What a solve costs. All but the seconds are counts: the same on any machine.
struct SolveCost {
  /// Where the time went.
  struct Stages {
    double setup = 0, sweeps = 0, factorisation = 0, residual = 0;  ///< [s]
  } stages;                                                         ///< seconds, of all threads

  double block_products = 0;       ///< 3×3 block times vector products
  double factorisation_flops = 0;  ///< floating point operations in factorisations
  long factorisations = 0;         ///< numeric, of whole matrices; those of single rows are not counted

  /// In floating point operations at a sweep's speed: budgets are kept in this, never by the clock.
  [[nodiscard]] double work() const noexcept;
  /// Adds what another solve, a part of this one, cost.
  void add_cost(const SolveCost& part) noexcept;
};

struct SolveReport : SolveCost {
  SolveStatus status = SolveStatus::failed;  ///< how it ended
  std::string solver;                        ///< the solver that finished, e.g. "nsgs" or, from `auto`, "newton"
  std::string reason;                        ///< one clause where the status is not `converged`, empty else
  long iterations = 0;                       ///< sweeps, Newton steps or pivots, by the solver's own count
  Residual residual;                         ///< of the R left in the graph, by the one judge
  double own_residual = 0;  ///< what the stopping test saw: the measure, or a pyramid's own complementarity residual

  /// A residual on the way.
  struct Sample {
    long iteration;   ///< by the solver's own count
    double seconds;   ///< since the call
    double residual;  ///< the measure tested
  };
  std::vector<Sample> history;  ///< every full residual taken on the way

  double seconds = 0;  ///< the whole call

  /// Turns in sequence on one problem, as one solve: `turn` comes after what this report tells. Iterations, seconds and
  /// cost are sums, the history of the turn is appended by them, and the outcome is the turn's.
  void follow_with(SolveReport turn);
};

/// Solves of several problems side by side, each with its own unknowns: islands.
struct SideBySide : SolveCost {
  SolveStatus status = SolveStatus::converged;  ///< of the first that did not converge
  std::string reason;                           ///< of the same
  std::size_t solved = 0;                       ///< how many there were
  std::size_t unconverged = 0;                  ///< of them
  long iterations = 0;                          ///< of all

  /// Takes in one of them.
  void add(const SolveReport& report);
};

}  // namespace locdyn
