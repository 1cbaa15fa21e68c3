// What one edit of the graph costs as the graph grows: a contact is removed, inserted again and coupled with the
// neighbours it had, in running bond of 1 000 to 1 000 000 contacts with 27 neighbours each. Edits of the same 64
// contacts stay in the cache, and show the work; edits anywhere pay for cache misses too.
//
//   benchmark_graph_edit [CONTACTS…]        prints ns per edit and per neighbour

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>

#include "measure.hpp"
#include "synthetic_graph.hpp"

namespace {

using namespace locdyn;
using namespace locdyn::benchmark;

struct Cost {
  double nanoseconds = 0, neighbours = 0;  // per edit
};

// Removes, inserts and couples again each contact of `contacts` in turn. Neighbours are listed beforehand, as an
// assembly would know them from its bodies.
Cost edit(LocalDynamics& ldy, const std::vector<ConstraintId>& contacts, int rounds) {
  std::vector<std::vector<ConstraintId>> neighbours;
  Cost cost;
  for (ConstraintId contact : contacts) {
    neighbours.emplace_back();
    for (const auto& block : ldy.adjacent(ldy.row(contact))) {
      neighbours.back().push_back(ldy.diagonal_arena()[block.other].constraint);
    }
    cost.neighbours += static_cast<double>(neighbours.back().size()) / static_cast<double>(contacts.size());
  }
  const std::array<std::function<void()>, 1> work = {[&] {
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      ldy.remove(contacts[k]);
      const ConstraintId id = ldy.insert(ContactLaw{.friction = 0.5});  // the id that has just become free
      for (ConstraintId neighbour : neighbours[k]) ldy.couple(id, neighbour);
    }
  }};
  cost.nanoseconds = 1e9 * best_times(work, rounds, 1)[0] / static_cast<double>(contacts.size());
  return cost;
}

void measure(ConstraintId contacts) {
  const auto side = static_cast<ConstraintId>(std::lround(std::sqrt(contacts / 8.0)));
  LocalDynamics ldy = brick_pattern({.courses = side + 1, .bricks = side});
  std::vector<ConstraintId> anywhere(2000), one_place(64);
  std::mt19937 random(1);
  const auto count = static_cast<ConstraintId>(ldy.constraint_count());
  for (ConstraintId& id : anywhere) id = static_cast<ConstraintId>(random() % count);
  for (std::size_t k = 0; k < one_place.size(); ++k) one_place[k] = count / 2 + static_cast<ConstraintId>(k);
  const Cost far = edit(ldy, anywhere, 3);
  const Cost near = edit(ldy, one_place, 50);
  std::printf("%9u contacts %10zu blocks | in one place %6.0f ns an edit, %4.0f a neighbour | anywhere %6.0f, %4.0f\n",
              count, ldy.off_diagonal_count(), near.nanoseconds, near.nanoseconds / near.neighbours, far.nanoseconds,
              far.nanoseconds / far.neighbours);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) {
    for (ConstraintId contacts : {1'000u, 10'000u, 100'000u, 1'000'000u}) measure(contacts);
  }
  for (int k = 1; k < argc; ++k) measure(static_cast<ConstraintId>(std::strtoul(argv[k], nullptr, 10)));
  return 0;
}
