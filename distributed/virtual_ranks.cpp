#include <locdyn/distributed/virtual_ranks.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace locdyn::distributed {
namespace {

constexpr double kBytesOfLine = 64;

struct Turn {
  int colour = 0;
  Index batch = 0;  // of the schedule
};

// By body: its batches, in order of colour.
std::vector<std::vector<Turn>> turns_of_bodies(const DistributedGraph& graph) {
  const detail::SweepSchedule& schedule = graph.schedule();
  const auto* arena = graph.ldy().diagonal_arena().data();
  std::vector<std::vector<Turn>> turns(graph.bodies().size());
  for (Index colour = 0; colour < schedule.colour_count(); ++colour) {
    for (Index batch = schedule.colour[colour]; batch < schedule.colour[colour + 1]; ++batch) {
      for (Index i = schedule.first[batch]; i < schedule.first[batch + 1]; ++i) {
        const auto place = static_cast<Index>(&graph.ldy().row(schedule.sequence[i]) - arena);
        for (const Coupling& c : graph.ldy().factor()->couplings(place)) {
          std::vector<Turn>& own = turns[c.body];
          if (own.empty() || own.back().batch != batch) own.push_back({static_cast<int>(colour), batch});
        }
      }
    }
  }
  return turns;
}

struct Got {
  double lines = 0;
  std::set<int> from;
};

// Work by colour; messages are counted elsewhere.
std::vector<ColourCount> count_colours(const detail::SweepSchedule& schedule, const std::vector<int>& rank,
                                       const std::vector<char>& waits, int ranks) {
  std::vector<ColourCount> colours(schedule.colour_count());
  std::vector<double> of_rank(static_cast<std::size_t>(ranks));
  for (Index colour = 0; colour < schedule.colour_count(); ++colour) {
    std::fill(of_rank.begin(), of_rank.end(), 0.0);
    ColourCount& one = colours[colour];
    for (Index b = schedule.colour[colour]; b < schedule.colour[colour + 1]; ++b) {
      const double length = schedule.first[b + 1] - schedule.first[b];
      of_rank[static_cast<std::size_t>(rank[b])] += length;
      one.constraints += length / ranks;
      if (waits[b] == 0) one.interior += length / ranks;
    }
    one.most = *std::max_element(of_rank.begin(), of_rank.end());
  }
  return colours;
}

}  // namespace

HaloCount count_halo(DistributedGraph& graph, int ranks, std::uint64_t length) {
  if (size_of(graph.comm()) != 1 || ranks < 1 || length < 1) {
    throw std::invalid_argument(
        "count_halo: expected a graph of one rank, at least one rank to count for and a length, "
        "found " +
        std::to_string(size_of(graph.comm())) + ", " + std::to_string(ranks) + " and " + std::to_string(length));
  }
  const detail::SweepSchedule& schedule = graph.schedule();
  const std::uint64_t batches = std::max<std::uint64_t>(1, (graph.constraint_count() + length - 1) / length);
  std::vector<int> rank(schedule.batch_count());
  std::vector<double> constraints(static_cast<std::size_t>(ranks), 0);
  for (Index b = 0; b < schedule.batch_count(); ++b) {
    rank[b] = static_cast<int>(graph.batch_names()[b] * static_cast<std::uint64_t>(ranks) / batches);
    constraints[static_cast<std::size_t>(rank[b])] += schedule.first[b + 1] - schedule.first[b];
  }

  // Who gets what before each colour.
  std::map<std::pair<int, int>, Got> got;  // by colour and rank
  std::vector<char> waits(schedule.batch_count(), 0), shares(graph.bodies().size(), 0);
  const std::vector<std::vector<Turn>> turns = turns_of_bodies(graph);
  for (std::size_t body = 0; body < turns.size(); ++body) {
    for (std::size_t v = 0; v < turns[body].size(); ++v) {
      const Turn& turn = turns[body][v];
      const Turn& before = turns[body][(v + turns[body].size() - 1) % turns[body].size()];
      if (rank[turn.batch] == rank[before.batch]) continue;
      Got& one = got[{turn.colour, rank[turn.batch]}];
      one.lines += 1;
      one.from.insert(rank[before.batch]);
      waits[turn.batch] = 1;
      shares[body] = 1;
    }
  }

  HaloCount count;
  count.ranks = ranks;
  count.colours = graph.colour_count();
  count.mean_constraints = static_cast<double>(graph.constraint_count()) / ranks;
  count.most_constraints = *std::max_element(constraints.begin(), constraints.end());
  count.by_colour = count_colours(schedule, rank, waits, ranks);
  std::map<int, std::set<int>> neighbours;
  for (const auto& [key, one] : got) {
    ColourCount& colour = count.by_colour[static_cast<std::size_t>(key.first)];
    colour.messages = std::max(colour.messages, static_cast<double>(one.from.size()));
    colour.bytes = std::max(colour.bytes, kBytesOfLine * one.lines);
    neighbours[key.second].insert(one.from.begin(), one.from.end());
    count.total_bytes += kBytesOfLine * one.lines;
  }
  for (const ColourCount& colour : count.by_colour) {
    count.messages += colour.messages;
    count.bytes += colour.bytes;
    count.interior += colour.interior;
  }
  for (const auto& [own, others] : neighbours) {
    count.most_neighbours = std::max(count.most_neighbours, static_cast<double>(others.size()));
  }
  double shared = 0;
  const auto* arena = graph.ldy().diagonal_arena().data();
  for (Index b = 0; b < schedule.batch_count(); ++b) {
    for (Index i = schedule.first[b]; i < schedule.first[b + 1]; ++i) {
      const auto couplings =
          graph.ldy().factor()->couplings(static_cast<Index>(&graph.ldy().row(schedule.sequence[i]) - arena));
      shared += std::any_of(couplings.begin(), couplings.end(), [&](const Coupling& c) { return shares[c.body] != 0; });
    }
  }
  count.shared = graph.constraint_count() == 0 ? 0 : shared / static_cast<double>(graph.constraint_count());
  return count;
}

}  // namespace locdyn::distributed
