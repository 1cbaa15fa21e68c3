#include <locdyn/solver/schwarz/patches.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

#include <locdyn/ldy/component_visit.hpp>
#include <locdyn/ldy/row_product.hpp>
#include <locdyn/solver/residual_core.hpp>

namespace locdyn::detail {
namespace {

double spread(const LocalDynamics& ldy, std::size_t core) {
  return static_cast<double>(core) / static_cast<double>(std::max<std::size_t>(1, ldy.constraint_count()));
}

// Adds the neighbours of members[from …] that are not in yet; false where there is no room for all.
bool add_ring(const LocalDynamics& ldy, std::size_t from, std::size_t largest, std::vector<ConstraintId>& members,
              std::vector<char>& in) {
  const std::size_t end = members.size();
  for (std::size_t i = from; i < end; ++i) {
    for (const OffDiagonalBlock& block : ldy.adjacent(ldy.row(members[i]))) {
      const ConstraintId neighbour = ldy.diagonal_arena()[block.other].constraint;
      if (in[neighbour] != 0) continue;
      if (members.size() >= largest) return false;
      in[neighbour] = 1;
      members.push_back(neighbour);
    }
  }
  return true;
}

// The constraints chosen, in sweep order, split where nothing links them; `in` says which are left.
std::vector<Patch> split(const LocalDynamics& ldy, std::vector<ConstraintId> members, std::vector<char>& in) {
  const auto in_sweep_order = [&](ConstraintId a, ConstraintId b) { return &ldy.row(a) < &ldy.row(b); };
  std::sort(members.begin(), members.end(), in_sweep_order);
  std::vector<Patch> patches;
  std::vector<ConstraintId> open;
  for (const ConstraintId seed : members) {
    if (in[seed] == 0) continue;
    Patch& patch = patches.emplace_back();
    visit_component(ldy, seed, open, [&](ConstraintId id) {
      if (in[id] == 0) return false;
      in[id] = 0;
      patch.push_back(id);
      return true;
    });
    std::sort(patch.begin(), patch.end(), in_sweep_order);
  }
  return patches;
}

}  // namespace

double spread_of_residual(const LocalDynamics& ldy, double cover, int threads) {
  return spread(ldy, residual_core(ldy, cover, threads).size());
}

Patches find_patches(const LocalDynamics& ldy, const PatchOptions& options, int threads) {
  std::vector<ConstraintId> members = residual_core(ldy, options.cover, threads);
  const std::size_t core = members.size();
  members.resize(std::min(core, options.largest));
  std::vector<char> in(ldy.id_bound(), 0);
  for (const ConstraintId id : members) in[id] = 1;
  std::size_t from = 0;
  for (int ring = 0; ring < options.rings; ++ring) {
    const std::size_t end = members.size();
    if (!add_ring(ldy, from, options.largest, members, in)) break;
    from = end;
  }
  return {.patch = split(ldy, std::move(members), in), .spread = spread(ldy, core)};
}

std::vector<LocalDynamics> extract_patches(const LocalDynamics& ldy, const std::vector<Patch>& patches) {
  std::vector<LocalDynamics> graphs =
      ldy.extract(std::vector<std::span<const ConstraintId>>(patches.begin(), patches.end()));
  for (std::size_t p = 0; p < patches.size(); ++p) {
    for (std::size_t i = 0; i < patches[p].size(); ++i) {
      const auto id = static_cast<ConstraintId>(i);
      for (int k = 0; k < block_count(graphs[p].law(id)); ++k) {
        DiagonalBlock& row = graphs[p].row(id, k);
        row.B = ldy.row(patches[p][i], k).U - row_product(graphs[p], row);
      }
    }
  }
  return graphs;
}

}  // namespace locdyn::detail
