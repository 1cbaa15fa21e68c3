#include <locdyn/solver/step/carried_sweeps.hpp>

#include <locdyn/solver/newton/newton_system.hpp>

namespace locdyn::detail {
namespace {

// Down to this tolerance. Where rounds count on momentum below it, too, it is Newton that ends a solve, from another
// start and by another walk along the null space of W, for better or worse: the whole of scenes/wall.json at 1e-6 takes
// 12.6 and 12.8 s without, 14.0, 15.9 and 24.5 s with (three first l), the last with two steps unsolved. Where they do
// not at 1e-5 twelve moving scenes take 1.09 times as long, at 1e-4 1.26 times.
constexpr double kCountedOnFrom = 1e-5;

// Contacts a body up to which sweeps have momentum whatever the tolerance, as long as they promise enough without being
// granted more: with three rows a contact and six velocities a body W has full rank up to two, and up to three a null
// space that is small. From the same states fifteen moving scenes take 0.89 of the time at 1e-6 and 0.91 at 1e-7 and at
// 1e-8, the largest 1.04: 1000 balls from a lattice 0.44, a heavy box on balls 0.69, drum 0.88, piles 0.92 and 0.94,
// hopper 0.93; twenty others at 1e-6 1.00, one step of a frame of balls 0.3 s in place of 0.07; seven on springs
// 0.91 of what they took with momentum counted on. Up to 2 contacts 0.93 at 1e-6, up to 2.5 0.90, all 0.90: towers,
// walls and Jenga, 4 and more a body, 0.9 to 1.4 by single steps, 1.01 in the mean of twelve. Counted on up to 2
// contacts 0.93 in place of 0.91 on twelve, one of them 1.08; granted three times the least share that they
// are (sweeps_and_newton.cpp), or more with the size of the graph as where it is counted on, both 1.04.
constexpr double kFewContactsABody = 3;

}  // namespace

bool counts_on_momentum(double tolerance) {
  return tolerance >= kCountedOnFrom;
}

bool are_carried(const LocalDynamics& ldy, double tolerance) {
  return counts_on_momentum(tolerance) ||
         (works_in_velocities(ldy) && static_cast<double>(ldy.constraint_count()) <=
                                          kFewContactsABody * static_cast<double>(ldy.factor()->group_count()));
}

}  // namespace locdyn::detail
