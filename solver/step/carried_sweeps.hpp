#pragma once
// Which sweeps of time steps have momentum, and where it is counted on.

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

/// Do sweeps towards this tolerance so often end a solve with momentum that they are granted more than they promise?
[[nodiscard]] bool counts_on_momentum(double tolerance);

/// Have sweeps of this graph towards this tolerance momentum: where it is counted on, and wherever a body has few
/// contacts?
[[nodiscard]] bool are_carried(const LocalDynamics& ldy, double tolerance);

}  // namespace locdyn::detail
