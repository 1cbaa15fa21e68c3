#pragma once
// What a contact is made of: the surfaces of its two shapes, and what the system's modifier makes of them.

#include <locdyn/simulation/stepping/tracked_contact.hpp>

namespace locdyn::detail {

/// Takes what its surfaces have in common, how they run and along which direction friction counts, and what the
/// system's modifier makes of it. Does it run otherwise than before, or do its tangents lie otherwise? Its R in the
/// graph turns with them. Throws std::invalid_argument where the modifier leaves what has no meaning or friction by
/// direction has no direction, and what the modifier throws.
[[nodiscard]] bool choose_material(System& system, TrackedContact& contact, double time);

}  // namespace locdyn::detail
