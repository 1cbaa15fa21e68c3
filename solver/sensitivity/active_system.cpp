#include <locdyn/solver/sensitivity/active_system.hpp>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace locdyn::detail {
namespace {

// Of the mean tr W_αα/3. Smaller takes digits from each solve with the factor, larger takes more of them: a wall of 100
// bricks and piles of 100 and 200 balls take 4 to 22.
constexpr double kWeight = 1e-6;
// The same where all that presses sticks and holds every body: walls of 100 and 200 bricks take 2 solves (5 with
// kWeight). What nothing holds has no pivots with it.
constexpr double kHeldWeight = 1e-11;
constexpr double kHeldGain = 1e-3;  // a solve for reactions alone that leaves a larger share: velocities change, too
constexpr int kMostSolves = 60;
constexpr double kSolved = 1e-13;  // of the right-hand sides
constexpr double kMostOfBefore = 0.7;      // a step that leaves more than this share is the last
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

template <int N>
using Vector = Eigen::Matrix<double, N, 1>;

// A contact that sticks: E = 1, C = 0.
bool sticks(const LawLinearisation& F) {
  return F.size == 3 && F.C.topLeftCorner<3, 3>().isZero(0) && F.E.topLeftCorner<3, 3>() == Eigen::Matrix3d::Identity();
}

// G E.
template <class Rows>
Eigen::Matrix<double, Rows::kRows, Rows::kRows> gain(const Rows& rows) {
  if constexpr (requires { rows.E; })
    return rows.G * rows.E;
  else
    return Eigen::Matrix3d::Identity() / rows.weight;
}

// The blocks of a constraint, one behind the other.
template <int N>
Vector<N> read(std::span<const Eigen::Vector3d> blocks, Index place) {
  Vector<N> x;
  for (int k = 0; 3 * k < N; ++k) x.template segment<3>(3 * k) = blocks[place + static_cast<Index>(k)];
  return x;
}
template <int N>
void write(const Vector<N>& x, Index place, std::span<Eigen::Vector3d> blocks) {
  for (int k = 0; 3 * k < N; ++k) blocks[place + static_cast<Index>(k)] = x.template segment<3>(3 * k);
}
template <int N>
Vector<N> motion(const VelocityMatrix& matrix, Index place, std::span<const double> y) {
  Vector<N> x;
  for (int k = 0; 3 * k < N; ++k) x.template segment<3>(3 * k) = matrix.motion(place + static_cast<Index>(k), y);
  return x;
}
template <int N>
void add_pull(const VelocityMatrix& matrix, Index place, const Vector<N>& x, std::span<double> b) {
  for (int k = 0; 3 * k < N; ++k) matrix.add_pull(place + static_cast<Index>(k), x.template segment<3>(3 * k), b);
}

}  // namespace

// Calls visit(rows) for all constraints.
template <class Visit>
void ActiveSystem::each_constraint(const Visit& visit) const {
  for (const HeldRows& rows : held_) visit(rows);
  for (const Rows<3>& rows : single_) visit(rows);
  for (const Rows<6>& rows : twofold_) visit(rows);
}

ActiveSystem::ActiveSystem(const LocalDynamics& ldy, double margin) : ldy_(with_factor(ldy)), matrix_(ldy) {
  left_velocity_.resize(matrix_.unknowns());
  pull_.resize(matrix_.unknowns());
  change_.resize(matrix_.unknowns());
  left_reaction_.resize(ldy.diagonal_arena().size());
  linearise(margin);
  factorise();
  if (!all_held_ || holds_all()) return;
  all_held_ = false;
  for (HeldRows& rows : held_) rows.weight = kWeight * response_;
  factorise();
}

// Whether reactions take up a right-hand side in which every direction has a part.
bool ActiveSystem::holds_all() {
  for (std::size_t k = 0; k < pull_.size(); ++k) {
    const double multiple = 0.6180339887498949 * static_cast<double>(k + 1);
    pull_[k] = 0.5 + multiple - std::floor(multiple);
  }
  if (!matrix_.solve_again_roughly(pull_, change_)) return false;
  for (const HeldRows& rows : held_) {
    const Eigen::Vector3d x = matrix_.motion(rows.place, change_) / rows.weight;
    matrix_.add_pull(rows.place, -x, pull_);
  }
  return std::all_of(pull_.begin(), pull_.end(), [](double left) { return std::abs(left) <= kHeldGain; });
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
  response_ = count > 0 && trace > 0 ? trace / (3.0 * static_cast<double>(count)) : 1;
  laws_.resize(ldy_.id_bound());
  all_held_ = true;
  std::size_t held = 0;
  for (const DiagonalBlock& row : ldy_.rows()) {
    if (ldy_.block_of(row) != 0) continue;
    LawLinearisation& F = laws_[row.constraint];
    F = linearise_law(ldy_, row.constraint, slow_);
    make_velocities(response_, F);
    if (sticks(F)) {
      ++held;
    } else if (F.state != StrictState::open) {
      all_held_ = false;
    }
  }
  all_held_ = all_held_ && 3 * held >= matrix_.unknowns();
  const double weight = (all_held_ ? kHeldWeight : kWeight) * response_;
  const DiagonalBlock* arena = ldy_.diagonal_arena().data();
  for (const DiagonalBlock& row : ldy_.rows()) {
    if (ldy_.block_of(row) != 0) continue;
    const LawLinearisation& F = laws_[row.constraint];
    const auto place = static_cast<Index>(&row - arena);
    if (sticks(F)) {
      held_.push_back({row.constraint, place, weight});
    } else {
      F.size == 3 ? add_rows(F, {row.constraint, place, weight}, single_)
                  : add_rows(F, {row.constraint, place, weight}, twofold_);
    }
  }
}

template <int N>
void ActiveSystem::add_rows(const LawLinearisation& F, const HeldRows& at, std::vector<Rows<N>>& all) {
  Rows<N>& rows = all.emplace_back();
  rows.constraint = at.constraint;
  rows.place = at.place;
  rows.E = F.E.topLeftCorner<N, N>();
  rows.C = F.C.topLeftCorner<N, N>();
  rows.G = (rows.C + at.weight * rows.E).partialPivLu().inverse();
}

void ActiveSystem::factorise() {
  matrix_.clear();
  each_constraint([&](const auto& rows) {
    if (laws_[rows.constraint].state == StrictState::open) return;
    const auto K = gain(rows);
    for (int i = 0; 3 * i < K.rows(); ++i) {
      for (int j = 0; 3 * j < K.rows(); ++j) {
        matrix_.add_block(rows.place + static_cast<Index>(i), K.template block<3, 3>(3 * i, 3 * j),
                          rows.place + static_cast<Index>(j));
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
  return refined<false>(a, c);
}

ActiveSystem::Solution ActiveSystem::solve_transposed(std::span<const double> a, std::span<const Eigen::Vector3d> c) {
  return refined<true>(a, c);
}

// What the solution leaves of the right-hand sides, each kind of equation by the largest number that went into it.
template <bool kTransposed>
void ActiveSystem::residual(std::span<const double> a, std::span<const Eigen::Vector3d> c, Solution& solution) {
  std::fill(left_velocity_.begin(), left_velocity_.end(), 0.0);
  matrix_.subtract_inertia(solution.velocity, left_velocity_);
  double forces = 0, velocities = 0, left_most = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    forces = std::max({forces, std::abs(a[k]), std::abs(left_velocity_[k])});
    left_velocity_[k] += a[k];
  }
  each_constraint([&](const auto& rows) {
    constexpr int N = std::remove_cvref_t<decltype(rows)>::kRows;
    const Vector<N> known = read<N>(c, rows.place), x = read<N>(solution.reaction, rows.place);
    const Vector<N> by_reaction = rows.template by_C<kTransposed>(x),
                    by_velocity = rows.template moved<kTransposed>(motion<N>(matrix_, rows.place, solution.velocity)),
                    left = known - by_velocity - by_reaction;
    velocities = std::max({velocities, known.cwiseAbs().maxCoeff(), by_reaction.cwiseAbs().maxCoeff(),
                           by_velocity.cwiseAbs().maxCoeff()});
    if (left.cwiseAbs().maxCoeff() > left_most) {
      left_most = left.cwiseAbs().maxCoeff();
      solution.worst = rows.constraint;
    }
    write<N>(left, rows.place, left_reaction_);
    add_pull<N>(matrix_, rows.place, rows.template pulled<kTransposed>(x), left_velocity_);
  });
  // Where contacts stick and c = 0 all terms of a row are rounding: what the forces may move them by is its scale.
  row_scale_ = std::max(velocities, response_ * forces);
  double left_force = 0;
  for (const double left : left_velocity_) left_force = std::max(left_force, std::abs(left));
  solution.residual = std::max(forces > 0 ? left_force / forces : 0, row_scale_ > 0 ? left_most / row_scale_ : 0);
}

// The same where the solution is still 0.
template <bool kTransposed>
void ActiveSystem::begin(std::span<const double> a, std::span<const Eigen::Vector3d> c, Solution& solution) {
  solution.velocity.assign(matrix_.unknowns(), 0.0);
  solution.reaction.assign(left_reaction_.size(), Eigen::Vector3d::Zero());
  std::copy(a.begin(), a.end(), left_velocity_.begin());
  double forces = 0, velocities = 0;
  for (const double force : a) forces = std::max(forces, std::abs(force));
  each_constraint([&](const auto& rows) {
    constexpr int N = std::remove_cvref_t<decltype(rows)>::kRows;
    const Vector<N> known = read<N>(c, rows.place);
    write<N>(known, rows.place, left_reaction_);
    velocities = std::max(velocities, known.cwiseAbs().maxCoeff());
  });
  row_scale_ = std::max(velocities, response_ * forces);
  solution.residual = forces > 0 || velocities > 0 ? 1 : 0;
  if (all_held_ && velocities == 0 && forces > 0) hold<kTransposed>(a, forces, solution);
}

// Where contacts hold all bodies and c = 0, y = 0 and −Hᵀ P x = a: of these x the one of least norm is H z by
// Hᵀ H z = a, up to signs. What is left of a goes on to `refined`.
template <bool kTransposed>
void ActiveSystem::hold(std::span<const double> a, double forces, Solution& solution) {
  for (double before = 1; solution.residual > kSolved && solution.residual <= before; before *= kHeldGain) {
    std::copy(left_velocity_.begin(), left_velocity_.end(), pull_.begin());
    solve_for_change<kTransposed>();
    ++solution.solves;
    std::copy(a.begin(), a.end(), left_velocity_.begin());
    for (const HeldRows& rows : held_) {
      Eigen::Vector3d& x = solution.reaction[rows.place];
      x -= rows.by_G<kTransposed>(rows.moved<kTransposed>(matrix_.motion(rows.place, change_)));
      matrix_.add_pull(rows.place, rows.pulled<kTransposed>(x), left_velocity_);
    }
    double left_most = 0;
    for (const double left : left_velocity_) left_most = std::max(left_most, std::abs(left));
    solution.residual = left_most / forces;
  }
}

// The right-hand side of (A/h + Hᵀ G E H) y: what is left of a, and Hᵀ P G of what is left of c.
template <bool kTransposed>
void ActiveSystem::begin_pull() {
  std::copy(left_velocity_.begin(), left_velocity_.end(), pull_.begin());
  each_constraint([&](const auto& rows) {
    constexpr int N = std::remove_cvref_t<decltype(rows)>::kRows;
    const Vector<N> left = read<N>(left_reaction_, rows.place);
    if (left.isZero(0)) return;  // of all contacts where no number of R is asked for
    const Vector<N> x = rows.template by_G<kTransposed>(left);
    add_pull<N>(matrix_, rows.place, rows.template pulled<kTransposed>(x), pull_);
  });
}

void ActiveSystem::by_velocity(const Solution& solution, Eigen::MatrixXd& columns) const {
  each_constraint([&](const auto& rows) {
    constexpr int N = std::remove_cvref_t<decltype(rows)>::kRows;
    const Vector<N> pulled = rows.template pulled<true>(read<N>(solution.reaction, rows.place));
    for (int k = 0; 3 * k < N; ++k) columns.col(rows.place + k) = pulled.template segment<3>(3 * k);
  });
}

std::vector<double> ActiveSystem::impulse(std::span<const double> y) const {
  std::vector<double> all(matrix_.unknowns(), 0.0);
  matrix_.subtract_inertia(y, all);
  for (double& value : all) value = -value;
  return all;
}

template <bool kTransposed>
void ActiveSystem::solve_for_change() {
  bool solved = true;
  if (by_pivots_) {
    solved = kTransposed ? matrix_.solve_transposed(pull_, change_) : matrix_.solve_again(pull_, change_);
  } else {
    solved =
        kTransposed ? matrix_.solve_transposed_roughly(pull_, change_) : matrix_.solve_again_roughly(pull_, change_);
  }
  if (!solved) {
    throw std::runtime_error("derivatives: expected a factor that solves, found one whose pivots do not hold");
  }
}

// Adds the change of y and the one of x that goes with it, δx = G (c − M H δy), and carries on in one pass what is left
// of c and the next right-hand side. Gives what is left of c, relative.
template <bool kTransposed>
double ActiveSystem::correct(Solution& solution) {
  for (std::size_t k = 0; k < change_.size(); ++k) solution.velocity[k] += change_[k];
  matrix_.subtract_inertia(change_, pull_);
  double left_most = 0;
  each_constraint([&](const auto& rows) {
    constexpr int N = std::remove_cvref_t<decltype(rows)>::kRows;
    const Vector<N> left = read<N>(left_reaction_, rows.place),
                    by_velocity = rows.template moved<kTransposed>(motion<N>(matrix_, rows.place, change_)),
                    step = rows.template by_G<kTransposed>(Vector<N>(left - by_velocity)),
                    taken = by_velocity + rows.template by_C<kTransposed>(step), now = left - taken;
    write<N>(read<N>(solution.reaction, rows.place) + step, rows.place, solution.reaction);
    write<N>(now, rows.place, left_reaction_);
    left_most = std::max(left_most, now.cwiseAbs().maxCoeff());
    const Vector<N> x = step - rows.template by_G<kTransposed>(taken);
    add_pull<N>(matrix_, rows.place, rows.template pulled<kTransposed>(x), pull_);
  });
  return row_scale_ > 0 ? left_most / row_scale_ : 0;
}

// Solves one after the other carry on what is left, until it seems to be small or gains little; then it is formed anew
// from the equations, which counts.
template <bool kTransposed>
ActiveSystem::Solution ActiveSystem::refined(std::span<const double> a, std::span<const Eigen::Vector3d> c) {
  Solution solution;
  by_pivots_ = false;
  begin<kTransposed>(a, c, solution);
  for (int stalls = 0; solution.residual > kSolved && solution.solves < kMostSolves && stalls < kStalls;) {
    const double last = solution.residual;
    begin_pull<kTransposed>();
    for (double left = last, before = left; left > kSolved && solution.solves < kMostSolves; before = left) {
      solve_for_change<kTransposed>();
      left = correct<kTransposed>(solution);
      ++solution.solves;
      if (!(left <= kMostOfBefore * before)) break;
    }
    residual<kTransposed>(a, c, solution);
    if (solution.residual > kMostOfBefore * last) {
      ++stalls;
      by_pivots_ = true;
    }
  }
  return solution;
}

}  // namespace locdyn::detail
