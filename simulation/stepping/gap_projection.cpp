#include <locdyn/simulation/stepping/gap_projection.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include <locdyn/ldy/instruction_set.hpp>
#include <locdyn/ldy/lanes_anywhere.hpp>
#include <locdyn/solver/nsgs/dissection.hpp>
#include <locdyn/solver/nsgs/for_each_batch.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>

namespace locdyn::detail {
namespace {

constexpr int kNormal = 2;  // the row of H
constexpr std::uint32_t kRegister = Displacements::kRegister;

std::uint32_t registers(std::size_t numbers) {
  return static_cast<std::uint32_t>((numbers + kRegister - 1) / kRegister);
}

// The normal row's H and Y of a body, one behind the other in `NormalSweep::factors_`, each filled up with zeros.
struct Side {
  std::size_t factors;
  double* displacement;
  std::uint32_t registers;
};

struct NormalRow {
  std::uint32_t first_side, sides;
  double sigma, R, W, inverse_W;
};

class NormalSweep {
 public:
  NormalSweep(SweepSchedule schedule, int threads, Displacements& displacement)
      : schedule_(std::move(schedule)),
        threads_(schedule_.batch_count() > 1 ? threads : 1),
        displacement_(displacement),
        sums_(schedule_.batch_count()) {}

  // The rows of the schedule's constraints; sigma: by place in its sequence. They are copied: in the kinematics they
  // lie further apart.
  void take_rows(const LocalDynamics& graph, const Kinematics& kinematics, std::span<const double> sigma) {
    const auto* arena = graph.diagonal_arena().data();
    rows_.reserve(schedule_.sequence.size());
    sides_.reserve(2 * schedule_.sequence.size());
    factors_.reserve(32 * schedule_.sequence.size());
    for (Index batch = 0; batch < schedule_.batch_count(); ++batch) {
      first_row_.push_back(rows_.size());
      for (Index i = schedule_.first[batch]; i < schedule_.first[batch + 1]; ++i) {
        const DiagonalBlock& row = graph.row(schedule_.sequence[i]);
        const double W = row.W(kNormal, kNormal);
        if (!(W > 0)) continue;
        const auto couplings = kinematics.couplings(static_cast<Index>(&row - arena));
        rows_.push_back({static_cast<std::uint32_t>(sides_.size()), static_cast<std::uint32_t>(couplings.size()),
                         sigma[i], 0, W, 1 / W});
        for (const Coupling& c : couplings) take_side(kinematics, c);
      }
    }
    first_row_.push_back(rows_.size());
  }

  // ‖W ΔR‖ over the rows [m].
  double run() { return norm_of<true>(); }
  // ‖W (R − max(0, R − U/W))‖: what `run` would change if rows did not see each other's changes.
  [[nodiscard]] double residual() { return norm_of<false>(); }
  // Takes back what all rows have done.
  void undo() {
    for (const Side& side : sides_) std::fill_n(side.displacement, kRegister * side.registers, 0.0);
  }

 private:
  // Sums over batches are added in order.
  template <bool moves>
  double norm_of() {
    for_each_batch(schedule_, SweepDirection::forward, threads_, [this](Index batch) {
      const auto rows = std::span(rows_).subspan(first_row_[batch], first_row_[batch + 1] - first_row_[batch]);
      sums_[batch] = visit<moves>(rows);
    });
    return std::sqrt(std::accumulate(sums_.begin(), sums_.end(), 0.0));
  }
  template <bool moves>
  double visit(std::span<NormalRow> rows) {
#if defined(__x86_64__)
    if (has_avx2()) return visit_avx2<moves>(rows);
#endif
    return visit_anywhere<moves>(rows);
  }
#if defined(__x86_64__)
  template <bool moves>
  [[gnu::target("avx2")]] double visit_avx2(std::span<NormalRow> rows) {
    return visit_anywhere<moves>(rows);
  }
#endif
  // Σ (W ΔR)²; the bodies follow where `moves`.
  template <bool moves>
  [[gnu::always_inline]] double visit_anywhere(std::span<NormalRow> rows) {
    double sum = 0;
    for (NormalRow& row : rows) {
      const double change = std::max(-row.R, -(row.sigma + motion(row)) * row.inverse_W);
      if (change == 0) continue;
      sum += change * row.W * (change * row.W);
      if constexpr (moves) {
        row.R += change;
        push(row, change);
      }
    }
    return sum;
  }
  void take_side(const Kinematics& kinematics, const Coupling& c) {
    const std::size_t n = c.freedoms, padded = std::size_t{kRegister} * registers(n), begin = factors_.size();
    sides_.push_back({begin, displacement_.of(c.body).data(), registers(n)});
    factors_.resize(begin + 2 * padded);
    const double* H = kinematics.jacobian(c) + kNormal;
    const double* Y = kinematics.response(c) + kNormal * n;
    double* factors = factors_.data() + begin;
    for (std::size_t i = 0; i < padded; ++i) {
      factors[i] = i < n ? H[4 * i] : 0;
      factors[padded + i] = i < n ? Y[i] : 0;
    }
  }
  [[nodiscard]] std::span<const Side> sides_of(const NormalRow& row) const {
    return {sides_.data() + row.first_side, row.sides};
  }
  // H d.
  [[gnu::always_inline]] [[nodiscard]] double motion(const NormalRow& row) const {
    FourLanes sum{}, factor, number;
    for (const Side& side : sides_of(row)) {
      const double* H = factors_.data() + side.factors;
      for (std::uint32_t i = 0; i < kRegister * side.registers; i += kRegister) {
        load_lanes(H + i, factor);
        load_lanes(side.displacement + i, number);
        sum += factor * number;
      }
    }
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
  }
  // d += Y ΔR.
  [[gnu::always_inline]] void push(const NormalRow& row, double change) {
    FourLanes factor, number;
    for (const Side& side : sides_of(row)) {
      const double* Y = factors_.data() + side.factors + kRegister * side.registers;
      for (std::uint32_t i = 0; i < kRegister * side.registers; i += kRegister) {
        load_lanes(Y + i, factor);
        load_lanes(side.displacement + i, number);
        store_lanes(number + factor * change, side.displacement + i);
      }
    }
  }

  SweepSchedule schedule_;
  int threads_;
  Displacements& displacement_;
  std::vector<NormalRow> rows_;
  std::vector<Side> sides_;             // of one row after the other
  Arena<double> factors_;               // H and Y of one side after the other
  std::vector<std::size_t> first_row_;  // by batch, one more at the end
  std::vector<double> sums_;            // by batch
};

// As sweeps of a solve: in the order given, of many constraints by domains.
SweepSchedule schedule_of(const LocalDynamics& graph, std::span<const ConstraintId> ids, int threads) {
  std::vector<ConstraintId> sequence(ids.begin(), ids.end());
  if (ids.size() >= kDissectedFrom) return dissected_schedule_of(graph, std::move(sequence), kDomain, threads);
  const auto count = static_cast<Index>(sequence.size());
  return {.sequence = std::move(sequence), .first = {0, count}, .colour = {0, 1}};
}

}  // namespace

Displacements::Displacements(const Kinematics& kinematics) {
  const std::size_t count = kinematics.bodies().size();
  first_.reserve(count);
  freedoms_.reserve(count);
  std::uint32_t end = 0;
  for (Index body = 0; body < count; ++body) {
    const std::size_t n = kinematics.first_freedom(body + 1) - kinematics.first_freedom(body);
    first_.push_back(end);
    freedoms_.push_back(static_cast<std::uint32_t>(n));
    end += kRegister * registers(n);
  }
  numbers_.assign(end, 0.0);
}

bool project_gaps(const LocalDynamics& graph, const Kinematics& kinematics, std::span<const ConstraintId> ids,
                  std::span<const double> sigma, const GapProjectionOptions& options, Displacements& displacement) {
  SweepSchedule schedule = schedule_of(graph, ids, options.threads);
  std::vector<double> in_order(sigma.begin(), sigma.end());
  if (schedule.batch_count() > 1) {
    std::vector<Index> place(graph.id_bound());
    for (std::size_t i = 0; i < ids.size(); ++i) place[ids[i]] = static_cast<Index>(i);
    for (std::size_t i = 0; i < ids.size(); ++i) in_order[i] = sigma[place[schedule.sequence[i]]];
  }

  NormalSweep sweep(std::move(schedule), options.threads, displacement);
  sweep.take_rows(graph, kinematics, in_order);
  double sigma2 = 0;
  for (const double s : sigma) sigma2 += s * s;
  const double norm = std::sqrt(sigma2);
  for (long k = 0; k < options.sweeps && sweep.run() > options.tolerance * norm; ++k) {
  }
  if (sweep.residual() < options.accepted * norm) return true;
  sweep.undo();
  return false;
}

}  // namespace locdyn::detail
