#pragma once
// The order of a sweep through velocities that several threads share.
//
// A breadth-first search over the bodies from one end of the assemblage gives levels; a constraint couples bodies of
// one level or of two that follow one another. Runs of levels are domains: no constraint of one acts on a body of
// another. The seams, constraints between the last level of a domain and the first of the next, come after all domains;
// two of them share no body where each domain has two levels or more; small ones are joined. So a sweep is two passes,
// of each of which the parts may be swept at once, and within a domain the order is the graph's own: it converges much
// as the serial sweep does.
//
// Source: one-way dissection (George, SIAM J. Numer. Anal. 17 (1980) 740–751); the end to start from: George & Liu, ACM
// TOMS 5 (1979) 284–295.

#include <vector>

#include <locdyn/solver/nsgs/sweep_schedule.hpp>

namespace locdyn::detail {

/// Sweeps to 1e-3 and 1e-4 beside the graph's order on walls, rocks and spheres of 1500 to 12 000 contacts: 0.9 to 1.1
/// times as many, as with 512; a pile of 4500 on two threads steps 1.04 times as fast as with 128 or 512.
inline constexpr Index kDomain = 256;

/// Domains of about `least` constraints or more, then their seams, both colours of the schedule; one batch in the
/// graph's order where there are not two domains. In each, groups as in `grouped_schedule`. Throws
/// std::invalid_argument where the graph does not know its factor. Cost: a few passes over the couplings; groups are
/// filled on so many threads, with the same result.
[[nodiscard]] SweepSchedule dissected_schedule(const LocalDynamics& ldy, Index least = kDomain, int threads = 1);
/// The same of the constraints listed, in the order in which they are.
[[nodiscard]] SweepSchedule dissected_schedule_of(const LocalDynamics& ldy, std::vector<ConstraintId> sequence,
                                                  Index least = kDomain, int threads = 1);

}  // namespace locdyn::detail
