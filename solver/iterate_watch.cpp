#include <locdyn/solver/iterate_watch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>

#include <locdyn/ldy/velocities.hpp>
#include <locdyn/threads/loops.hpp>
#include <locdyn/threads/team.hpp>

namespace locdyn::detail {
namespace {

// √ε. A residual at its rounding floor is a solution where that floor is below this; above it R has run away along the
// null space of W, as it does where rows contradict each other.
constexpr double kLargestFloor = 1.5e-8;
// A floor, which is a bound, above this (and above the tolerance) may hide any residual, whatever is computed. Extreme
// ratios of masses come near: 1 : 1e6 in the built-in heavy stack of ten gives 3.5e-8 with a computed residual of 4e-9.
constexpr double kHidingFloor = 1e-6;

constexpr std::int64_t kJudgedAtOnce = 1024;  // whose R a thread copies

}  // namespace

double load_square(const LocalDynamics& ldy) {
  double sum = 0;
  for (const DiagonalBlock& row : ldy.rows()) {
    const ConstraintId id = row.constraint;
    const int block = ldy.block_of(row);
    const Law& law = ldy.law(id);
    const Eigen::Vector3d b = row.B + offset(law, block);
    for (int k = 0; k < 3; ++k) {
      if (uses(rows(law, block), k)) sum += b[k] * b[k];
    }
  }
  return sum;
}

double load_norm(const LocalDynamics& ldy) {
  const double square = load_square(ldy);
  return square > 0 ? std::sqrt(square) : 1.0;
}

Judgement judgement_of(const Residual& residual) noexcept {
  return {residual.scaled, residual.relative, residual.absolute, residual.floor};
}

bool meets(const Judgement& judgement, const StopOptions& stop) noexcept {
  const double measure = judgement.value(stop.measure);
  if (measure <= stop.tolerance) return judgement.floor <= std::max(stop.tolerance, kHidingFloor);
  return stop.measure == Measure::scaled && measure <= judgement.floor && judgement.floor <= kLargestFloor;
}

Judgement judge_by_residual(LocalDynamics& ldy, int threads) {
  return judgement_of(evaluate_residual(ldy, threads));
}

IterateWatch::IterateWatch(LocalDynamics& ldy, const StopOptions& stop, std::string_view solver, Judge judge)
    : team_(std::make_unique<TeamWatch>()),
      ldy_(ldy),
      stop_(stop),
      judge_(std::move(judge)),
      start_(std::chrono::steady_clock::now()),
      best_R_(ldy.diagonal_arena().size(), Eigen::Vector3d::Zero()),
      best_measure_(std::numeric_limits<double>::infinity()),
      load_norm_(locdyn::load_norm(ldy)) {
  check_options(stop, solver);
  check_problem(ldy, solver);
  report_.solver = solver;
  keep_as_best();
}

void IterateWatch::keep_as_best() {
  const auto diagonal = ldy_.diagonal_arena();
  parallel_for(std::ssize(best_R_), stop_.threads, kJudgedAtOnce,
               [&](std::int64_t place) { best_R_[place] = diagonal[place].R; });
}

IterateWatch::~IterateWatch() = default;

double IterateWatch::judge(long iteration) {
  const double before = seconds();
  const Judgement judgement = judge_(ldy_, stop_.threads);
  // Where R has run away rounding hides the residual: such an iterate is no better than its floor.
  const double value = judgement.floor > kHidingFloor ? std::max(judgement.value(stop_.measure), judgement.floor)
                                                      : judgement.value(stop_.measure);
  floor_ = judgement.floor;
  const double after = seconds();
  finite_ = std::isfinite(value);
  in_time_ = !out_of_time();
  report_.history.push_back({iteration, after, value});
  if (stop_.observer != nullptr) (*stop_.observer)(report_.history.back());
  report_.stages.residual += after - before;
  report_.block_products += velocity_products(ldy_);
  if (value < best_measure_) {
    best_ = judgement;
    best_measure_ = value;
    best_iteration_ = iteration;
    keep_as_best();
  }
  return value;
}

bool IterateWatch::converged() const noexcept {
  return std::isfinite(best_measure_) && meets(best_, stop_);
}

bool IterateWatch::over(long iterations) {
  if (ending_ || converged()) return true;
  if (!in_time_) {
    end(SolveStatus::max_time, "the time limit came first");
  } else if (iterations >= stop_.max_iterations) {
    end(SolveStatus::max_iterations, kIterationLimit);
  } else if (out_of_work()) {
    end(SolveStatus::max_iterations, kWorkLimit);
  }
  return ending_.has_value();
}

bool IterateWatch::allows(long iterations, double seconds) {
  if (iterations >= stop_.max_iterations) {
    end(SolveStatus::max_iterations, kIterationLimit);
  } else if (out_of_work()) {
    end(SolveStatus::max_iterations, kWorkLimit);
  } else if (!has_time(seconds)) {
    end(SolveStatus::max_time, "the time limit holds no further factorisation");
  }
  return !ending_;
}

void IterateWatch::end_unless_finite() {
  if (!finite_) end(SolveStatus::diverged, "the iterate is not finite");
}

void IterateWatch::end(SolveStatus status, std::string reason) {
  if (!ending_) ending_ = {status, std::move(reason)};
}

double IterateWatch::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void IterateWatch::restore_best() {
  const auto diagonal = ldy_.diagonal_arena();
  parallel_for(std::ssize(best_R_), stop_.threads, kJudgedAtOnce,
               [&](std::int64_t place) { diagonal[place].R = best_R_[place]; });
}

SolveReport IterateWatch::finish(long iterations) {
  return finish(iterations, [this] { return evaluate_residual(ldy_, stop_.threads); });
}

SolveReport IterateWatch::finish(long iterations, const std::function<Residual()>& evaluate) {
  if (!over(iterations)) end(SolveStatus::stalled, "the method came to its end");
  restore_best();
  report_.residual = evaluate();
  report_.own_residual = best_measure_;
  report_.status = converged() ? SolveStatus::converged : ending_->status;
  report_.reason = converged() ? "" : std::move(ending_->reason);
  if (report_.status == SolveStatus::max_time && interrupted()) report_.reason = "interrupted";
  report_.iterations = iterations;
  report_.seconds = seconds();
  return std::move(report_);
}

SolveReport IterateWatch::finish(SolveStatus otherwise, std::string reason, long iterations) {
  end(otherwise, std::move(reason));
  return finish(iterations);
}

}  // namespace locdyn::detail
