#include <locdyn/solver/residual_core.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {
namespace {

struct Held {
  double residual2;  // [m²/s²]
  Index place;       // of its first row
};

bool holds_less(const Held& a, const Held& b) {
  return a.residual2 < b.residual2 || (a.residual2 == b.residual2 && a.place > b.place);
}

// What each constraint holds of the squared residual; nothing of those that hold nothing.
std::vector<Held> held_by_each(const LocalDynamics& ldy, int threads) {
  const auto diagonal = ldy.diagonal_arena();
  std::vector<Held> held(diagonal.size());
  parallel_for(std::ssize(diagonal), threads, 256, [&](std::int64_t at) {
    const DiagonalBlock& row = diagonal[at];
    const bool first = row.constraint != kNone && &row == &ldy.row(row.constraint);
    held[at] = {first ? scaled_residual2(ldy, row.constraint) : 0, static_cast<Index>(at)};
  });
  std::erase_if(held, [](const Held& h) { return !(h.residual2 > 0); });
  return held;
}

}  // namespace

std::vector<ConstraintId> residual_core(const LocalDynamics& ldy, double cover, int threads) {
  std::vector<Held> held = held_by_each(ldy, threads);
  double open = 0;
  for (const Held& h : held) open += h.residual2;
  open *= cover;
  std::vector<ConstraintId> core;
  std::make_heap(held.begin(), held.end(), holds_less);
  for (auto end = held.end(); end != held.begin() && open > 0;) {
    std::pop_heap(held.begin(), end--, holds_less);
    open -= end->residual2;
    core.push_back(ldy.diagonal_arena()[end->place].constraint);
  }
  return core;
}

}  // namespace locdyn::detail
