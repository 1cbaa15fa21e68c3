#include <locdyn/solver/pyramid/pyramid_pgs.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/ldy/row_product.hpp>
#include <locdyn/solver/local/law_block.hpp>
#include <locdyn/solver/patience.hpp>
#include <locdyn/solver/pyramid/polygon_friction.hpp>
#include <locdyn/solver/pyramid/pyramid_laws.hpp>
#include <locdyn/solver/pyramid/pyramid_residual.hpp>

namespace locdyn::detail {
namespace {

constexpr double kBeyondRecovery = 1e8;  // of the first residual, or of ‖b‖ where that is more

/// The rows of one bilateral constraint.
struct EqualityBlock {
  Index first;  ///< place of its first row in the arena
  Law law;
  LawBlock solver;
};

/// The rows of one contact.
struct InequalityBlock {
  Index at;
  double friction;
  Eigen::Vector3d shift;
  bool planar;
  int facet;  ///< where R_t lay last
};

EqualityBlock equality_block(LocalDynamics& ldy, ConstraintId id, const Law& law) {
  const int blocks = block_count(law);
  Eigen::MatrixXd W(3 * blocks, 3 * blocks);
  for (int k = 0; k < blocks; ++k) {
    for (int l = 0; l < blocks; ++l) {
      W.block<3, 3>(3 * k, 3 * l) = k == l ? ldy.row(id, k).W : ldy.find(id, k, id, l)->W;
    }
  }
  return {static_cast<Index>(&ldy.row(id) - ldy.diagonal_arena().data()), law, law_block(law, W)};
}

class Sweep {
 public:
  Sweep(LocalDynamics& ldy, const FrictionPyramid& pyramid) : ldy_(ldy), pyramid_(pyramid) {
    for (const DiagonalBlock& row : ldy.rows()) {
      const Law& law = ldy.law(row.constraint);
      if (&ldy.row(row.constraint) != &row) continue;
      if (!is_contact(law)) {
        equalities_.push_back(equality_block(ldy, row.constraint, law));
        continue;
      }
      const auto at = static_cast<Index>(&row - ldy.diagonal_arena().data());
      inequalities_.push_back({at, friction_discs(law).sliding[0], offset(law, 0), rows(law, 0) == kRowsPlanar, 0});
    }
  }

  void operator()() {
    for (const EqualityBlock& block : equalities_) update(block);
    for (InequalityBlock& block : inequalities_) update(block);
  }

 private:
  // R ← R − (W_αα + C)⁺ (U + σ + C R).
  void update(const EqualityBlock& block) {
    const auto diagonal = ldy_.diagonal_arena();
    std::array<Eigen::Vector3d, kMaxLawBlocks> U_hat, step;
    const int blocks = block_count(block.law);
    for (int k = 0; k < blocks; ++k) {
      const DiagonalBlock& row = diagonal[block.first + k];
      U_hat[k] = row.B + row_product(ldy_, row) + offset(block.law, k) + compliance(block.law, k).cwiseProduct(row.R);
      for (int axis = 0; axis < 3; ++axis) {
        if (!uses(rows(block.law, k), axis)) U_hat[k][axis] = 0;
      }
    }
    const auto count = static_cast<std::size_t>(blocks);
    solve(block.solver, {U_hat.data(), count}, {step.data(), count});
    for (int k = 0; k < blocks; ++k) diagonal[block.first + k].R += step[k];
  }

  void update(InequalityBlock& block) {
    DiagonalBlock& row = ldy_.diagonal_arena()[block.at];
    Eigen::Vector3d free = row.B + block.shift + off_diagonal_product(ldy_, row);

    // The normal row, clamped at zero.
    const double W_nn = row.W(2, 2);
    if (W_nn > 0) {
      const double U_n = free[2] + row.W.row(2).dot(row.R);
      row.R[2] = std::max(0.0, row.R[2] - U_n / W_nn);
    }

    // The tangential rows, under the bound that this leaves.
    const double radius = block.friction * row.R[2];
    const Eigen::Vector2d q = free.head<2>() + row.W.topRightCorner<2, 1>() * row.R[2];
    if (block.planar) {
      const double W_tt = row.W(0, 0);
      row.R[0] = std::clamp(W_tt > 0 ? -q[0] / W_tt : 0.0, -radius, radius);
    } else {
      row.R.head<2>() = polygon_friction(row.W.topLeftCorner<2, 2>(), q, radius, pyramid_, block.facet);
    }
  }

  LocalDynamics& ldy_;
  const FrictionPyramid& pyramid_;
  std::vector<EqualityBlock> equalities_;
  std::vector<InequalityBlock> inequalities_;
};

// Full residuals are taken ever more sparsely, so that they cost less than a tenth of the sweeps.
long next_check(long sweep) {
  return sweep + std::clamp(sweep / 8, 4L, 50L);
}

}  // namespace

SolveReport solve_pyramid_pgs(LocalDynamics& ldy, const PyramidPgsOptions& options) {
  const FrictionPyramid pyramid(options.facets);
  if (options.stall_sweeps < 1) {
    throw std::invalid_argument("pyramid-pgs: stall_sweeps: expected at least 1, found " +
                                std::to_string(options.stall_sweeps));
  }
  check_pyramid_laws(ldy, "pyramid-pgs");
  const StopOptions& stop = options.stop;
  IterateWatch watch(ldy, stop, "pyramid-pgs", [&pyramid](LocalDynamics& graph, int threads) {
    return evaluate_pyramid_residual(graph, pyramid, threads);
  });
  Sweep sweep(ldy, pyramid);
  watch.report().stages.setup = watch.seconds();
  const double products = static_cast<double>(ldy.row_count() + ldy.off_diagonal_count());

  const double entry = watch.judge(0);
  Patience patience(Patience::kOnePercentLess, options.stall_sweeps, entry);
  long done = 0;
  while (!watch.over(done)) {
    const double before = watch.seconds();
    const long from = done;
    const long until = std::min(next_check(done), stop.max_iterations);
    do {
      sweep();
      ++done;
    } while (done < until && !watch.out_of_time());
    watch.report().block_products += products * static_cast<double>(done - from);
    watch.report().stages.sweeps += watch.seconds() - before;
    const double value = watch.judge(done);
    watch.end_unless_finite();
    patience.note(value, done);
    if (value > kBeyondRecovery * std::max(entry, 1.0)) {
      watch.end(SolveStatus::diverged, "the residual grew beyond 1e8 of its first value");
    }
    if (patience.spent(done)) watch.end(SolveStatus::stalled, patience.reason(done, "sweeps"));
  }
  return watch.finish(done);
}

}  // namespace locdyn::detail
