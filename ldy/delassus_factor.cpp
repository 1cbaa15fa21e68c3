#include <locdyn/ldy/delassus_factor.hpp>

namespace locdyn {
namespace {

constexpr std::uint32_t kNotMet = 0xffffffffu;

}  // namespace

DelassusFactor factor_of_rows(const DelassusFactor& factor, std::span<const std::uint32_t> rows,
                              std::vector<std::uint32_t>& room) {
  room.resize(factor.first_inertia.size(), kNotMet);  // by group: its number in this part
  auto part = std::make_shared<CouplingsOfPart>();
  part->first.reserve(rows.size() + 1);
  part->coupling.reserve(2 * rows.size());
  part->first.push_back(0);
  std::vector<std::uint32_t> met;
  for (const std::uint32_t row : rows) {
    for (const Coupling& c : factor.couplings(row)) {
      if (room[c.body] == kNotMet) {
        room[c.body] = static_cast<std::uint32_t>(met.size());
        met.push_back(c.body);
        part->first_inertia.push_back(factor.first_inertia[c.body]);
        if (!factor.level.empty()) part->level.push_back(factor.level[c.body]);
      }
      part->coupling.push_back({room[c.body], c.freedoms, c.place});
    }
    part->first.push_back(static_cast<std::uint32_t>(part->coupling.size()));
  }
  part->first_inertia.push_back(factor.inertia.size());
  for (const std::uint32_t group : met) room[group] = kNotMet;  // clean for the next part

  DelassusFactor view = factor;
  view.first = part->first;
  view.coupling = part->coupling;
  view.first_inertia = part->first_inertia;
  view.level = part->level;
  view.part = std::move(part);
  return view;
}

}  // namespace locdyn
