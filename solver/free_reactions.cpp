#include <locdyn/solver/free_reactions.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/convex/positive_factor.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr int kSamples = 4;
// Modes of A with an eigenvalue of λ times its mean diagonal keep (ε/λ)^kTurns of their part: 1e-12 where λ = 1e-9.
// Where rounding leaves A + ε I without a factor ε grows.
constexpr double kEpsilon = 1e-11, kEpsilonGrows = 100, kLargestEpsilon = 1e-4;
constexpr int kTurns = 6;
constexpr double kSlow = 1e-6;

using Columns = Eigen::Matrix<double, 3 * kMaxLawBlocks, Eigen::Dynamic>;

// The directions in which the reaction of one constraint may change, δ = directions · y, the columns of P.
struct Freedom {
  int first = 0;  // of its unknowns
  Columns directions{3 * kMaxLawBlocks, 0};

  [[nodiscard]] int count() const { return static_cast<int>(directions.cols()); }
  void add(const Eigen::Vector3d& force, const Eigen::Vector3d& moment = Eigen::Vector3d::Zero()) {
    directions.conservativeResize(Eigen::NoChange, directions.cols() + 1);
    directions.rightCols<1>() << force, moment;
    directions.rightCols<1>().normalize();
  }
  void add_unit(int block, int axis) {
    const Eigen::Vector3d unit = Eigen::Vector3d::Unit(axis), none = Eigen::Vector3d::Zero();
    block == 0 ? add(unit, none) : add(none, unit);
  }
};

// U + σ + C R of one block.
Eigen::Vector3d velocity(const LocalDynamics& ldy, ConstraintId id, int block) {
  const Law& law = ldy.law(id);
  const DiagonalBlock& row = ldy.row(id, block);
  return row.U + offset(law, block) + compliance(law, block).cwiseProduct(row.R);
}

void free_all(const Law& law, Freedom& freedom) {
  for (int k = 0; k < block_count(law); ++k) {
    for (int axis = 0; axis < 3; ++axis) {
      if (uses(rows(law, k), axis)) freedom.add_unit(k, axis);
    }
  }
}

// Friction on the disc of half axes E in the rows t1, t2 of a block: where it slides, what it adds for each newton of
// R_n; else its rows are free.
Eigen::Vector2d friction_on_disc(const Eigen::Vector2d& E, const Eigen::Vector2d& motion, double slow, RowMask rows,
                                 int block, Freedom& freedom) {
  const Eigen::Vector2d pull = E.cwiseProduct(motion);
  if (motion.norm() > slow && pull.norm() > 0) return -E.cwiseProduct(pull) / pull.norm();
  for (int t = 0; t < 2; ++t) {
    if (uses(rows, t) && E[t] > 0) freedom.add_unit(block, t);
  }
  return Eigen::Vector2d::Zero();
}

void free_contact(const LocalDynamics& ldy, ConstraintId id, double slow, Freedom& freedom) {
  const Law& law = ldy.law(id);
  const Eigen::Vector3d U = velocity(ldy, id, 0);
  if (U[2] > slow) return;
  if (!has_discs(law)) return free_all(law, freedom);
  const Friction friction = friction_discs(law);
  Eigen::Vector3d force = Eigen::Vector3d::UnitZ(), moment = Eigen::Vector3d::Zero();
  force.head<2>() = friction_on_disc(friction.sliding, U.head<2>(), slow, rows(law, 0), 0, freedom);
  if (block_count(law) > 1) {  // in velocities and forces at the length ℓ
    const Eigen::Vector3d turning = velocity(ldy, id, 1);
    const double rolling = friction.rolling / friction.length, torsional = friction.torsional / friction.length;
    moment.head<2>() = friction_on_disc({rolling, rolling}, turning.head<2>(), slow, rows(law, 1), 1, freedom);
    if (std::abs(turning[2]) > slow) {
      moment[2] = -std::copysign(torsional, turning[2]);
    } else if (uses(rows(law, 1), 2) && torsional > 0) {
      freedom.add_unit(1, 2);
    }
  }
  freedom.add(force, moment);
}

// Hard rows are free, and bounded ones that stick; one that slides changes with what the hard rows carry.
void free_joint(const LocalDynamics& ldy, ConstraintId id, double slow, Freedom& freedom) {
  const Law& law = ldy.law(id);
  const auto* bounded = std::get_if<BoundedLaw>(&law);
  if (bounded == nullptr) return free_all(law, freedom);
  const int blocks = bounded->blocks(), last = blocks - 1;
  Eigen::Vector3d slip = velocity(ldy, id, last);
  for (int axis = 0; axis < 3; ++axis) {
    if (!uses(bounded->bounded, axis)) slip[axis] = 0;
  }
  const bool slides = slip.norm() > slow;
  std::array<Eigen::Vector3d, kMaxLawBlocks> R;
  for (int k = 0; k < blocks; ++k) R[k] = ldy.row(id, k).R;
  const double g = bounded->load_of({R.data(), static_cast<std::size_t>(blocks)});
  for (int k = 0; k < blocks; ++k) {
    for (int axis = 0; axis < 3; ++axis) {
      if (!uses(bounded->rows(k), axis)) continue;
      if (uses(bounded->bounded_rows(k), axis)) {
        if (!slides) freedom.add_unit(k, axis);
        continue;
      }
      std::array<Eigen::Vector3d, 2> direction = {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
      direction[static_cast<std::size_t>(k)] = Eigen::Vector3d::Unit(axis);
      if (slides && g > 0) {
        const double weight = bounded->load[static_cast<std::size_t>(k)];
        direction[static_cast<std::size_t>(last)] -=
            weight * weight * R[static_cast<std::size_t>(k)][axis] / g * slip / slip.norm();
      }
      freedom.add(direction[0], direction[1]);
    }
  }
}

struct Entry {
  int column, row;
  double value;
};

class FreeSpace {
 public:
  FreeSpace(const LocalDynamics& ldy, double slow) : ldy_(ldy), freedom_(ldy.id_bound()) {
    for (const DiagonalBlock& row : ldy.rows()) {
      if (ldy.block_of(row) > 0) continue;
      Freedom& freedom = freedom_[row.constraint];
      freedom.first = unknowns_;
      is_contact(ldy.law(row.constraint)) ? free_contact(ldy, row.constraint, slow, freedom)
                                          : free_joint(ldy, row.constraint, slow, freedom);
      unknowns_ += freedom.count();
    }
    scale_.resize(ldy.diagonal_arena().size(), 1);
    for (const DiagonalBlock& row : ldy.rows()) {
      const Law& law = ldy.law(row.constraint);
      // The blocks of a law have one scale where a direction may go through both, so that it stays one.
      const int block = is_bilateral(law) ? ldy.block_of(row) : 0;
      scale_[place(row)] = std::sqrt(row_scale(ldy.row(row.constraint, block).W, rows(law, block)));
    }
    if (unknowns_ > 0) factorise();
  }

  [[nodiscard]] FreeReaction sample(std::mt19937_64& random) {
    FreeReaction delta(scale_.size(), Eigen::Vector3d::Zero());
    std::normal_distribution<double> normal;
    std::vector<double> y(static_cast<std::size_t>(unknowns_));
    for (double& component : y) component = normal(random);
    for (int turn = 0; unknowns_ > 0 && turn < kTurns; ++turn) {
      factor_.solve(y);
      for (double& component : y) component *= epsilon_;
    }
    // D y is in newtons over a mean √W; of one size again by the mean of D.
    double mean = 0;
    for (const DiagonalBlock& row : ldy_.rows()) mean += scale_[place(row)];
    mean /= static_cast<double>(std::max<std::size_t>(ldy_.row_count(), 1));
    for (const DiagonalBlock& row : ldy_.rows()) {
      const Freedom& freedom = freedom_[row.constraint];
      for (int c = 0; c < freedom.count(); ++c) {
        delta[place(row)] += scale_[place(row)] / mean * y[static_cast<std::size_t>(freedom.first + c)] *
                             freedom.directions.col(c).segment<3>(3 * ldy_.block_of(row));
      }
    }
    return delta;
  }

 private:
  [[nodiscard]] std::size_t place(const DiagonalBlock& row) const {
    return static_cast<std::size_t>(&row - ldy_.diagonal_arena().data());
  }

  void add_block(const DiagonalBlock& row, const Eigen::Matrix3d& W, const DiagonalBlock& other) {
    const Freedom& left = freedom_[row.constraint];
    const Freedom& right = freedom_[other.constraint];
    const Eigen::MatrixXd product = left.directions.middleRows<3>(3 * ldy_.block_of(row)).transpose() *
                                    (scale_[place(row)] * scale_[place(other)] * W) *
                                    right.directions.middleRows<3>(3 * ldy_.block_of(other));
    for (int j = 0; j < right.count(); ++j) {
      for (int i = 0; i < left.count(); ++i) {
        if (left.first + i >= right.first + j) {
          entries_.push_back({right.first + j, left.first + i, product(i, j)});
        }
      }
    }
  }

  void factorise() {
    double trace = 0;
    for (const DiagonalBlock& row : ldy_.rows()) {
      Eigen::Matrix3d W = 0.5 * (row.W + row.W.transpose());
      W.diagonal() += compliance(ldy_.law(row.constraint), ldy_.block_of(row));
      add_block(row, W, row);
      for (const OffDiagonalBlock& block : ldy_.adjacent(row))
        add_block(row, block.W, ldy_.diagonal_arena()[block.other]);
    }
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return std::tie(a.column, a.row) < std::tie(b.column, b.row); });
    LowerTriangle A;
    A.start.push_back(0);
    std::vector<std::size_t> diagonal;
    std::size_t at = 0;
    for (int column = 0; column < unknowns_; ++column) {
      diagonal.push_back(A.row.size());
      while (at < entries_.size() && entries_[at].column == column) {
        const int row = entries_[at].row;
        double sum = 0;
        for (; at < entries_.size() && entries_[at].column == column && entries_[at].row == row; ++at) {
          sum += entries_[at].value;
        }
        A.row.push_back(row);
        A.value.push_back(sum);
      }
      A.start.push_back(static_cast<int>(A.row.size()));
      trace += A.value[diagonal.back()];
    }
    entries_.clear();
    const double size = trace > 0 ? trace / unknowns_ : 1;
    double added = 0;
    factor_.analyse(A);
    for (double share = kEpsilon; share <= kLargestEpsilon; share *= kEpsilonGrows) {
      epsilon_ = share * size;
      for (const std::size_t place : diagonal) A.value[place] += epsilon_ - added;
      added = epsilon_;
      if (factor_.factorise(A)) return;
    }
    throw std::runtime_error("free reactions: expected a positive semidefinite W, found one without a factor");
  }

  const LocalDynamics& ldy_;
  std::vector<Freedom> freedom_;  // by constraint
  std::vector<double> scale_;     // D, by place
  int unknowns_ = 0;
  std::vector<Entry> entries_;
  double epsilon_ = 0;
  PositiveFactor factor_;
};

}  // namespace

std::vector<FreeReaction> free_reactions(const LocalDynamics& ldy, double slow) {
  if (!(slow >= 0 && std::isfinite(slow))) {
    throw std::invalid_argument("free reactions: expected a finite velocity of at least 0, found " +
                                std::to_string(slow));
  }
  FreeSpace space(ldy, slow);
  std::mt19937_64 random(1);
  std::vector<FreeReaction> samples;
  for (int k = 0; k < kSamples; ++k) samples.push_back(space.sample(random));
  return samples;
}

std::vector<FreeReaction> free_reactions(const LocalDynamics& ldy) {
  double largest = 0;
  for (const DiagonalBlock& row : ldy.rows()) {
    largest = std::max(largest, (row.B + offset(ldy.law(row.constraint), ldy.block_of(row))).norm());
  }
  return free_reactions(ldy, kSlow * largest);
}

}  // namespace locdyn
