#include <locdyn/solver/nsgs/anderson.hpp>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include <locdyn/ldy/islands.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {
namespace {

constexpr double kMostGrowth = 2;          // than the step before the mixing: it is taken back
constexpr double kMostOverShortest = 1.5;  // than the shortest so far: the same
constexpr double kLeastPenalty = 1e-12, kMostPenalty = 100;
constexpr double kPenaltyUp = 10, kPenaltyDown = 0.5;
constexpr double kRounding = 1e-14;  // of the trace of the Gram matrix

// Of a vector, numbers that a thread takes in one go; sums over such runs are added in their order.
constexpr Eigen::Index kRun = 3 * 256;
constexpr std::int64_t kRunsAtOnce = 2, kConstraintsAtOnce = 512;

}  // namespace

Anderson::Anderson(LocalDynamics& ldy, int threads) : ldy_(ldy), threads_(threads) {
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

// Calls work(run, first, size) for the numbers of an island.
template <class Work>
void Anderson::for_each_run(const Island& island, const Work& work) const {
  parallel_for((island.size + kRun - 1) / kRun, threads_, kRunsAtOnce, [&](std::int64_t run) {
    const Eigen::Index first = island.first + run * kRun;
    work(run, first, std::min(kRun, island.first + island.size - first));
  });
}

void Anderson::before_sweep() {
  for (const Island& island : islands_) {
    for_each_run(island, [&](std::int64_t, Eigen::Index first, Eigen::Index size) { read(first, size, x_); });
  }
}

void Anderson::after_sweep() {
  for (Island& island : islands_) advance(island);
}

// G and F of an island from the graph; ‖F‖.
double Anderson::read_step(const Island& island) {
  std::vector<double> squares(static_cast<std::size_t>((island.size + kRun - 1) / kRun));
  for_each_run(island, [&](std::int64_t run, Eigen::Index first, Eigen::Index size) {
    read(first, size, G_);
    F_.segment(first, size) = G_.segment(first, size) - x_.segment(first, size);
    squares[run] = F_.segment(first, size).squaredNorm();
  });
  return std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
}

// Of the steps in memory with a vector.
Anderson::Small Anderson::products(const Island& island, const Eigen::VectorXd& vector) const {
  std::vector<Small> of_run(static_cast<std::size_t>((island.size + kRun - 1) / kRun), Small::Zero(island.kept));
  for_each_run(island, [&](std::int64_t run, Eigen::Index first, Eigen::Index size) {
    for (int i = 0; i < island.kept; ++i) of_run[run][i] = dF_[i].segment(first, size).dot(vector.segment(first, size));
  });
  return std::accumulate(of_run.begin(), of_run.end(), Small(Small::Zero(island.kept)),
                         [](const Small& sum, const Small& run) -> Small { return sum + run; });
}

void Anderson::read(Eigen::Index first, Eigen::Index size, Eigen::VectorXd& x) const {
  const auto diagonal = std::as_const(ldy_).diagonal_arena();
  for (Eigen::Index i = first / 3; i < (first + size) / 3; ++i) x.segment<3>(3 * i) = diagonal[place_[i]].R / rho_[i];
}

void Anderson::write(Eigen::Index first, Eigen::Index size, const Eigen::VectorXd& x) {
  const auto diagonal = ldy_.diagonal_arena();
  for (Eigen::Index i = first / 3; i < (first + size) / 3; ++i) diagonal[place_[i]].R = rho_[i] * x.segment<3>(3 * i);
}

void Anderson::project_all(const Island& island) {
  parallel_for(static_cast<std::int64_t>(island.constraints), threads_, kConstraintsAtOnce, [&](std::int64_t i) {
    const ConstraintId id = constraints_[island.first_constraint + static_cast<std::size_t>(i)];
    const Law& law = ldy_.law(id);
    const int blocks = block_count(law);
    std::array<Eigen::Vector3d, kMaxLawBlocks> z;
    for (int k = 0; k < blocks; ++k) z[k] = ldy_.row(id, k).R;
    project(law, {z.data(), static_cast<std::size_t>(blocks)});
    for (int k = 0; k < blocks; ++k) ldy_.row(id, k).R = z[k];
  });
}

void Anderson::advance(Island& island) {
  const double step = read_step(island);
  if (island.mixed && !(step <= kMostGrowth * island.step && step <= kMostOverShortest * island.least)) {
    for_each_run(island, [&](std::int64_t, Eigen::Index first, Eigen::Index size) { write(first, size, last_G_); });
    island.penalty = std::min(kPenaltyUp * island.penalty, kMostPenalty);
    island.kept = island.next = 0;
    island.known = island.mixed = false;
    return;
  }
  if (island.mixed) island.penalty = std::max(kPenaltyDown * island.penalty, kLeastPenalty);
  island.mixed = false;
  island.least = std::min(island.least, step);
  remember(island);
  island.step = step;
  if (island.kept > 0 && step > 0) mix(island);
}

// This step, and where one before is known ΔF and ΔG of the two and the Gram matrix's new row.
void Anderson::remember(Island& island) {
  const int slot = island.next;
  for_each_run(island, [&](std::int64_t, Eigen::Index first, Eigen::Index size) {
    const auto own = [&](auto& vector) { return vector.segment(first, size); };
    if (island.known) {
      own(dF_[slot]) = own(F_) - own(last_F_);
      own(dG_[slot]) = own(G_) - own(last_G_);
    }
    own(last_F_) = own(F_);
    own(last_G_) = own(G_);
  });
  if (island.known) {
    island.next = (slot + 1) % kMemory;
    island.kept = std::min(island.kept + 1, kMemory);
    const Small row = products(island, dF_[slot]);
    for (int i = 0; i < island.kept; ++i) island.gram(slot, i) = island.gram(i, slot) = row[i];
  }
  island.known = true;
}

void Anderson::mix(Island& island) {
  const int count = island.kept;
  const Small right = products(island, F_);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kMemory, kMemory> gram =
      island.gram.topLeftCorner(count, count);
  gram.diagonal().array() += island.penalty * island.step * island.step + kRounding * gram.trace();
  const Small c = gram.ldlt().solve(right);
  if (!c.allFinite()) return;
  for_each_run(island, [&](std::int64_t, Eigen::Index first, Eigen::Index size) {
    const auto own = [&](auto& vector) { return vector.segment(first, size); };
    own(mixed_) = own(G_);
    for (int i = 0; i < count; ++i) own(mixed_) -= c[i] * own(dG_[i]);
    write(first, size, mixed_);
  });
  project_all(island);
  island.mixed = true;
}

}  // namespace locdyn::detail
