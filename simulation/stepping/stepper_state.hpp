#pragma once
// The state of a run as numbers, and back.

#include <span>
#include <vector>

#include <locdyn/base/slices.hpp>
#include <locdyn/simulation/stepping/contact_tracker.hpp>
#include <locdyn/simulation/time_stepper.hpp>

namespace locdyn::detail {

/// Configuration and velocity of each body, or of those with ids in a slice, one after the other.
[[nodiscard]] std::vector<double> save_bodies(const BodySet& bodies);
[[nodiscard]] std::vector<double> save_bodies(const BodySet& bodies, Slice ids);
void restore_bodies(std::span<const double> saved, BodySet& bodies);

/// `state.contacts` and `state.identities`, the last of which is the next to be given.
void save_contacts(std::span<const TrackedContact> contacts, std::uint64_t next_identity, StepperState& state);
/// Throws std::invalid_argument where the sizes do not fit each other or a collider is not in the system.
[[nodiscard]] std::vector<TrackedContact> contacts_of(const StepperState& state, const System& system);

/// R of the rows of the constraints for life, then what they remember.
[[nodiscard]] std::vector<double> save_reactions(const System& system);
void restore_reactions(std::span<const double> saved, System& system);

/// Without the constraints of the breakable joints `broken`. Throws std::invalid_argument where the numbers of bodies,
/// references, reactions or what forces remember are not as many as the system's, where one (of contacts, of the time)
/// is not finite, and for a count of steps below 0 or above 1e15.
void check_state(const StepperState& state, const System& system, std::span<const std::size_t> broken);

/// Adds the report of a part of a step: the state of the last part, the worst residual, the sums.
void add_part(const StepReport& part, StepReport& whole);

}  // namespace locdyn::detail
