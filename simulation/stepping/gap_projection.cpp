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

// Σ H_i d_i and d_i += Y_i c over n velocities; `n` folds to a constant where the caller gives one.
[[gnu::always_inline]] inline double normal_product(std::uint32_t n, const double* H, const double* d) {
  double sum = 0;
  for (std::uint32_t i = 0; i < n; ++i) sum += H[4 * i] * d[i];
  return sum;
}
[[gnu::always_inline]] inline void add_change(std::uint32_t n, const double* Y, double c, double* d) {
  for (std::uint32_t i = 0; i < n; ++i) d[i] += Y[i] * c;
}

struct NormalRow {
  std::span<const Coupling> couplings;
  double sigma, R, W;
};

class NormalSweep {
 public:
  NormalSweep(const Kinematics& kinematics, SweepSchedule schedule, int threads, Displacements& displacement)
      : kinematics_(kinematics),
        schedule_(std::move(schedule)),
        threads_(schedule_.batch_count() > 1 ? threads : 1),
        displacement_(displacement),
        sums_(schedule_.batch_count()) {}

  // The rows of the schedule's constraints; sigma: by place in its sequence.
  void take_rows(const LocalDynamics& graph, std::span<const double> sigma) {
    const auto* arena = graph.diagonal_arena().data();
    for (Index batch = 0; batch < schedule_.batch_count(); ++batch) {
      first_row_.push_back(rows_.size());
      for (Index i = schedule_.first[batch]; i < schedule_.first[batch + 1]; ++i) {
        const DiagonalBlock& row = graph.row(schedule_.sequence[i]);
        const double W = row.W(kNormal, kNormal);
        if (W > 0) rows_.push_back({kinematics_.couplings(static_cast<Index>(&row - arena)), sigma[i], 0, W});
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
    for (const NormalRow& row : rows_) {
      for (const Coupling& c : row.couplings) {
        std::fill_n(&displacement_[kinematics_.first_freedom(c.body)], c.freedoms, 0.0);
      }
    }
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
  [[nodiscard]] double step_of(const NormalRow& row) const {
    double U = row.sigma;
    for (const Coupling& c : row.couplings) {
      const double* H = kinematics_.jacobian(c) + kNormal;
      const double* d = &displacement_[kinematics_.first_freedom(c.body)];
      U += c.freedoms == 6 ? normal_product(6, H, d) : normal_product(c.freedoms, H, d);
    }
    return std::max(-row.R, -U / row.W);
  }
  void push(const NormalRow& row, double change) {
    for (const Coupling& c : row.couplings) {
      const double* Y = kinematics_.response(c) + std::size_t{kNormal} * c.freedoms;
      double* d = &displacement_[kinematics_.first_freedom(c.body)];
      c.freedoms == 6 ? add_change(6, Y, change, d) : add_change(c.freedoms, Y, change, d);
    }
  }

  const Kinematics& kinematics_;
  SweepSchedule schedule_;
  int threads_;
  Displacements& displacement_;
  std::vector<NormalRow> rows_;
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

  NormalSweep sweep(kinematics, std::move(schedule), options.threads, displacement);
  sweep.take_rows(graph, in_order);
  double sigma2 = 0;
  for (const double s : sigma) sigma2 += s * s;
  const double norm = std::sqrt(sigma2);
  for (int k = 0; k < options.sweeps && sweep.run() > options.tolerance * norm; ++k) {
  }
  if (sweep.residual() < options.accepted * norm) return true;
  sweep.undo();
  return false;
}

}  // namespace locdyn::detail
