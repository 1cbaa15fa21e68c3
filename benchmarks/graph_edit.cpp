// What one edit costs as the graph grows: a contact is removed, inserted again and coupled with its neighbours, in the
// built-in brick wall of 1 000 to 1 000 000 contacts. `graph` edits the graph alone, its neighbours listed beforehand;
// `assembly` edits through the bodies' lists of constraints. Edits of the same 64 contacts stay in the cache, and show
// the work; edits anywhere pay for cache misses too.
//
//   benchmark_graph_edit [CONTACTS…]        prints ns per edit and per neighbour

#include <array>
#include <cstdio>
#include <cstdlib>
#include "builtin/builtin.hpp"
#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <random>
#include <vector>

#include "measure.hpp"

namespace {

using namespace locdyn;
using namespace locdyn::benchmark;
using Ids = std::vector<ConstraintId>;

// Neighbours of each contact, by id.
std::vector<Ids> neighbours_of(LocalDynamics& ldy, const Ids& contacts) {
  std::vector<Ids> neighbours;
  for (ConstraintId contact : contacts) {
    Ids& list = neighbours.emplace_back();
    for (const auto& block : ldy.adjacent(ldy.row(contact))) {
      list.push_back(ldy.diagonal_arena()[block.other].constraint);
    }
  }
  return neighbours;
}

// Seconds of an edit of each contact through the assembly. The id that has just become free is taken again.
double edit_assembly(Assembly& assembly, const Ids& contacts, int rounds) {
  const std::array<std::function<void()>, 1> work = {[&] {
    for (ConstraintId id : contacts) {
      const ContactPoint point = static_cast<const Contact&>(assembly.constraint(id)).point();
      assembly.remove(id);
      assembly.emplace<Contact>(point);
    }
  }};
  return best_times(work, rounds, 1, thread_seconds_now)[0] / static_cast<double>(contacts.size());
}

double edit_graph(LocalDynamics& ldy, const Ids& contacts, int rounds) {
  const std::vector<Ids> neighbours = neighbours_of(ldy, contacts);
  const std::array<std::function<void()>, 1> work = {[&] {
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      ldy.remove(contacts[k]);
      const ConstraintId id = ldy.insert(ContactLaw{.friction = 0.5});
      for (ConstraintId neighbour : neighbours[k]) ldy.couple(id, neighbour);
    }
  }};
  return best_times(work, rounds, 1, thread_seconds_now)[0] / static_cast<double>(contacts.size());
}

double mean_neighbours(LocalDynamics& ldy, const Ids& contacts) {
  double sum = 0;
  for (const Ids& list : neighbours_of(ldy, contacts)) sum += static_cast<double>(list.size());
  return sum / static_cast<double>(contacts.size());
}

void measure(std::size_t contacts) {
  const BuiltinProblem wall = make_builtin("wall", contacts);
  LocalDynamics ldy = *wall.ldy;  // with its blocks, which the assembly's graph leaves out
  const auto count = static_cast<std::uint32_t>(ldy.constraint_count());
  Ids anywhere(2000), one_place(64);
  std::mt19937 random(1);
  for (ConstraintId& id : anywhere) id = ConstraintId{random() % count};
  for (std::size_t k = 0; k < one_place.size(); ++k) one_place[k] = ConstraintId{count / 2 + k};
  const double near = mean_neighbours(ldy, one_place), far = mean_neighbours(ldy, anywhere);

  std::printf("%9u contacts %10zu blocks |", count, ldy.off_diagonal_count());
  const auto print = [&](const char* what, double in_one_place, double elsewhere) {
    std::printf(" %s: in one place %6.0f ns an edit, %3.0f a neighbour; anywhere %6.0f, %3.0f |", what,
                1e9 * in_one_place, 1e9 * in_one_place / near, 1e9 * elsewhere, 1e9 * elsewhere / far);
  };
  const double assembly_near = edit_assembly(*wall.assembly, one_place, 50);
  print("assembly", assembly_near, edit_assembly(*wall.assembly, anywhere, 3));
  const double graph_near = edit_graph(ldy, one_place, 50);
  print("graph", graph_near, edit_graph(ldy, anywhere, 3));
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) {
    for (std::size_t contacts : {1'000u, 10'000u, 100'000u, 1'000'000u}) measure(contacts);
  }
  for (int k = 1; k < argc; ++k) measure(std::strtoul(argv[k], nullptr, 10));
  return 0;
}
