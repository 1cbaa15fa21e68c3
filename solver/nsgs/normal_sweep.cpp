#include <locdyn/solver/nsgs/normal_sweep.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <locdyn/ldy/instruction_set.hpp>
#include <locdyn/ldy/lanes_anywhere.hpp>
#include <locdyn/solver/nsgs/dissection.hpp>
#include <locdyn/solver/nsgs/for_each_batch.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {
namespace {

constexpr int kNormal = 2;  // the row of H
constexpr std::uint32_t kRegister = PaddedVelocities::kRegister;

std::uint32_t registers(std::size_t numbers) {
  return static_cast<std::uint32_t>((numbers + kRegister - 1) / kRegister);
}

SweepSchedule schedule_of(const LocalDynamics& graph, std::vector<ConstraintId> ids, int threads) {
  if (ids.size() >= kDissectedFrom) return dissected_schedule_of(graph, std::move(ids), kDomain, threads);
  const auto count = static_cast<Index>(ids.size());
  return {.sequence = std::move(ids), .first = {0, count}, .colour = {0, 1}};
}

// H v of a row: its sides, and where their H and Y begin.
template <class Side>
[[gnu::always_inline]] inline double normal_motion(std::span<const Side> sides, const double* factors) {
  FourLanes sum{}, factor, number;
  for (const Side& side : sides) {
    const double* H = factors + side.factors;
    for (std::uint32_t i = 0; i < kRegister * side.registers; i += kRegister) {
      load_lanes(H + i, factor);
      load_lanes(side.velocities + i, number);
      sum += factor * number;
    }
  }
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

// v += Y ΔR.
template <class Side>
[[gnu::always_inline]] inline void push_normal(std::span<const Side> sides, const double* factors, double change) {
  FourLanes factor, number;
  for (const Side& side : sides) {
    const double* Y = factors + side.factors + kRegister * side.registers;
    for (std::uint32_t i = 0; i < kRegister * side.registers; i += kRegister) {
      load_lanes(Y + i, factor);
      load_lanes(side.velocities + i, number);
      store_lanes(number + factor * change, side.velocities + i);
    }
  }
}

// Σ (W ΔR)² of a batch; the groups follow where `moves`.
template <bool moves, class Batch>
[[gnu::always_inline]] inline double visit_rows_anywhere(Batch& batch) {
  double sum = 0;
  for (auto& row : batch.rows) {
    const auto sides = std::span(std::as_const(batch.sides)).subspan(row.first_side, row.sides);
    const double* factors = batch.factors.data();
    const double U = row.b + row.c * row.R + normal_motion(sides, factors);
    const double change = std::max(-row.R, -U * row.inverse_W);
    if (change == 0) continue;
    sum += change * row.W * (change * row.W);
    if constexpr (moves) {
      row.R += change;
      push_normal(sides, factors, change);
    }
  }
  return sum;
}

#if defined(__x86_64__)
template <bool moves, class Batch>
[[gnu::target("avx2")]] double visit_rows_avx2(Batch& batch) {
  return visit_rows_anywhere<moves>(batch);
}
#endif

template <bool moves, class Batch>
double visit_rows(Batch& batch) {
#if defined(__x86_64__)
  if (has_avx2()) return visit_rows_avx2<moves>(batch);
#endif
  return visit_rows_anywhere<moves>(batch);
}

}  // namespace

PaddedVelocities::PaddedVelocities(const DelassusFactor& factor)
    : first_(factor.group_count()), freedoms_(factor.group_count(), 0) {
  for (const Coupling& c : factor.coupling) freedoms_[c.body] = c.freedoms;
  std::uint32_t end = 0;
  for (std::size_t group = 0; group < first_.size(); ++group) {
    first_[group] = end;
    end += kRegister * registers(freedoms_[group]);
  }
  numbers_.assign(end, 0.0);
}

NormalSweep::NormalSweep(std::vector<ConstraintId> ids, int threads, const LocalDynamics& graph,
                         const DelassusFactor& factor, const LoadOf& load_of, PaddedVelocities& velocities)
    : schedule_(schedule_of(graph, std::move(ids), threads)),
      threads_(schedule_.batch_count() > 1 ? threads : 1),
      velocities_(velocities),
      batches_(schedule_.batch_count()) {
  in_parallel(std::ssize(batches_), threads_, 1, [&](std::int64_t batch) {
    const std::size_t begin = schedule_.first[batch], end = schedule_.first[batch + 1];
    take(std::span(schedule_.sequence).subspan(begin, end - begin), graph, factor, load_of, batches_[batch]);
  });
}

// Copied: in the factor they lie further apart.
void NormalSweep::take(std::span<const ConstraintId> ids, const LocalDynamics& graph, const DelassusFactor& factor,
                       const LoadOf& load_of, Batch& batch) {
  const auto* arena = graph.diagonal_arena().data();
  batch.rows.reserve(ids.size());
  batch.sides.reserve(2 * ids.size());
  batch.factors.reserve(32 * ids.size());
  for (const ConstraintId id : ids) {
    const DiagonalBlock& block = graph.row(id);
    if (!(block.W(kNormal, kNormal) > 0)) continue;
    const Load load = load_of(id);
    const auto couplings = factor.couplings(static_cast<Index>(&block - arena));
    const double W = block.W(kNormal, kNormal) + load.c;
    batch.rows.push_back({.first_side = static_cast<std::uint32_t>(batch.sides.size()),
                          .sides = static_cast<std::uint32_t>(couplings.size()),
                          .b = load.b,
                          .c = load.c,
                          .R = 0,
                          .W = W,
                          .inverse_W = 1 / W,
                          .block = &block});
    for (const Coupling& c : couplings) take_side(factor, c, batch);
  }
}

void NormalSweep::take_side(const DelassusFactor& factor, const Coupling& c, Batch& batch) {
  const std::size_t n = c.freedoms, padded = std::size_t{kRegister} * registers(n), begin = batch.factors.size();
  batch.sides.push_back({begin, velocities_.of(c.body).data(), registers(n)});
  batch.factors.resize(begin + 2 * padded);
  const double* H = factor.H.data() + 4 * c.place + kNormal;
  const double* Y = factor.Y.data() + 3 * c.place + kNormal * n;
  double* factors = batch.factors.data() + begin;
  for (std::size_t i = 0; i < padded; ++i) {
    factors[i] = i < n ? H[4 * i] : 0;
    factors[padded + i] = i < n ? Y[i] : 0;
  }
}

// Sums over batches are added in order.
template <bool moves>
double NormalSweep::norm_of() {
  for_each_batch(schedule_, SweepDirection::forward, threads_,
                 [this](Index batch) { batches_[batch].sum = visit_rows<moves>(batches_[batch]); });
  double sum = 0;
  for (const Batch& batch : batches_) sum += batch.sum;
  return std::sqrt(sum);
}

double NormalSweep::run() {
  return norm_of<true>();
}

double NormalSweep::residual() {
  return norm_of<false>();
}

void NormalSweep::undo() {
  for (const Batch& batch : batches_) {
    for (const Side& side : batch.sides) std::fill_n(side.velocities, kRegister * side.registers, 0.0);
  }
}

}  // namespace locdyn::detail
