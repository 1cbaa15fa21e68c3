#pragma once
// The default solver: the stages of `auto_stages` in turn, cheap ones first, until one of them converges. Sweeps have
// the first word and dearer methods theirs where the contraction observed says that sweeps will not get there, in
// rounds, with budgets that grow.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <locdyn/solver/solve_options.hpp>
#include <locdyn/solver/tuning.hpp>

namespace locdyn {

/// What bounds it; the numbers by which it chooses are `Tuning`.
struct AutoOptions {
  StopOptions stop;  ///< iterations count sweeps and Newton steps alike
  int rounds = 10;   ///< turns of all stages before it gives up, ≥ 1
  /// From so many constraints on islands are solved apart, where none holds more than half of them: smaller problems
  /// take less time as a whole.
  std::size_t partitioned_from = 2000;
  bool swept = false;                     ///< sweeps have just been given up: a time step does not begin with more
  std::vector<std::string> without = {};  ///< parts that are left out, of `auto_parts`: what is each worth?
  Tuning tuning = {};                     ///< by which it chooses

  /// Is it one of `without`?
  [[nodiscard]] bool leaves_out(std::string_view part) const noexcept;
};

/// Names of all that may be left out: the stages, an aid of sweeps, "momentum", and what islands of a time step
/// begin with, "together".
[[nodiscard]] std::vector<std::string_view> auto_parts();

/// Throws std::invalid_argument listing the names there are, where `without` holds another.
void check_auto_parts(const std::vector<std::string>& without);

/// Solves to the tolerance. Islands are solved apart on `stop.threads` threads (`solve_partitioned`) where there are
/// many. The report names the solver that finished; its iterations, stages and history are those of all turns. R on
/// entry is the warm start; the best iterate is left in the graph. What comes next is decided by counts and residuals,
/// never by the clock. Throws std::invalid_argument as `check_options`, `check_problem` and `check_auto_parts` do.
[[nodiscard]] SolveReport solve_auto(LocalDynamics& ldy, const AutoOptions& options);

}  // namespace locdyn
