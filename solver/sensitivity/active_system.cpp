#include <locdyn/solver/sensitivity/active_system.hpp>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace locdyn::detail {
namespace {

using Square = LawLinearisation::Square;
using Column = LawLinearisation::Column;

// Of the mean tr W_αα/3. Smaller takes digits from each solve with the factor, larger takes more of them: a wall of 100
// bricks and piles of 100 and 200 balls take 4 to 22.
constexpr double kWeight = 1e-6;
constexpr int kMostSolves = 60;
constexpr double kSolved = 1e-13;  // of the right-hand sides
constexpr double kGain = 0.7;      // a step that leaves more than this share is the last
constexpr int kStalls = 15;        // piles gain little in some steps and go on

const LocalDynamics& with_factor(const LocalDynamics& ldy) {
  if (ldy.factor() != nullptr) return ldy;
  throw std::invalid_argument(
      "derivatives: expected a graph made of bodies or of H and A, found one whose factor is not known");
}

// Each equation by its largest number, forces by `response` [velocity/force]: all of F are velocities then.
void make_velocities(double response, LawLinearisation& F) {
  for (int i = 0; i < F.size; ++i) {
    const double largest = std::max(F.E.row(i).cwiseAbs().maxCoeff(), F.C.row(i).cwiseAbs().maxCoeff() / response);
    const double scale = largest > 0 ? 1 / largest : 1;
    F.E.row(i) *= scale;
    F.C.row(i) *= scale;
    F.by_friction[i] *= scale;
    F.by_cross_friction[i] *= scale;
    F.by_rolling[i] *= scale;
    F.by_torsional[i] *= scale;
  }
}

}  // namespace

template <class Visit>
void ActiveSystem::each_constraint(const Visit& visit) const {
  const DiagonalBlock* arena = ldy_.diagonal_arena().data();
  for (const DiagonalBlock& row : ldy_.rows()) {
    if (ldy_.block_of(row) == 0) visit(row.constraint, static_cast<Index>(&row - arena));
  }
}

ActiveSystem::ActiveSystem(const LocalDynamics& ldy, double margin) : ldy_(with_factor(ldy)), matrix_(ldy) {
  left_velocity_.resize(matrix_.unknowns());
  pull_.resize(matrix_.unknowns());
  change_.resize(matrix_.unknowns());
  left_reaction_.resize(ldy.diagonal_arena().size());
  linearise(margin);
  factorise();
}

void ActiveSystem::linearise(double margin) {
  double fastest = 0, trace = 0;
  long count = 0;
  for (const DiagonalBlock& row : ldy_.rows()) {
    const Eigen::Vector3d b = row.B + offset(ldy_.law(row.constraint), ldy_.block_of(row));
    fastest = std::max(fastest, b.norm());
    trace += row.W.trace();
    ++count;
  }
  slow_ = margin * fastest;
  weight_ = count > 0 && trace > 0 ? kWeight * trace / (3.0 * static_cast<double>(count)) : 1;
  laws_.resize(ldy_.id_bound());
  own_.resize(ldy_.id_bound());
  const double response = weight_ / kWeight;
  each_constraint([&](ConstraintId id, Index) {
    laws_[id] = linearise_law(ldy_, id, slow_);
    make_velocities(response, laws_[id]);
  });
}

void ActiveSystem::factorise() {
  matrix_.clear();
  each_constraint([&](ConstraintId id, Index place) {
    const LawLinearisation& F = laws_[id];
    const int size = F.size;
    own_[id].setZero();
    own_[id].topLeftCorner(size, size) = (F.C + weight_ * F.E).topLeftCorner(size, size).partialPivLu().inverse();
    if (F.state == StrictState::open) return;
    const Square K = own_[id] * F.E;
    for (int i = 0; i < size / 3; ++i) {
      for (int j = 0; j < size / 3; ++j) {
        matrix_.add_block(place + static_cast<Index>(i), K.block<3, 3>(3 * i, 3 * j), place + static_cast<Index>(j));
      }
    }
  });
  std::fill(pull_.begin(), pull_.end(), 0.0);
  if (!matrix_.solve(pull_, change_)) {
    throw std::runtime_error(
        "derivatives: expected active laws that determine the velocities, found a singular matrix");
  }
}

ActiveSystem::Solution ActiveSystem::solve(std::span<const double> a, std::span<const Eigen::Vector3d> c) {
  return refined(Side::as_is, a, c);
}

ActiveSystem::Solution ActiveSystem::solve_transposed(std::span<const double> a, std::span<const Eigen::Vector3d> c) {
  return refined(Side::transposed, a, c);
}

// Adds the solution of the system with the weight, of what is left.
void ActiveSystem::correct(Side side, Solution& solution) {
  const bool turned = side == Side::transposed;
  std::copy(left_velocity_.begin(), left_velocity_.end(), pull_.begin());
  // y: a + Hᵀ G c; λ: a − Hᵀ Eᵀ Gᵀ c.
  each_constraint([&](ConstraintId id, Index place) {
    const LawLinearisation& F = laws_[id];
    Column c = Column::Zero();
    for (int k = 0; 3 * k < F.size; ++k) c.segment<3>(3 * k) = left_reaction_[place + static_cast<Index>(k)];
    const Column pull = turned ? Column(-(F.E.transpose() * (own_[id].transpose() * c))) : Column(own_[id] * c);
    for (int k = 0; 3 * k < F.size; ++k) {
      matrix_.add_pull(place + static_cast<Index>(k), pull.segment<3>(3 * k), pull_);
    }
  });
  const bool solved = turned ? matrix_.solve_transposed(pull_, change_) : matrix_.solve_again(pull_, change_);
  if (!solved) {
    throw std::runtime_error("derivatives: expected a factor that solves, found one whose pivots do not hold");
  }
  for (std::size_t k = 0; k < change_.size(); ++k) solution.velocity[k] += change_[k];
  // δR = G (c − E H y); ρ = Gᵀ (c + H λ).
  each_constraint([&](ConstraintId id, Index place) {
    const LawLinearisation& F = laws_[id];
    Column c = Column::Zero(), moved = Column::Zero();
    for (int k = 0; 3 * k < F.size; ++k) {
      const Index row = place + static_cast<Index>(k);
      c.segment<3>(3 * k) = left_reaction_[row];
      moved.segment<3>(3 * k) = matrix_.motion(row, change_);
    }
    const Column step = turned ? Column(own_[id].transpose() * (c + moved)) : Column(own_[id] * (c - F.E * moved));
    for (int k = 0; 3 * k < F.size; ++k) solution.reaction[place + static_cast<Index>(k)] += step.segment<3>(3 * k);
  });
}

// What the solution leaves of the right-hand sides, each kind of equation by the largest number that went into it.
void ActiveSystem::residual(Side side, std::span<const double> a, std::span<const Eigen::Vector3d> c,
                            Solution& solution) {
  const bool turned = side == Side::transposed;
  std::fill(left_velocity_.begin(), left_velocity_.end(), 0.0);
  matrix_.subtract_inertia(solution.velocity, left_velocity_);
  double forces = 0, velocities = 0, left_most = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    forces = std::max({forces, std::abs(a[k]), std::abs(left_velocity_[k])});
    left_velocity_[k] += a[k];
  }
  each_constraint([&](ConstraintId id, Index place) {
    const LawLinearisation& F = laws_[id];
    Column R = Column::Zero(), moved = Column::Zero(), known = Column::Zero();
    for (int k = 0; 3 * k < F.size; ++k) {
      const Index row = place + static_cast<Index>(k);
      known.segment<3>(3 * k) = c[row];
      R.segment<3>(3 * k) = solution.reaction[row];
      moved.segment<3>(3 * k) = matrix_.motion(row, solution.velocity);
    }
    const Column by_reaction = turned ? Column(F.C.transpose() * R) : Column(F.C * R);
    const Column by_velocity = turned ? Column(-moved) : Column(F.E * moved);
    const Column pull = turned ? Column(-(F.E.transpose() * R)) : R;
    const Column left = known - by_velocity - by_reaction;
    for (const Column& term : {known, by_reaction, by_velocity}) {
      velocities = std::max(velocities, term.cwiseAbs().maxCoeff());
    }
    if (left.cwiseAbs().maxCoeff() > left_most) {
      left_most = left.cwiseAbs().maxCoeff();
      solution.worst = id;
    }
    for (int k = 0; 3 * k < F.size; ++k) {
      const Index row = place + static_cast<Index>(k);
      left_reaction_[row] = left.segment<3>(3 * k);
      matrix_.add_pull(row, pull.segment<3>(3 * k), left_velocity_);
    }
  });
  // Where contacts stick and c = 0 all terms of a row are rounding: what the forces may move them by is its scale.
  velocities = std::max(velocities, weight_ / kWeight * forces);
  double left_force = 0;
  for (const double left : left_velocity_) left_force = std::max(left_force, std::abs(left));
  solution.residual = std::max(forces > 0 ? left_force / forces : 0, velocities > 0 ? left_most / velocities : 0);
}

ActiveSystem::Solution ActiveSystem::refined(Side side, std::span<const double> a, std::span<const Eigen::Vector3d> c) {
  Solution solution;
  solution.velocity.assign(matrix_.unknowns(), 0.0);
  solution.reaction.assign(left_reaction_.size(), Eigen::Vector3d::Zero());
  residual(side, a, c, solution);
  for (int stalls = 0; solution.residual > kSolved && solution.solves < kMostSolves && stalls < kStalls;) {
    const double last = solution.residual;
    correct(side, solution);
    residual(side, a, c, solution);
    ++solution.solves;
    if (solution.residual > kGain * last) ++stalls;
  }
  return solution;
}

}  // namespace locdyn::detail
