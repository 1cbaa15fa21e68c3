#include <locdyn/simulation/stepping/gap_projection.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

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
  NormalSweep(const Kinematics& kinematics, Displacements& displacement)
      : kinematics_(kinematics), displacement_(displacement) {}

  void add(const DiagonalBlock& row, Index place, double sigma) {
    if (row.W(kNormal, kNormal) > 0) {
      rows_.push_back({kinematics_.couplings(place), sigma, 0, row.W(kNormal, kNormal)});
    }
  }

  // ‖W ΔR‖ over the rows [m].
  double run() {
    double change2 = 0;
    for (NormalRow& row : rows_) {
      const double change = step_of(row);
      if (change == 0) continue;
      row.R += change;
      push(row, change);
      change2 += change * row.W * (change * row.W);
    }
    return std::sqrt(change2);
  }
  // ‖W (R − max(0, R − U/W))‖: what `run` would change if rows did not see each other's changes.
  [[nodiscard]] double residual() const {
    double sum = 0;
    for (const NormalRow& row : rows_) sum += step_of(row) * row.W * (step_of(row) * row.W);
    return std::sqrt(sum);
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
  Displacements& displacement_;
  std::vector<NormalRow> rows_;
};

}  // namespace

bool project_gaps(const LocalDynamics& graph, const Kinematics& kinematics, std::span<const ConstraintId> ids,
                  std::span<const double> sigma, const GapProjectionOptions& options, Displacements& displacement) {
  NormalSweep sweep(kinematics, displacement);
  const auto* arena = graph.diagonal_arena().data();
  double sigma2 = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const DiagonalBlock& row = graph.row(ids[i]);
    sweep.add(row, static_cast<Index>(&row - arena), sigma[i]);
    sigma2 += sigma[i] * sigma[i];
  }
  const double norm = std::sqrt(sigma2);
  for (int k = 0; k < options.sweeps && sweep.run() > options.tolerance * norm; ++k) {
  }
  if (sweep.residual() < options.accepted * norm) return true;
  sweep.undo();
  return false;
}

}  // namespace locdyn::detail
