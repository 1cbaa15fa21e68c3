#include <locdyn/simulation/stepping/gap_projection.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include <locdyn/solver/nsgs/dissection.hpp>
#include <locdyn/solver/nsgs/for_each_batch.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>

namespace locdyn::detail {
namespace {

constexpr int kNormal = 2;  // the row of H

// The normal row's H and Y of a body, one behind the other in `NormalSweep::factors_`.
struct Side {
  std::size_t factors, freedom;  // where they begin, where the body's displacement does
  std::uint32_t freedoms;
};

struct NormalRow {
  std::uint32_t first_side, sides;
  double sigma, R, W;
};

// H d in two sums, so that one product need not wait for the one before; `n` folds to a constant where the caller
// gives one.
[[gnu::always_inline]] inline double product(std::uint32_t n, const double* H, const double* d) {
  double even = 0, odd = 0;
  for (std::uint32_t i = 0; i + 1 < n; i += 2) {
    even += H[i] * d[i];
    odd += H[i + 1] * d[i + 1];
  }
  return n % 2 == 0 ? even + odd : even + odd + H[n - 1] * d[n - 1];
}
[[gnu::always_inline]] inline void add(std::uint32_t n, const double* Y, double change, double* d) {
  for (std::uint32_t i = 0; i < n; ++i) d[i] += Y[i] * change;
}

class NormalSweep {
 public:
  NormalSweep(SweepSchedule schedule, int threads, Displacements& displacement)
      : schedule_(std::move(schedule)),
        threads_(schedule_.batch_count() > 1 ? threads : 1),
        displacement_(displacement),
        sums_(schedule_.batch_count()) {}

  // The rows of the schedule's constraints; sigma: by place in its sequence. They are copied: in the kinematics they
  // lie further apart: a visit in islands of thousands took 21.6 ns from there and takes 11.4, of hundreds 10.8
  // and 9.7.
  void take_rows(const LocalDynamics& graph, const Kinematics& kinematics, std::span<const double> sigma) {
    const auto* arena = graph.diagonal_arena().data();
    rows_.reserve(schedule_.sequence.size());
    sides_.reserve(2 * schedule_.sequence.size());
    factors_.reserve(24 * schedule_.sequence.size());
    for (Index batch = 0; batch < schedule_.batch_count(); ++batch) {
      first_row_.push_back(rows_.size());
      for (Index i = schedule_.first[batch]; i < schedule_.first[batch + 1]; ++i) {
        const DiagonalBlock& row = graph.row(schedule_.sequence[i]);
        const double W = row.W(kNormal, kNormal);
        if (!(W > 0)) continue;
        const auto couplings = kinematics.couplings(static_cast<Index>(&row - arena));
        rows_.push_back(
            {static_cast<std::uint32_t>(sides_.size()), static_cast<std::uint32_t>(couplings.size()), sigma[i], 0, W});
        for (const Coupling& c : couplings) take_side(kinematics, c);
      }
    }
    first_row_.push_back(rows_.size());
  }

  // ‖W ΔR‖ over the rows [m].
  double run() {
    return norm_of([this](NormalRow& row) {
      const double change = step_of(row);
      if (change == 0) return 0.0;
      row.R += change;
      push(row, change);
      return change * row.W;
    });
  }
  // ‖W (R − max(0, R − U/W))‖: what `run` would change if rows did not see each other's changes.
  [[nodiscard]] double residual() {
    return norm_of([this](const NormalRow& row) { return step_of(row) * row.W; });
  }
  // Takes back what all rows have done.
  void undo() {
    for (const Side& side : sides_) std::fill_n(&displacement_[side.freedom], side.freedoms, 0.0);
  }

 private:
  // Of work(row) of all rows; sums over batches are added in order.
  template <class Work>
  double norm_of(const Work& work) {
    for_each_batch(schedule_, SweepDirection::forward, threads_, [&](Index batch) {
      double sum = 0;
      for (std::size_t i = first_row_[batch]; i < first_row_[batch + 1]; ++i) {
        const double of_row = work(rows_[i]);
        sum += of_row * of_row;
      }
      sums_[batch] = sum;
    });
    return std::sqrt(std::accumulate(sums_.begin(), sums_.end(), 0.0));
  }
  void take_side(const Kinematics& kinematics, const Coupling& c) {
    const std::uint32_t n = c.freedoms;
    sides_.push_back({factors_.size(), kinematics.first_freedom(c.body), n});
    const double* H = kinematics.jacobian(c) + kNormal;
    for (std::uint32_t i = 0; i < n; ++i) factors_.push_back(H[4 * i]);
    const double* Y = kinematics.response(c) + std::size_t{kNormal} * n;
    factors_.insert(factors_.end(), Y, Y + n);
  }
  [[nodiscard]] std::span<const Side> sides_of(const NormalRow& row) const {
    return {sides_.data() + row.first_side, row.sides};
  }
  [[nodiscard]] double step_of(const NormalRow& row) const {
    double U = row.sigma;
    for (const Side& side : sides_of(row)) {
      const double* H = factors_.data() + side.factors;
      const double* d = &displacement_[side.freedom];
      U += side.freedoms == 6 ? product(6, H, d) : product(side.freedoms, H, d);
    }
    return std::max(-row.R, -U / row.W);
  }
  void push(const NormalRow& row, double change) {
    for (const Side& side : sides_of(row)) {
      const double* Y = factors_.data() + side.factors + side.freedoms;
      double* d = &displacement_[side.freedom];
      side.freedoms == 6 ? add(6, Y, change, d) : add(side.freedoms, Y, change, d);
    }
  }

  SweepSchedule schedule_;
  int threads_;
  Displacements& displacement_;
  std::vector<NormalRow> rows_;
  std::vector<Side> sides_;             // of one row after the other
  std::vector<double> factors_;         // H and Y of one side after the other
  std::vector<std::size_t> first_row_;  // by batch, one more at the end
  std::vector<double> sums_;            // by batch
};

// As sweeps of a solve: in the order given, of many constraints by domains.
SweepSchedule schedule_of(const LocalDynamics& graph, std::span<const ConstraintId> ids) {
  std::vector<ConstraintId> sequence(ids.begin(), ids.end());
  if (ids.size() >= kDissectedFrom) return dissected_schedule_of(graph, std::move(sequence));
  const auto count = static_cast<Index>(sequence.size());
  return {.sequence = std::move(sequence), .first = {0, count}, .colour = {0, 1}};
}

}  // namespace

bool project_gaps(const LocalDynamics& graph, const Kinematics& kinematics, std::span<const ConstraintId> ids,
                  std::span<const double> sigma, const GapProjectionOptions& options, Displacements& displacement) {
  SweepSchedule schedule = schedule_of(graph, ids);
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
