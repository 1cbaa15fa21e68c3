#include <locdyn/solver/step/sweeps_together.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <locdyn/solver/nsgs/dissection.hpp>
#include <locdyn/solver/nsgs/momentum.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/nsgs/sweep_schedule.hpp>
#include <locdyn/solver/nsgs/velocity_sweep.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {
namespace {

// Constraints of the islands that are swept by one thread: enough to fill fours, and few enough that there are shares
// for several threads. Rubble with ten sweeps takes 0.93 of the time with 1024 on two threads, and 1.006 of its
// instructions on one.
constexpr std::size_t kTogether = 256;

// Looks at the contraction since the last one, each after twice as many sweeps.
constexpr long kFirstLook = 4;
// From so many sweeps on a look may end it: sooner they have not shown their pace. Where an island has few contacts a
// body more of them pay whatever they promise, for what comes next is dear and begins from better states: with three
// rows a contact and six velocities a body W has full rank up to two. Granular islands have 1.5 to 2.6, boxes in a bin
// 3.2, arch and dominoes 4.1 and 4.5. Twelve runs of moving scenes, three trajectories each: 32 up to three contacts a
// body takes 0.92 of the time that 8 takes (drum at 1e-8 0.67), up to two 0.92; 32 for all 1.0, arch and dominoes at
// 1e-8 1.1 to 1.3.
constexpr long kFirstEnd = 8, kFirstEndWhereFew = 32;
constexpr double kFewContacts = 3;  // a body
// Islands of 3 to 256 contacts of seven moving scenes at 1e-3 that fifty sweeps leave unsolved, with the same ω for
// all: 1.0 in place of 1.4 1.5 to 4 times as many; 1.6 about as many, 1.8 more than 1.0.
constexpr double kMostRelaxed = 1.5;

// Of `small`, where they contract so slowly that more of it would ask for sweeps that nobody grants. Not measured.
constexpr double kLeastOfSmall = 0.1;

struct Progress {
  long first_end = kFirstEnd;
  long look = kFirstLook;
  long since = 2;     // the sweep of the look before
  double change = 0;  // in it
  double relaxation = 1;
  Momentum momentum = {};
  double small_share = 1;  // where sweeps contract slowly what is left of error is more than their change
};

// The ω at which sweeps that contract by so much under the present one contract fastest, as it is for linear equations
// in consistent order: (λ + ω − 1)² = λ ω² μ², ω* = 2 / (1 + √(1 − μ²)). Source: Young, Trans. AMS 76 (1954) 92–111.
double best_relaxation(double contraction, double relaxation) {
  if (contraction <= relaxation - 1) return relaxation;  // over-relaxed already
  const double jacobi = (contraction + relaxation - 1) / (relaxation * std::sqrt(contraction));
  return std::min(kMostRelaxed, 2 / (1 + std::sqrt(std::max(0.0, 1 - jacobi * jacobi))));
}

// Counts a sweep that has changed R by so much. Does it end with it?
bool ends(SweptIsland& island, double change, Progress& progress) {
  ++island.sweeps;
  if (change <= progress.small_share * island.small) return true;
  if (island.sweeps >= island.most) return island.given_up = true;
  if (island.sweeps == progress.since) progress.change = change;
  if (island.sweeps < progress.look) return false;
  const double rate = std::log(progress.change / change) / static_cast<double>(island.sweeps - progress.since);
  const double contraction = std::exp(-rate);
  if (!island.momentum) progress.relaxation = best_relaxation(contraction, progress.relaxation);
  progress.small_share = std::clamp(2 * (1 - contraction) / contraction, kLeastOfSmall, 1.0);
  progress.look *= 2;
  progress.since = island.sweeps + 1;  // the first with this ω
  const bool promises = rate * static_cast<double>(island.most - island.sweeps) >= std::log(change / island.small);
  return island.given_up = !island.to_the_end && island.sweeps >= progress.first_end && !promises;
}

// From which sweep on each island may be given up, by its contacts a body.
void set_first_ends(const LocalDynamics& ldy, std::span<SweptIsland* const> islands, std::span<Progress> progress) {
  const DelassusFactor& factor = *ldy.factor();
  std::vector<Index> last(factor.group_count(), kNone);  // island that met a body
  for (Index i = 0; i < islands.size(); ++i) {
    std::size_t bodies = 0;
    for (const ConstraintId id : islands[i]->members) {
      for (const Coupling& c : factor.couplings(static_cast<Index>(&ldy.row(id) - ldy.diagonal_arena().data()))) {
        if (std::exchange(last[c.body], i) != i) ++bodies;
      }
    }
    const auto contacts = static_cast<double>(islands[i]->members.size());
    if (contacts <= kFewContacts * static_cast<double>(bodies)) progress[i].first_end = kFirstEndWhereFew;
  }
}

// Islands that several threads share, as sweeps of a solve.
bool is_large(const SweptIsland& island) {
  return island.members.size() >= kDissectedFrom;
}

// One large island, or several that one thread sweeps.
double sweep_some(LocalDynamics& ldy, std::span<SweptIsland* const> islands, int threads) {
  const bool large = is_large(*islands[0]);
  std::vector<ConstraintId> sequence;
  std::vector<Index> island_of(ldy.id_bound(), kNone);
  for (std::size_t i = 0; i < islands.size(); ++i) {
    const auto members = islands[i]->members;
    for (const ConstraintId id : members) island_of[id] = static_cast<Index>(i);
    sequence.insert(sequence.end(), members.begin(), members.end());
  }
  SweepSchedule schedule = large ? dissected_schedule_of(ldy, std::move(sequence), kDomain, threads)
                                 : grouped_schedule_of(ldy, std::move(sequence));
  std::vector<Index> part;
  part.reserve(schedule.sequence.size());
  for (const ConstraintId id : schedule.sequence) part.push_back(island_of[id]);
  const SweptIsland* strictest =
      *std::ranges::min_element(islands, {}, [](const SweptIsland* island) { return island->tolerance; });
  VelocitySweep sweep(ldy, std::move(schedule), threads, VelocitySweep::exactness_for(strictest->tolerance));
  if (!large) sweep.divide(std::move(part));

  std::vector<double> change2(islands.size()), relaxation(islands.size(), 1.0), share(islands.size(), 0.0);
  const bool carried = std::any_of(islands.begin(), islands.end(), [](const SweptIsland* i) { return i->momentum; });
  std::vector<Progress> progress(islands.size());
  set_first_ends(ldy, islands, progress);
  std::vector<std::uint8_t> closed(islands.size(), 0);
  for (std::size_t open = islands.size(); open > 0;) {
    if (large) {
      if (carried) sweep.carry_on(share[0], threads);
      const double change = sweep.run(SweepDirection::forward, relaxation[0], threads);
      change2[0] = change * change;
    } else {
      if (carried) sweep.carry_parts_on(share);
      sweep.run_parts(relaxation, change2);
    }
    const std::size_t before = open;
    for (std::size_t i = 0; i < islands.size(); ++i) {
      if (closed[i] != 0) continue;
      const double change = std::sqrt(change2[i]);
      const bool ended = ends(*islands[i], change, progress[i]);
      relaxation[i] = progress[i].relaxation;
      if (islands[i]->momentum) progress[i].momentum.after_sweep(change);
      share[i] = ended || !islands[i]->momentum ? 0 : progress[i].momentum.share();
      if (!ended) continue;
      closed[i] = 1;
      --open;
    }
    if (open < before && !large) sweep.close_parts(closed);
  }
  sweep.write_reactions(threads);
  sweep.write_velocities(threads);
  return sweep.products();
}

}  // namespace

bool sweeps_together(const LocalDynamics& ldy) {
  return !ldy.has_blocks() && ldy.factor() != nullptr;
}

double sweep_together(LocalDynamics& ldy, std::span<SweptIsland> islands, int threads) {
  // As they lie in the arena, whatever the order in which they are given.
  std::vector<SweptIsland*> ordered;
  ordered.reserve(islands.size());
  for (SweptIsland& island : islands) ordered.push_back(&island);
  std::ranges::sort(ordered, {}, [&](const SweptIsland* island) { return &ldy.row(island->members[0]); });

  // Large islands one after the other on all threads, then shares of the others, each on one.
  const auto others =
      std::stable_partition(ordered.begin(), ordered.end(), [](const SweptIsland* i) { return is_large(*i); });
  const auto large = static_cast<std::size_t>(others - ordered.begin());
  double of_large = 0;
  for (std::size_t i = 0; i < large; ++i) of_large += sweep_some(ldy, std::span(ordered).subspan(i, 1), threads);
  std::vector<std::span<SweptIsland* const>> shares;
  std::size_t constraints = 0;
  for (std::size_t i = large, from = large; i < ordered.size(); ++i) {
    constraints += ordered[i]->members.size();
    if (constraints < kTogether && i + 1 < ordered.size()) continue;
    shares.push_back(std::span(ordered).subspan(from, i + 1 - from));
    from = i + 1;
    constraints = 0;
  }
  std::vector<double> products(shares.size());
  in_parallel(static_cast<std::int64_t>(shares.size()), threads, 1,
              [&](std::int64_t share) { products[share] = sweep_some(ldy, shares[share], 1); });
  return std::accumulate(products.begin(), products.end(), of_large);
}

}  // namespace locdyn::detail
