#include <locdyn/solver/nsgs/sweep.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include <locdyn/base/fetch.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/ldy/row_product.hpp>
#include <locdyn/solver/nsgs/for_each_batch.hpp>

namespace locdyn::detail {
namespace {

// Prepared contacts are fetched so many places ahead: the off-diagonal blocks that stream past meanwhile push the
// hardware's own fetching of them aside.
constexpr std::uintptr_t kContactsAhead = 4;

// A constraint is visited where its neighbours have moved by this many times the root mean square change.
constexpr double kActiveFrom = 1;
// A change below this share of what wakes a constraint is kept to itself.
constexpr double kNegligible = 1e-3;

// Addresses are computed as integers, since they may lie past the end.
inline void fetch_ahead(const ContactBlock& block) {
  fetch(reinterpret_cast<std::uintptr_t>(&block) + kContactsAhead * sizeof(ContactBlock), sizeof(ContactBlock));
}

}  // namespace

GaussSeidelSweep::GaussSeidelSweep(LocalDynamics& ldy, SweepSchedule schedule, int threads)
    : ldy_(ldy), schedule_(std::move(schedule)), threads_(threads), change2_(schedule_.batch_count()) {
  steps_.reserve(ldy.constraint_count());
  contacts_.reserve(ldy.constraint_count());
  prepare();
}

void GaussSeidelSweep::prepare() {
  steps_.clear();
  contacts_.clear();
  others_.clear();
  const auto diagonal = ldy_.diagonal_arena();
  for (const ConstraintId id : schedule_.sequence) {
    const DiagonalBlock& row = ldy_.row(id);
    const Law& law = ldy_.law(id);
    Step step{.place = static_cast<Index>(&row - diagonal.data()),
              .prepared = 0,
              .coulomb = is_coulomb(law) && rows(law, 0) == kRowsAll,
              .blocks = static_cast<std::uint8_t>(block_count(law)),
              .inverse_rho = 1 / row_scale(row.W, rows(law, 0)),
              .shift = offset(law, 0)};
    if (step.coulomb) {
      step.prepared = static_cast<Index>(contacts_.size());
      contacts_.push_back(coulomb_block(law, row.W));
    } else {
      step.prepared = static_cast<Index>(others_.size());
      others_.push_back(law_block(law, blocks_of(id, step)));
    }
    steps_.push_back(step);
  }
  searched_.assign(others_.size(), 0);
  products_per_visit_ = static_cast<double>(ldy_.row_count() + ldy_.off_diagonal_count()) /
                        static_cast<double>(std::max<std::size_t>(1, steps_.size()));
}

double GaussSeidelSweep::products() const noexcept {
  return products_per_visit_ * visits_ + std::accumulate(searched_.begin(), searched_.end(), 0.0);
}

// W of all the blocks of one law.
Eigen::MatrixXd GaussSeidelSweep::blocks_of(ConstraintId id, const Step& step) {
  Eigen::MatrixXd W(3 * step.blocks, 3 * step.blocks);
  for (int k = 0; k < step.blocks; ++k) {
    W.block<3, 3>(3 * k, 3 * k) = ldy_.row(id, k).W;
    for (int l = 0; l < step.blocks; ++l) {
      if (l != k) W.block<3, 3>(3 * k, 3 * l) = ldy_.find(id, k, id, l)->W;
    }
  }
  return W;
}

inline Eigen::Vector3d GaussSeidelSweep::load(const DiagonalBlock& row) const {
  return row.B + off_diagonal_product(ldy_, row);
}

inline double GaussSeidelSweep::solve_contact(const Step& step, double relaxation) {
  DiagonalBlock& row = ldy_.diagonal_arena()[step.place];
  const ContactBlock& block = contacts_[step.prepared];
  fetch_ahead(block);
  const Eigen::Vector3d b = load(row) + step.shift;
  Eigen::Vector3d R = block.solve(b, row.R).R;
  if (relaxation != 1) R = project_on_cone(row.R + relaxation * (R - row.R), block.friction());
  const double change2 = (R - row.R).squaredNorm();
  row.R = R;
  return change2 * step.inverse_rho * step.inverse_rho;
}

// Any other law.
double GaussSeidelSweep::solve_blocks(const Step& step, double relaxation) {
  const auto diagonal = ldy_.diagonal_arena();
  const ConstraintId id = diagonal[step.place].constraint;
  const Law& law = ldy_.law(id);
  std::array<Eigen::Vector3d, kMaxLawBlocks> b, R;
  for (int k = 0; k < step.blocks; ++k) {
    const Index place = step.place + k;
    b[k] = load(diagonal[place]) + offset(law, k);
    R[k] = diagonal[place].R;
    // The row product runs over all neighbours; those of this law belong to its own unknowns.
    for (int l = 0; l < step.blocks; ++l) {
      if (l != k) b[k] -= ldy_.find(id, k, id, l)->W * diagonal[step.place + l].R;
    }
  }
  const std::span<Eigen::Vector3d> reaction(R.data(), step.blocks);
  searched_[step.prepared] += detail::solve(others_[step.prepared], {b.data(), step.blocks}, reaction);
  if (relaxation != 1) {
    for (int k = 0; k < step.blocks; ++k) {
      const Eigen::Vector3d& before = diagonal[step.place + k].R;
      R[k] = before + relaxation * (R[k] - before);
    }
    project(law, reaction);
  }
  double change2 = 0;
  for (int k = 0; k < step.blocks; ++k) {
    DiagonalBlock& row = diagonal[step.place + k];
    change2 += (R[k] - row.R).squaredNorm();
    row.R = R[k];
  }
  return change2 * step.inverse_rho * step.inverse_rho;
}

inline double GaussSeidelSweep::solve(const Step& step, double relaxation) {
  return step.coulomb ? solve_contact(step, relaxation) : solve_blocks(step, relaxation);
}

double GaussSeidelSweep::run(SweepDirection direction, double relaxation) {
  for_each_batch(schedule_, direction, threads_, [&](Index batch) {
    const auto first = steps_.begin() + schedule_.first[batch], last = steps_.begin() + schedule_.first[batch + 1];
    double change2 = 0;
    if (direction == SweepDirection::forward) {
      for (auto step = first; step != last; ++step) change2 += solve(*step, relaxation);
    } else {
      for (auto step = last; step != first;) change2 += solve(*--step, relaxation);
    }
    change2_[batch] = change2;
  });
  visits_ += static_cast<double>(steps_.size());
  return std::sqrt(std::accumulate(change2_.begin(), change2_.end(), 0.0));
}

void GaussSeidelSweep::track_changes() {
  if (!pending_change_.empty()) return;
  pending_change_.assign(ldy_.diagonal_arena().size(), 0.0);
  first_row_.resize(pending_change_.size());
  for (const Step& step : steps_) {
    for (Index place = step.place; place < step.place + step.blocks; ++place) first_row_[place] = step.place;
  }
}

inline void GaussSeidelSweep::tell_neighbours(Index first, Index blocks, double change) {
  const auto diagonal = ldy_.diagonal_arena();
  for (Index place = first; place < first + blocks; ++place) {
    for (const OffDiagonalBlock& block : std::as_const(ldy_).adjacent(diagonal[place])) {
      pending_change_[first_row_[block.other]] += change;
    }
  }
}

void GaussSeidelSweep::activate_neighbours(std::span<const ConstraintId> constraints) {
  track_changes();
  const auto* arena = ldy_.diagonal_arena().data();
  for (const ConstraintId id : constraints) {
    tell_neighbours(static_cast<Index>(&ldy_.row(id) - arena), static_cast<Index>(block_count(ldy_.law(id))),
                    least_change_);
  }
}

double GaussSeidelSweep::run_active(double relaxation) {
  if (schedule_.batch_count() > 1) return run(SweepDirection::forward, relaxation);
  track_changes();
  const auto count = static_cast<double>(steps_.size());
  double change2 = 0;
  for (double visited = 0; visited < count;) {
    change2 = 0;
    for (const Step& step : steps_) {
      if (pending_change_[step.place] < least_change_) continue;
      const double step2 = solve(step, relaxation);
      const double change = std::sqrt(step2);
      if (change > kNegligible * least_change_) tell_neighbours(step.place, step.blocks, change);
      pending_change_[step.place] = 0;
      change2 += step2;
      ++visited;
      ++visits_;
    }
    least_change_ = kActiveFrom * std::sqrt(change2 / count);
  }
  return std::sqrt(change2 + count * least_change_ * least_change_);
}

}  // namespace locdyn::detail
