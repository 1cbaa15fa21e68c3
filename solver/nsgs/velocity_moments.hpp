#pragma once
// The moments behind the forces of a VelocitySweep's step, which may be four contacts.

#include <cstddef>

#include <locdyn/solver/nsgs/velocity_sweep.hpp>

namespace locdyn::detail {

// By lane of the step.
template <class Take>
inline void VelocitySweep::for_each_moment(Index step, const Take& take) const {
  if (moment_at_.empty()) return;
  const std::size_t count = steps_[step].kind == Kind::four ? kLanes : 1;
  for (std::size_t lane = 0; lane < count; ++lane) {
    const Index at = moment_at_[step_at_[step] + lane];
    if (at != kNone) take(lane, moments_[at]);
  }
}

}  // namespace locdyn::detail
