#include <locdyn/solver/nsgs/anderson.hpp>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <locdyn/ldy/islands.hpp>
#include <locdyn/ldy/residual.hpp>

namespace locdyn::detail {
namespace {

constexpr double kMostGrowth = 2;          // than the step before the mixing: it is taken back
constexpr double kMostOverShortest = 1.5;  // than the shortest so far: the same
constexpr double kLeastPenalty = 1e-12, kMostPenalty = 100;
constexpr double kPenaltyUp = 10, kPenaltyDown = 0.5;
constexpr double kRounding = 1e-14;  // of the trace of the Gram matrix

}  // namespace

Anderson::Anderson(LocalDynamics& ldy) : ldy_(ldy) {
  Islands islands = find_islands(ldy);
  constraints_ = std::move(islands.members);
  for (Index i = 0; i < islands.count; ++i) {
    Island island;
    island.first = 3 * static_cast<Eigen::Index>(place_.size());
    island.first_constraint = islands.first[i];
    island.constraints = islands.first[i + 1] - islands.first[i];
    for (std::size_t c = islands.first[i]; c < islands.first[i + 1]; ++c) {
      const Law& law = ldy.law(constraints_[c]);
      for (int k = 0; k < block_count(law); ++k) {
        place_.push_back(static_cast<Index>(&ldy.row(constraints_[c], k) - ldy.diagonal_arena().data()));
        rho_.push_back(row_scale(ldy.row(constraints_[c]).W, rows(law, 0)));
      }
    }
    island.size = 3 * static_cast<Eigen::Index>(place_.size()) - island.first;
    islands_.push_back(island);
  }
  const auto numbers = 3 * static_cast<Eigen::Index>(place_.size());
  for (Eigen::VectorXd* vector : {&x_, &G_, &F_, &last_G_, &last_F_, &mixed_}) vector->setZero(numbers);
  for (int k = 0; k < kMemory; ++k) {
    dG_[k].setZero(numbers);
    dF_[k].setZero(numbers);
  }
  restart();
}

void Anderson::restart() {
  for (Island& island : islands_) {
    island.kept = island.next = 0;
    island.known = island.mixed = false;
    island.least = std::numeric_limits<double>::infinity();
    island.penalty = kLeastPenalty;
  }
}

void Anderson::read(Eigen::VectorXd& x) const {
  const auto diagonal = ldy_.diagonal_arena();
  for (std::size_t i = 0; i < place_.size(); ++i) {
    x.segment<3>(3 * static_cast<Eigen::Index>(i)) = diagonal[place_[i]].R / rho_[i];
  }
}

void Anderson::write(const Island& island, const Eigen::VectorXd& x) {
  const auto diagonal = ldy_.diagonal_arena();
  for (Eigen::Index i = island.first / 3; i < (island.first + island.size) / 3; ++i) {
    diagonal[place_[i]].R = rho_[i] * x.segment<3>(3 * i);
  }
}

void Anderson::before_sweep() {
  read(x_);
}

void Anderson::after_sweep() {
  read(G_);
  F_ = G_ - x_;
  for (Island& island : islands_) advance(island);
}

void Anderson::advance(Island& island) {
  const auto own = [&](auto& vector) { return vector.segment(island.first, island.size); };
  const double step = own(F_).norm();
  if (island.mixed && !(step <= kMostGrowth * island.step && step <= kMostOverShortest * island.least)) {
    write(island, last_G_);
    island.penalty = std::min(kPenaltyUp * island.penalty, kMostPenalty);
    island.kept = island.next = 0;
    island.known = island.mixed = false;
    return;
  }
  if (island.mixed) island.penalty = std::max(kPenaltyDown * island.penalty, kLeastPenalty);
  island.mixed = false;
  island.least = std::min(island.least, step);
  if (island.known) remember(island);
  own(last_G_) = own(G_);
  own(last_F_) = own(F_);
  island.known = true;
  island.step = step;
  if (island.kept > 0 && step > 0) mix(island);
}

// ΔF and ΔG of the last two steps, and the Gram matrix's new row.
void Anderson::remember(Island& island) {
  const auto own = [&](auto& vector) { return vector.segment(island.first, island.size); };
  const int slot = island.next;
  island.next = (slot + 1) % kMemory;
  island.kept = std::min(island.kept + 1, kMemory);
  own(dF_[slot]) = own(F_) - own(last_F_);
  own(dG_[slot]) = own(G_) - own(last_G_);
  for (int i = 0; i < island.kept; ++i) {
    island.gram(slot, i) = island.gram(i, slot) = own(dF_[slot]).dot(own(dF_[i]));
  }
}

void Anderson::mix(Island& island) {
  const auto own = [&](auto& vector) { return vector.segment(island.first, island.size); };
  const int count = island.kept;
  Small right(count);
  for (int i = 0; i < count; ++i) right[i] = own(dF_[i]).dot(own(F_));
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kMemory, kMemory> gram =
      island.gram.topLeftCorner(count, count);
  gram.diagonal().array() += island.penalty * island.step * island.step + kRounding * gram.trace();
  const Small c = gram.ldlt().solve(right);
  if (!c.allFinite()) return;
  own(mixed_) = own(G_);
  for (int i = 0; i < count; ++i) own(mixed_) -= c[i] * own(dG_[i]);
  write(island, mixed_);
  std::array<Eigen::Vector3d, kMaxLawBlocks> z;
  for (std::size_t i = island.first_constraint; i < island.first_constraint + island.constraints; ++i) {
    const ConstraintId id = constraints_[i];
    const Law& law = ldy_.law(id);
    const int blocks = block_count(law);
    for (int k = 0; k < blocks; ++k) z[k] = ldy_.row(id, k).R;
    project(law, {z.data(), static_cast<std::size_t>(blocks)});
    for (int k = 0; k < blocks; ++k) ldy_.row(id, k).R = z[k];
  }
  island.mixed = true;
}

}  // namespace locdyn::detail
