#pragma once
// What a contact keeps of a solved step.

#include <locdyn/ldy/assembly/kinematics.hpp>
#include <locdyn/simulation/stepping/tracked_contact.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn::detail {

/// Takes R, U and the velocity before out of the graph, which `kinematics` belongs to, and stretches the spring along
/// the surface by a step of h [s]. Below `slip_speed` [m/s] a contact on its cone counts as stopped. Does it slip where
/// it stuck, or stick where it slipped?
[[nodiscard]] bool take_reaction(const System& system, const Kinematics& kinematics, double h, double slip_speed,
                                 TrackedContact& contact);

}  // namespace locdyn::detail
