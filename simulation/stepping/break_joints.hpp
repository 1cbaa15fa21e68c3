#pragma once
// Which joints a step has broken, and which a saved run had.

#include <cstddef>
#include <span>
#include <vector>

#include <locdyn/simulation/breaking.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn::detail {

/// Those that carried more in the last step than they bear, in the order in which they were made breakable.
[[nodiscard]] std::vector<BrokenJoint> overloaded(const System& system, double time);

/// The numbers of the broken ones among `System::breakables`, ascending.
[[nodiscard]] std::vector<double> save_broken(const System& system);
/// Of those, the ones that hold in `system`. Throws std::invalid_argument for a number that is none, and where a joint
/// is broken that is to hold: a broken one does not come back.
[[nodiscard]] std::vector<std::size_t> still_to_break(std::span<const double> saved, const System& system);

}  // namespace locdyn::detail
