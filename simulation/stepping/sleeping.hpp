#pragma once
// What rests costs nothing. An island at rest sleeps: its bodies leave every loop of a step, its contacts leave the
// graph and keep their R, until something touches it. A body is quiet in a step that it ends with
//
//   √(2T/m) ≤ s h |g|,   s = min(kQuietSteps · tolerance, kMostShare)
//
// and its island falls asleep when all its bodies have been quiet for kQuietSteps steps in a row, and R holds it: the
// residual of its rows at u = 0 meets the tolerance. Over so many steps an acceleration of tolerance · |g| would have
// shown: what sleep neglects is no more than what the solver's tolerance does, and steady motion slower than s h |g|
// (3e-7 h |g| at the default tolerance, at most 1e-2 h |g|). Then u = 0: waking is not that of a run that never slept
// to the bit, it is that of one whose creep was taken away. What stands creeps at up to 2e-8 h |g| at a tolerance of
// 1e-8 (scenes/stack.json) and 5e-4 h |g| at 1e-3, 15 to 20 times slower. √(2T/m) is the root mean square of the speeds
// of a body's matter, whatever its kind.
//
// It never sleeps what a constraint for life, an applied force or a load acts on, what lies on an obstacle that is
// driven or moves, what penetrates deeper than the correction leaves, and kinds of bodies that do not tell of changes.
// It wakes, whole, before a step is solved in which a contact with something awake belongs into the graph, and where a
// body of it, its support, a constraint, a force, a load on it, gravity or a material was changed. Obstacles that stand
// still are left out of the loops in the same way.
//
// Everything is kept and done in the order of ids: same input, same bits, through a restart too.

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <vector>

#include <locdyn/ldy/islands.hpp>
#include <locdyn/simulation/stepping/contact_tracker.hpp>
#include <locdyn/simulation/stepping/reference_geometry.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn::detail {

/// When a step counts as quiet, and what its end knows.
struct RestOptions {
  double h = 0;                                           ///< step [s]
  double tolerance = 0;                                   ///< on the scaled residual
  double slop = std::numeric_limits<double>::infinity();  ///< deeper penetration is not at rest [m]
  int threads = 1;                                        ///< ≥ 1; the bits do not depend on it
};

class Sleeping {
 public:
  // So long that what turns back, a ball at the top of its bounce or a block that rocks, does not pass for rest, and
  // that little falls asleep to be woken at once: in scenes/moving/pile.json at 1e-3 (200 bodies, still falling on each
  // other) 66 of 960 steps change what sleeps.
  static constexpr std::uint32_t kQuietSteps = 32;

  enum class Mode { off, on };  ///< off: every body is active at every step
  /// All outlive it. Nobody else watches the bodies any more.
  Sleeping(System& system, ContactTracker& tracker, ReferenceGeometry& references, Mode mode);
  Sleeping(const Sleeping&) = delete;
  Sleeping& operator=(const Sleeping&) = delete;

  /// The bodies that a step looks at, by id: those awake, and obstacles that are driven, move or were changed.
  [[nodiscard]] std::span<const BodyId> active() const noexcept { return active_; }
  /// The same, by body.
  [[nodiscard]] std::span<const std::uint8_t> is_active() const noexcept { return is_active_; }

  // What sleeps.
  [[nodiscard]] bool sleeps(BodyId body) const noexcept { return body < asleep_.size() && asleep_[body] != 0; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }         ///< bodies
  [[nodiscard]] double potential_energy() const noexcept { return energy_; }  ///< of weight [J]
  [[nodiscard]] double penetration() const noexcept;                          ///< largest −gap, ≥ 0 [m]
  [[nodiscard]] std::vector<TrackedContact> contacts() const;                 ///< in the order of the tracker

  /// Before a step: takes in new bodies and wakes what was changed since the last. Cost: the changes; a new gravity,
  /// material or constraint one look at every body.
  void begin_step();
  /// Wakes bodies that were written to, and what rests on them.
  void wake_written();
  /// What was written to since `wake_written` was the step's own doing and put back: it sleeps on.
  void ignore_written();
  /// Wakes islands that one of `found` ties to something awake. Their bodies, by id; holds until the next call.
  [[nodiscard]] std::span<const BodyId> wake_touched(std::span<const DetectedContact> found);
  /// After a solved step whose graph and `islands` still hold. Cost: one look at each active body; where some fall
  /// asleep, their part of the graph.
  void end_step(const Islands& islands, const RestOptions& options);

  /// As numbers: the energy, gravity, and of each body −1 − (the least body of its island) where it sleeps, else its
  /// quiet steps. Nothing under Mode::off.
  [[nodiscard]] std::vector<double> save() const;
  /// Throws std::invalid_argument where the numbers are none that `save` gives for these bodies.
  static void check(std::span<const double> saved, const System& system);
  /// Everything is awake again, and forgotten.
  void reset();
  /// After `reset`, with the contacts of the whole run in the tracker.
  void restore(std::span<const double> saved);

 private:
  struct Island {
    std::vector<BodyId> bodies;
    std::vector<TrackedContact> contacts;
    double potential_energy = 0, penetration = 0;
  };
  /// Islands of the graph, and bodies alone, that may fall asleep.
  struct Candidates {
    std::vector<std::vector<ConstraintId>> rows;
    std::vector<std::vector<BodyId>> bodies;
    std::vector<std::uint8_t> good;
  };

  void take_in_new_bodies();
  void forget_removed();
  void find_held();
  void hold(BodyId id);
  void wake_all();
  [[nodiscard]] std::set<BodyId> disturbed() const;
  void wake_island(BodyId label);
  void activate(BodyId id);
  void merge_woken();
  [[nodiscard]] std::vector<BodyId> labels_on(BodyId obstacle) const;

  void rest_obstacles();
  [[nodiscard]] bool count_quiet(const RestOptions& options);
  [[nodiscard]] Candidates find_candidates(const Islands& islands) const;
  [[nodiscard]] bool may_rest_on(BodyId obstacle) const;
  void refuse_deep(const Islands& islands, double slop, Candidates& candidates) const;
  void refuse_neighbours_of_awake(Candidates& candidates) const;
  void refuse_unheld(double tolerance, Candidates& candidates);
  void put_to_sleep(const std::vector<std::vector<BodyId>>& islands);
  void lay_down(BodyId id);

  System& system_;
  ContactTracker& tracker_;
  ReferenceGeometry& references_;
  Mode mode_;

  std::vector<BodyId> active_;
  std::vector<std::uint8_t> is_active_, asleep_;  // by body; asleep: moving ones
  std::vector<std::uint32_t> quiet_;              // by body: quiet steps in a row
  std::vector<BodyId> island_of_;                 // by body that sleeps: the least body of its island
  std::map<BodyId, Island> islands_;              // by that one
  std::multiset<double> penetrations_;            // of the islands
  std::size_t count_ = 0;
  double energy_ = 0;

  std::vector<BodyId> woken_;  // since `merge_woken`, then by id
  std::vector<TrackedContact> woken_contacts_;

  // What sleep rests on, as it was last seen.
  Eigen::Vector3d gravity_ = Eigen::Vector3d::Zero();
  MaterialTable materials_;
  std::uint64_t seen_ = 0;          // changes of the system
  std::vector<std::uint8_t> held_;  // by body: a constraint for life, a force or a drive acts on it
  bool all_held_ = false;           // a force acts on all bodies, or a contact modifier
};

}  // namespace locdyn::detail
