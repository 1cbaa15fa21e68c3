#pragma once
// Which sweeps of time steps have momentum.

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

/// Those towards this tolerance on this graph?
[[nodiscard]] bool are_carried(const LocalDynamics& ldy, double tolerance);

}  // namespace locdyn::detail
