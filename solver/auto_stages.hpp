#pragma once
// The stages of `auto` as a table: what each is, for which graphs, when it is due, and what it may spend. A round takes
// the rows from top to bottom, each that suits the graph and is due, until one of them converges. A new stage is a row
// of `kStages`, and its turn a function of `AutoRun`.

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <locdyn/ldy/recovered_factor.hpp>
#include <locdyn/solver/auto.hpp>
#include <locdyn/solver/newton/newton.hpp>
#include <locdyn/solver/newton/newton_system.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/path/path.hpp>
#include <locdyn/solver/stage_sequence.hpp>

namespace locdyn::detail {

/// What the stages share while they work on one graph: its counts, the stages so far, and what they have learnt.
class AutoRun {
 public:
  /// `ldy` and `options` outlive it.
  AutoRun(LocalDynamics& ldy, const AutoOptions& options);
  ~AutoRun();
  AutoRun(const AutoRun&) = delete;
  AutoRun& operator=(const AutoRun&) = delete;

  // Counts of the graph, on which stages suit or do not.
  /// About what a Newton step costs, in sweeps: of what pressed when it was asked for, or since the sweeps of a round.
  [[nodiscard]] long newton_cost() const;
  /// A Newton step costs more than a round of patches: of what pressed when the round began.
  [[nodiscard]] bool steps_are_dear() const { return round_costs().steps_are_dear; }
  /// The graph knows its factor.
  [[nodiscard]] bool in_velocities() const { return works_in_velocities(ldy_); }
  /// Contacts with Coulomb friction and bilateral rows alone.
  [[nodiscard]] bool convex() const;
  /// That, and a factor of all rows is no dearer than that of so many sweeps.
  [[nodiscard]] bool all_rows_at_once() const { return !steps_are_dearest() && convex(); }
  /// A factor of all rows costs so much that sweeps go on first, as far as they come.
  [[nodiscard]] bool steps_are_dearest() const { return newton_cost() > tuning().dearest_step; }

  // What has happened, by which they are due.
  [[nodiscard]] std::size_t round() const noexcept { return round_; }
  [[nodiscard]] bool first_round() const noexcept { return round_ == 0; }
  /// So near a solution that only the last digits are missing, and nearer by far than interior points left it.
  [[nodiscard]] bool interior_is_due() const;
  /// The others have spent a share of what the path is expected to take, or as much again as it has.
  [[nodiscard]] bool path_is_due() const;
  /// Sweeps have been given up before its first round.
  [[nodiscard]] bool swept() const noexcept { return options_.swept; }
  /// Work of all turns so far.
  [[nodiscard]] double spent() const { return sequence_.total().work(); }

  // Their sequence.
  void sweep();
  void recover_the_factor();
  void solve_patches();
  void alternate_directions();
  void step();
  void step_on();
  void solve_interior_points();
  void follow_path();

  /// What a turn is called with and leaves, for solvers that need no more.
  [[nodiscard]] LocalDynamics& ldy() noexcept { return ldy_; }
  [[nodiscard]] StopOptions left(long iterations = std::numeric_limits<long>::max()) const;
  [[nodiscard]] StageSequence& sequence() noexcept { return sequence_; }

  void begin_round(std::size_t round);
  [[nodiscard]] const Tuning& tuning() const noexcept { return options_.tuning; }
  /// The work that the stage at hand may spend, at most what is left to all.
  void may_spend(double work) noexcept { budget_ = std::min(work, work_left()); }
  /// To the stages behind "step", which has come to its end.
  void step_has_ended() noexcept { most_work_ = (1 + tuning().rest_takes_at_most) * sequence_.total().work(); }
  [[nodiscard]] double work_left() const noexcept { return most_work_ - sequence_.total().work(); }

 private:
  void newton(long first_sweeps, long steps);

  // Made when they are first asked for: a graph that an earlier stage solves does not pay for them.
  struct RoundCosts {
    bool steps_are_dear;
    double waiting;  // sweeps that Newton would take
  };
  [[nodiscard]] const RoundCosts& round_costs() const;
  [[nodiscard]] long first_sweeps() const;

  LocalDynamics& ldy_;
  const AutoOptions& options_;
  StageSequence sequence_;
  std::optional<RecoveredFactor> recovered_;  // the graph views it until this ends
  GaussSeidel sweeps_;
  PathFollower path_;
  bool factor_is_due_;  // nobody has asked for it yet
  mutable std::optional<bool> convex_;
  mutable double path_due_at_ = 0;  // work of the others, once it has been asked for
  double path_spent_ = 0;
  double budget_ = std::numeric_limits<double>::infinity();
  double most_work_ = std::numeric_limits<double>::infinity();       // of all stages together
  double interior_level_ = std::numeric_limits<double>::infinity();  // where interior points left it last
  mutable std::optional<long> newton_cost_, first_sweeps_;
  mutable std::optional<RoundCosts> round_costs_;
  std::size_t round_ = 0;
};

struct AutoStage {
  std::string_view name;  ///< for `AutoOptions::without`
  std::string_view what;
  bool (*suits)(const AutoRun&);        ///< by counts of the graph alone
  bool (*due)(const AutoRun&);          ///< by what has happened
  double (*may_spend)(const AutoRun&);  ///< work (`SolveCost::work`) of a turn; its patience may end it before
  void (*turn)(AutoRun&);
};

/// In the order in which a round takes them.
[[nodiscard]] std::span<const AutoStage> auto_stages();

}  // namespace locdyn::detail
