#pragma once
// Nonsmooth Gauss–Seidel over the graph, for contacts and bilateral constraints together.

#include <functional>
#include <memory>

#include <locdyn/solver/solve_options.hpp>

namespace locdyn {

namespace detail {
class IterateWatch;
}

/// How a sweep gets at W R.
enum class SweepForm {
  automatic,  ///< velocities where the graph knows its factor, has `VelocitySweep`'s laws alone, and either no blocks
              ///< yet, or at least kVelocityRows rows and kVelocityBlocks off-diagonal blocks a row; blocks else
  blocks,     ///< the blocks of W
  velocities  ///< the velocities of bodies; std::invalid_argument where `VelocitySweep` does not apply
};
inline constexpr std::size_t kVelocityRows = 1000;  ///< below so many rows velocities do not pay
inline constexpr std::size_t kVelocityBlocks = 8;   ///< nor below so many blocks a row

/// Below it there are hardly two domains.
inline constexpr std::size_t kDissectedFrom = 1000;

/// Of one solve.
struct NsgsOptions {
  StopOptions stop;         ///< iterations are sweeps
  double relaxation = 1.0;  ///< ω in (0, 2): over-relaxation above 1, under-relaxation below
  bool symmetric = false;   ///< every other sweep runs backwards
  /// Sweeps without a gain of 1 % in the best residual after which it has stalled; half the sweeps done where that is
  /// more. ≥ 1.
  long stall_window = 20'000;
  SweepForm form = SweepForm::automatic;  ///< how W R is got at
  /// From so many constraints on, sweeps go by parts on `stop.threads` threads: through velocities by
  /// `dissected_schedule`, over blocks by `coloured_schedule`; with fewer in the graph's order (through velocities
  /// `grouped_schedule`). The order is the problem's and the warm start's alone, so that the bits are, too.
  std::size_t dissected_from = kDissectedFrom, coloured_from = 10'000;
  bool momentum = true;  ///< but in over-relaxed or symmetric sweeps; without it they go where change is
};

/// Sweeps until the full residual meets the tolerance. The residual is taken when the change of a sweep says that it
/// may, and every 25 sweeps: at most one residual, the cost of a sweep, in 12. Through velocities the constraints that
/// then hold most of it are swept alone (`find_focus`), and all of them 4 times before the next; iterations count that
/// by its visits. R on entry is the warm start; the best
/// iterate judged is left in the graph. Throws std::invalid_argument as `check_options` and `check_problem` do.
/// Source: Jean, CMAME 177 (1999) 235–257.
[[nodiscard]] SolveReport solve_nsgs(LocalDynamics& ldy, const NsgsOptions& options);

/// Sweeps still needed to reach `tolerance`, by the contraction from one sample to a later one; infinite where there is
/// none.
[[nodiscard]] double sweeps_to_go(const SolveReport::Sample& from, const SolveReport::Sample& to, double tolerance);

/// The same over the second half of the history of a turn; infinite, too, where that has one sample alone.
[[nodiscard]] double sweeps_to_go(const SolveReport& turn, double tolerance);

/// Asked after each residual of a turn, the last in its history: is it to be given up?
using GivesUp = std::function<bool(const SolveReport& turn)>;

/// The same in several turns on one graph, between which others may change R: what it has prepared and learnt stays.
class GaussSeidel {
 public:
  /// `ldy` outlives it; insertions and removals make it void. Throws std::invalid_argument as `solve_nsgs` does.
  GaussSeidel(LocalDynamics& ldy, const NsgsOptions& options);
  ~GaussSeidel();

  /// A turn under these limits, which take the place of `options.stop`, with the relaxation ω in (0, 2): throws
  /// std::invalid_argument for another.
  [[nodiscard]] SolveReport solve(const StopOptions& stop, double relaxation, const GivesUp& gives_up = {});

 private:
  struct State;

  [[nodiscard]] long sweep(long done, long most, double relaxation, double small);
  [[nodiscard]] bool has_momentum(double relaxation) const noexcept;
  [[nodiscard]] long focus(double enough, long most);
  [[nodiscard]] double sweep_once(long number, double relaxation);

  LocalDynamics& ldy_;
  NsgsOptions options_;
  std::unique_ptr<State> state_;  // after the first sweep
};

}  // namespace locdyn
