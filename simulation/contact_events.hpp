#pragma once
// What has begun and ended between two steps: which bodies press on each other, which have met at speed, and what has
// fallen asleep or woken. It looks at a stepper after its steps and changes nothing.

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <locdyn/simulation/contact_forces.hpp>
#include <locdyn/simulation/time_stepper.hpp>

namespace locdyn {

/// What happened to a pair of bodies.
enum class ContactChange : std::uint8_t {
  begin,    ///< they press now, and did not before
  persist,  ///< they go on pressing
  end       ///< they press no more: apart, opened, or one was removed
};

/// Of two bodies in one step; they press where the reaction of some contact between them has R_n > 0.
struct ContactEvent {
  ContactChange change;  ///< what happened
  BodyId first, second;  ///< first < second
  double time;           ///< at the end of the step [s]
  /// h Σ R, what the first gave the second in the step [N s]; 0 at an end.
  Eigen::Vector3d impulse;
  Eigen::Vector3d point;  ///< the centre of pressure; at an end where it was last [m]
  /// How fast they came together: the largest −V_n ≥ 0 of what presses, before the step [m/s]; 0 at an end.
  double approach;
  bool impact;  ///< `approach` is more than `ContactEventOptions::impact_speed`
};

/// What counts, and what is told.
struct ContactEventOptions {
  /// Contacts that close faster are impacts [m/s] ≥ 0. What rests closes at the creep of the solver's tolerance, what
  /// has just been let go at h |g|.
  double impact_speed = 0.01;
  bool persisting = false;  ///< tell of what goes on without an impact, too
};

/// What fell asleep or woke in a step.
struct SleepEvent {
  BodyId body;  ///< one that can move
  bool asleep;  ///< else it woke
};

class ContactEvents {
 public:
  /// What presses and sleeps now, after a restore as well, has begun before. `stepper` outlives it. Throws
  /// std::invalid_argument for a speed out of range.
  explicit ContactEvents(const TimeStepper& stepper, const ContactEventOptions& options = {});

  /// What the steps since the last call have changed, in order of bodies; of several steps the last is compared with
  /// the state then, and impulses are of the last. Holds until the next call. Cost: as `TimeStepper::contacts`, and a
  /// look at each body.
  std::span<const ContactEvent> update();
  /// Of the last `update`, by body. Bodies that were removed in their sleep are not told.
  [[nodiscard]] std::span<const SleepEvent> sleep() const noexcept { return sleep_; }

 private:
  struct Touch {
    ContactForce on_second;
    double approach = 0;
  };
  using Pair = std::pair<BodyId, BodyId>;

  [[nodiscard]] std::map<Pair, Touch> pressing() const;
  void note(ContactChange change, const Pair& pair, const Touch& touch);
  void compare_sleep();

  const TimeStepper& stepper_;
  ContactEventOptions options_;
  std::map<Pair, Touch> pressing_;
  std::vector<std::uint8_t> asleep_;  // by body
  std::vector<ContactEvent> events_;
  std::vector<SleepEvent> sleep_;
};

}  // namespace locdyn
