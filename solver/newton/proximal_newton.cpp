#include <locdyn/solver/newton/proximal_newton.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/ldy/velocities.hpp>

namespace locdyn::detail {
namespace {

// Steps of ten moving scenes at 1e-6, over those with the numbers here: 8 and 25 steps a centre 1.13 and 1.04; 5 and 12
// halvings 1.03 and 1.11; merits of the last 1, 3 and 12 steps 1.06, 1.0 and 0.98. Single scenes differ by up to 1.3.
constexpr int kStepsPerCentre = 15;
constexpr int kStepHalvings = 7;
constexpr std::size_t kMeritMemory = 4;  // merits a step may be compared with
constexpr double kDescent = 1e-4;
// Up to this merit [of the load] a first step is taken whole: near a solution it leads to the states from which the
// second converges, though the merit is larger in between. Steps of wall, tower, Jenga, arch and dominoes at 1e-4 to
// 1e-8, three trajectories each, over those without: 0.78 (arch 0.46, Jenga at 1e-4 0.46, wall 0.98, dominoes 1.3);
// with 1e-4 and 3e-5 0.88; with 1e-3 a wall at 1e-4 takes 1.4 times as many.
constexpr double kNear = 3e-4;
// Where rows bend (bent_rows.hpp): a step that leaves more of the merit before it is looked at, until it leaves no
// more, so often. Steps of eight to twelve scenes at 1e-8, each from the same state: 0.2 and 0.8 in place of 0.5 take
// 1.04 and 0.99 of the time, 0.02 and 0.2 in place of 0.1 1.1 and 1.00, one and three times in place of two 0.98 and
// 1.01.
constexpr double kBends = 0.5, kStraight = 0.1;
constexpr int kBendings = 2;
// Where rows may be held: after so many steps and again after as many, up to so many in all. Steps of 14 scenes at
// 1e-8, each from the same state: 4 and 8 in place of 6 1.05 and 1.00 of the time, 30 in place of 24 1.03.
constexpr int kStepsBeforeHeld = 6, kStepsWhereHeld = 24;

}  // namespace

ProximalNewton::ProximalNewton(LocalDynamics& ldy, WholeGraph& whole, NewtonSystem& system,
                               const NewtonOptions& options, IterateWatch& watch)
    : ldy_(ldy),
      whole_(whole),
      options_(options),
      watch_(watch),
      system_(system),
      products_(velocity_products(ldy)),
      rows_(newton_rows(ldy)),
      fours_(ldy, rows_),
      linear_(ldy.diagonal_arena().size()),
      centre_(ldy.diagonal_arena().size(), Eigen::Vector3d::Zero()),
      squares_(ldy.diagonal_arena().size()),
      held_(ldy.diagonal_arena().size()),
      step_(ldy.diagonal_arena().size()),
      bent_(ldy, rows_, linear_),
      load_norm_(std::sqrt(whole.sum(load_square(ldy)))) {
  if (load_norm_ == 0) load_norm_ = 1;
  for (const DiagonalBlock& row : ldy.rows()) {
    const ConstraintId id = row.constraint;
    if (&row == &ldy.row(id)) mean_scale_ += 1 / row_scale(row.W, rows(ldy.law(id), 0));
  }
  mean_scale_ = whole.sum(mean_scale_) / std::max(1.0, whole.sum(static_cast<double>(ldy.constraint_count())));
}

// U = B + W R + w (R − R̄), in the graph; w the row's.
void ProximalNewton::update_velocity() {
  const auto diagonal = ldy_.diagonal_arena();
  whole_.update_velocities();
  for (DiagonalBlock& row : ldy_.rows()) {
    const std::size_t place = &row - diagonal.data();
    row.U += weight_ * held_.times(place) * (row.R - centre_[place]);
    clear_unused(rows_[place].rows, row.U);
  }
  watch_.report().block_products += products_;
}

// ‖F‖ for the U and R in the graph.
double ProximalNewton::merit(double augmentation) {
  fours_.find_squares(options_.map, augmentation, squares_);
  const auto diagonal = ldy_.diagonal_arena();
  for (const Index place : fours_.others()) {
    bool pressed = false;
    squares_[place] =
        row_map(rows_[place], options_.map, augmentation, diagonal[place], pressed, nullptr).squaredNorm();
  }
  return std::sqrt(whole_.sum(std::accumulate(squares_.begin(), squares_.end(), 0.0))) / load_norm_;
}

// Is the scaled residual of the regularised problem for the U and R in the graph ≤ target? Most steps are far from it,
// and a few rows tell.
bool ProximalNewton::reaches(double target) {
  const double enough = target * load_norm_ * target * load_norm_;
  double sum = fours_.residual_square(enough);
  std::array<Eigen::Vector3d, kMaxLawBlocks> U, R, U_hat, z;
  for (const Index place : fours_.others()) {
    if (sum > enough) break;
    const DiagonalBlock& row = ldy_.diagonal_arena()[place];
    const ConstraintId id = row.constraint;
    if (&row != &ldy_.row(id)) continue;
    const Law& law = ldy_.law(id);
    const auto count = static_cast<std::size_t>(block_count(law));
    const double rho = row_scale(row.W, rows(law, 0));
    for (std::size_t k = 0; k < count; ++k) {
      U[k] = ldy_.row(id, static_cast<int>(k)).U;
      R[k] = ldy_.row(id, static_cast<int>(k)).R;
    }
    dual_velocity(law, {U.data(), count}, {R.data(), count}, {U_hat.data(), count});
    for (std::size_t k = 0; k < count; ++k) z[k] = R[k] - rho * U_hat[k];
    project(law, {z.data(), count});
    for (std::size_t k = 0; k < count; ++k) sum += (R[k] - z[k]).squaredNorm() / (rho * rho);
  }
  return whole_.sum(sum) <= enough;
}

bool ProximalNewton::find_direction(double augmentation) {
  const double entered = watch_.seconds();
  fours_.linearise(options_.map, augmentation, linear_);
  for (const Index place : fours_.others()) {
    LinearisedRow& linear = linear_[place];
    linear.F =
        row_map(rows_[place], options_.map, augmentation, ldy_.diagonal_arena()[place], linear.pressed, &linear.d);
    linear.follows = rows_[place].follows();
  }
  for (const DiagonalBlock& row : ldy_.rows()) {
    const std::size_t place = &row - ldy_.diagonal_arena().data();
    LinearisedRow& linear = linear_[place];
    linear.weight = weight_ * held_.times(place);
    if (!linear.pressed) step_.by_R[place] = -row.R;
  }
  ++steps_;
  const double flops = system_.flops();
  const bool found = system_.solve(linear_, step_.by_R);
  ++watch_.report().factorisations;
  watch_.report().factorisation_flops += system_.flops() - flops;
  seconds_of_step_ = watch_.seconds() - entered;
  watch_.report().stages.factorisation += seconds_of_step_;
  return found;
}

// What the whole step adds to U: W ΔR from the solve, where it has that, else from a product, for which it is taken.
void ProximalNewton::find_change() {
  const auto diagonal = ldy_.diagonal_arena();
  const std::span<const Eigen::Vector3d> solved = system_.velocity_change();
  if (solved.empty()) {
    for (DiagonalBlock& row : ldy_.rows()) row.R += step_.by_R[&row - diagonal.data()];
    update_velocity();
  }
  for (const DiagonalBlock& row : ldy_.rows()) {
    const std::size_t place = &row - diagonal.data();
    if (solved.empty()) {
      step_.by_U[place] = row.U - step_.U[place];
      continue;
    }
    step_.by_U[place] = solved[place] + linear_[place].weight * step_.by_R[place];
    clear_unused(rows_[place].rows, step_.by_U[place]);
  }
}

// R and U by t of the step.
void ProximalNewton::go(double t) {
  for (DiagonalBlock& row : ldy_.rows()) {
    const std::size_t place = &row - ldy_.diagonal_arena().data();
    row.R = step_.R[place] + t * step_.by_R[place];
    row.U = step_.U[place] + t * step_.by_U[place];
  }
}

// The merit of the whole step, with few rows solved as they are where that is less.
double ProximalNewton::merit_of_step(double augmentation) {
  double value = merit(augmentation);
  RowResponses* const responses = system_.responses();
  if (responses == nullptr || !(value > kBends * recent_.back())) return value;
  bent_.clear();
  for (int round = 0; round < kBendings && value > kStraight * recent_.back(); ++round) {
    if (!bent_.choose(squares_) || !bent_.solve(*responses, options_.map, augmentation, step_)) break;
    go(1);
    const double next = merit(augmentation);
    if (!(next < value)) {
      bent_.take_back(step_);
      go(1);
      return merit(augmentation);
    }
    value = next;
  }
  return value;
}

// R ← R + t ΔR with the first t = 1, ½, ¼ … whose merit is below the largest of the last few, or with t = 1 whatever
// its merit. False, and R as it was, where none is. U is affine in t.
bool ProximalNewton::line_search(double augmentation, bool whole) {
  const double reference = *std::max_element(recent_.begin(), recent_.end());
  for (const DiagonalBlock& row : ldy_.rows()) {
    const std::size_t place = &row - ldy_.diagonal_arena().data();
    step_.R[place] = row.R;
    step_.U[place] = row.U;
  }
  find_change();
  go(1);
  double t = 1, value = merit_of_step(augmentation);
  for (int halving = 0; halving <= kStepHalvings; ++halving) {
    if (value <= (1 - kDescent * t) * reference || (whole && t == 1 && std::isfinite(value))) {
      recent_.push_back(value);
      if (recent_.size() > kMeritMemory) recent_.erase(recent_.begin());
      return true;
    }
    t = halving < kStepHalvings ? 0.5 * t : 0;
    go(t);
    if (t > 0) value = merit(augmentation);
  }
  return false;
}

// Holds the rows with a marked share of the last merit, if there are such; merits then are of another problem.
bool ProximalNewton::hold_rows(double augmentation) {
  const double norm = recent_.back() * load_norm_;
  if (whole_.sum(static_cast<double>(held_.hold(squares_, norm * norm))) == 0) return false;
  update_velocity();
  recent_.assign(1, merit(augmentation));
  return true;
}

bool ProximalNewton::solve(const Attempt& attempt) {
  weight_ = attempt.weight * mean_scale_;
  if (!attempt.keeps_centre) {
    for (const DiagonalBlock& row : ldy_.rows()) centre_[&row - ldy_.diagonal_arena().data()] = row.R;
  }
  update_velocity();
  recent_.assign(1, merit(attempt.augmentation));
  const bool whole = attempt.whole_first_step && recent_.front() <= kNear;
  const int most = attempt.holds_rows ? kStepsWhereHeld : kStepsPerCentre;
  for (int step = 0; !reaches(attempt.target); ++step) {
    if (step == most) return false;
    if (!watch_.allows(steps_, seconds_of_step_)) return false;
    const bool hindered = attempt.holds_rows && step > 0 && step % kStepsBeforeHeld == 0;
    if (hindered && !hold_rows(attempt.augmentation)) return false;
    if (!find_direction(attempt.augmentation) || !line_search(attempt.augmentation, whole && step == 0)) return false;
  }
  held_.forget();
  return true;
}

}  // namespace locdyn::detail
