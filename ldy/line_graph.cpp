#include <locdyn/ldy/line_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace locdyn::detail {
namespace {

// A group that knows more others: a slab on hundreds of bodies is left alone, for it would take their square.
constexpr std::size_t kMostKnown = 200;

}  // namespace

LineGraph::LineGraph(const LocalDynamics& ldy) {
  std::vector<std::uint32_t> group_of(ldy.diagonal_arena().size());
  const auto* arena = ldy.diagonal_arena().data();
  std::map<Numbers, std::uint32_t> known;
  std::vector<const Numbers*> closed;  // by group: its rows and their neighbours
  for (const DiagonalBlock& row : ldy.rows()) {
    const auto own = static_cast<std::uint32_t>(&row - arena);
    Numbers all{own};
    for (const OffDiagonalBlock& block : ldy.adjacent(row)) all.push_back(block.other);
    std::sort(all.begin(), all.end());
    const auto [at, fresh] = known.try_emplace(std::move(all), static_cast<std::uint32_t>(rows.size()));
    if (fresh) {
      rows.emplace_back();
      closed.push_back(&at->first);
    }
    rows[at->second].push_back(own);
    group_of[own] = at->second;
  }
  for (std::uint32_t g = 0; g < rows.size(); ++g) {
    Numbers& own = neighbours.emplace_back();
    for (const std::uint32_t row : *closed[g]) {
      if (group_of[row] != g) own.push_back(group_of[row]);
    }
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
  }
}

// The group and its neighbours on either body, one where all know each other. Nothing where the two are not told apart:
// those who do not know each other are on different bodies, and all are linked so.
std::optional<std::vector<LineGraph::Numbers>> LineGraph::sides(std::uint32_t group) const {
  const Numbers& all = neighbours[group];
  std::vector<int> side(all.size(), -1);
  Numbers open;
  std::vector<Numbers> found(2, Numbers{group});
  std::size_t reached = 0;
  if (!all.empty()) {
    side[0] = 0;
    open.push_back(0);
  }
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    found[side[at]].push_back(all[at]);
    ++reached;
    for (std::uint32_t other = 0; other < all.size(); ++other) {
      if (other == at || know(all[at], all[other])) continue;
      if (side[other] == side[at]) return std::nullopt;
      if (side[other] < 0) {
        side[other] = 1 - side[at];
        open.push_back(other);
      }
    }
  }
  if (reached < all.size()) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (!know(all[i], all[j])) return std::nullopt;
      }
    }
    found = {all};
    found.front().push_back(group);
  }
  if (found.size() == 2 && found.back().size() == 1) found.pop_back();
  for (Numbers& one : found) std::sort(one.begin(), one.end());
  return found;
}

std::optional<std::vector<LineGraph::Numbers>> LineGraph::bodies() const {
  std::set<Numbers> known;
  std::vector<Numbers> bodies;
  std::vector<Numbers> of(rows.size());  // by group: its bodies
  const auto add = [&](const Numbers& body) {
    if (!known.insert(body).second) return;
    for (const std::uint32_t g : body) of[g].push_back(static_cast<std::uint32_t>(bodies.size()));
    bodies.push_back(body);
  };
  for (std::uint32_t g = 0; g < rows.size(); ++g) {
    if (neighbours[g].size() > kMostKnown) return std::nullopt;
    const auto both = sides(g);
    if (!both) continue;
    for (const Numbers& one : *both) add(one);
  }
  // Where one body of a group is told by others its neighbours that are not on that are on the other.
  for (std::uint32_t g = 0; g < rows.size(); ++g) {
    if (of[g].size() != 1) continue;
    const Numbers& one = bodies[of[g].front()];
    Numbers other{g};
    std::set_difference(neighbours[g].begin(), neighbours[g].end(), one.begin(), one.end(), std::back_inserter(other));
    std::sort(other.begin(), other.end());
    if (other.size() > 1) add(other);
  }
  if (std::any_of(of.begin(), of.end(), [](const Numbers& all) { return all.empty() || all.size() > 2; })) {
    return std::nullopt;
  }
  return bodies;
}

bool LineGraph::know(std::uint32_t a, std::uint32_t b) const {
  return std::binary_search(neighbours[a].begin(), neighbours[a].end(), b);
}

}  // namespace locdyn::detail
