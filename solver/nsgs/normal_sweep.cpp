#include <locdyn/solver/nsgs/normal_sweep.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include <locdyn/base/instruction_set.hpp>
#include <locdyn/base/lanes_anywhere.hpp>
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

constexpr std::size_t kRigid = 6;

// H and Y of n velocities, each filled up with zeros; `n` folds to a constant where the caller gives one.
[[gnu::always_inline]] inline void copy_normal(std::size_t n, const double* H, const double* Y, double* factors) {
  const std::size_t padded = std::size_t{kRegister} * registers(n);
  for (std::size_t i = 0; i < n; ++i) factors[i] = H[4 * i];
  std::copy_n(Y, n, factors + padded);
  for (std::size_t i = n; i < padded; ++i) factors[i] = factors[padded + i] = 0;
}

// The sides of a row on a visit. `kSides` where all are of rigid bodies, of two registers each, so that their loops are
// unrolled; else 0.
template <int kSides, class Row>
struct Sides {
  const Row& row;

  [[gnu::always_inline]] [[nodiscard]] int count() const {
    return kSides > 0 ? kSides : static_cast<int>(row.side_count);
  }
  [[gnu::always_inline]] [[nodiscard]] std::uint32_t numbers(int k) const {
    return kRegister * (kSides > 0 ? 2 : row.sides[k].registers);
  }

  // H v.
  [[gnu::always_inline]] [[nodiscard]] double motion() const {
    FourLanes sum{}, factor, number;
    const double* H = row.factors;
    for (int k = 0; k < count(); H += 2 * numbers(k), ++k) {
      for (std::uint32_t i = 0; i < numbers(k); i += kRegister) {
        load_lanes(H + i, factor);
        load_lanes(row.sides[k].velocities + i, number);
        sum += factor * number;
      }
    }
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
  }

  // v += Y ΔR.
  [[gnu::always_inline]] void push(double change) const {
    FourLanes factor, number;
    const double* H = row.factors;
    for (int k = 0; k < count(); H += 2 * numbers(k), ++k) {
      for (std::uint32_t i = 0; i < numbers(k); i += kRegister) {
        load_lanes(H + numbers(k) + i, factor);
        load_lanes(row.sides[k].velocities + i, number);
        store_lanes(number + factor * change, row.sides[k].velocities + i);
      }
    }
  }
};

// (W ΔR)²; the groups follow where `moves`.
template <bool moves, class Row, class Sides>
[[gnu::always_inline]] inline double visit_row(Row& row, const Sides& sides) {
  const double U = row.b + row.c * row.R + sides.motion();
  const double change = std::max(-row.R, -U * row.inverse_W);
  if (change == 0) return 0;
  if constexpr (moves) {
    row.R += change;
    sides.push(change);
  }
  return change * row.W * (change * row.W);
}

// Their sum over a batch.
template <bool moves, class Batch>
[[gnu::always_inline]] inline double visit_rows_anywhere(Batch& batch) {
  using Row = std::remove_reference_t<decltype(batch.rows[0])>;
  double sum = 0;
  for (auto& row : batch.rows) {
    switch (row.rigid_sides) {
      case 1: sum += visit_row<moves>(row, Sides<1, Row>{row}); break;
      case 2: sum += visit_row<moves>(row, Sides<2, Row>{row}); break;
      default: sum += visit_row<moves>(row, Sides<0, Row>{row});
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
  const auto couplings_of = [&, arena = graph.diagonal_arena().data()](ConstraintId id) {
    return factor.couplings(static_cast<Index>(&graph.row(id) - arena));
  };
  std::size_t side_count = 0, register_count = 0;
  for (const ConstraintId id : ids) {
    for (const Coupling& c : couplings_of(id)) {
      ++side_count;
      register_count += registers(c.freedoms);
    }
  }
  batch.rows.reserve(ids.size());
  batch.sides.resize(side_count);
  batch.factors.resize(2 * kRegister * register_count);
  Side* sides = batch.sides.data();
  double* factors = batch.factors.data();
  for (const ConstraintId id : ids) {
    const DiagonalBlock& block = graph.row(id);
    if (!(block.W(kNormal, kNormal) > 0)) continue;
    const Load load = load_of(id);
    const double W = block.W(kNormal, kNormal) + load.c;
    const Side* const first_side = sides;
    const double* const first_factor = factors;
    bool rigid = true;
    for (const Coupling& c : couplings_of(id)) {
      const std::size_t n = c.freedoms;
      const double* H = factor.H.data() + 4 * c.place + kNormal;
      const double* Y = factor.Y.data() + 3 * c.place + kNormal * n;
      n == kRigid ? copy_normal(kRigid, H, Y, factors) : copy_normal(n, H, Y, factors);
      *sides++ = {velocities_.of(c.body).data(), registers(n)};
      factors += 2 * std::size_t{kRegister} * registers(n);
      rigid = rigid && registers(n) == 2;
    }
    const auto count = static_cast<std::uint32_t>(sides - first_side);
    batch.rows.push_back({.b = load.b,
                          .c = load.c,
                          .R = 0,
                          .W = W,
                          .inverse_W = 1 / W,
                          .block = &block,
                          .sides = first_side,
                          .factors = first_factor,
                          .side_count = count,
                          .rigid_sides = rigid && count <= 2 ? count : 0});
  }
  batch.sides.resize(static_cast<std::size_t>(sides - batch.sides.data()));  // without those of rows left out
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
