#include <locdyn/solver/pyramid/pyramid_progress.hpp>

#include <limits>
#include <utility>

namespace locdyn {

PyramidProgress::PyramidProgress(LocalDynamics& ldy, const FrictionPyramid& pyramid, const StopOptions& stop,
                                 std::string_view solver)
    : ldy_(ldy),
      pyramid_(pyramid),
      stop_(stop),
      start_(std::chrono::steady_clock::now()),
      best_R_(ldy.diagonal_arena().size()),
      best_value_(std::numeric_limits<double>::infinity()) {
  check_options(stop, solver);
  check_problem(ldy, solver);
  report.solver = solver;
  keep();
}

void PyramidProgress::keep() {
  const auto diagonal = ldy_.diagonal_arena();
  for (std::size_t at = 0; at < diagonal.size(); ++at) best_R_[at] = diagonal[at].R;
}

double PyramidProgress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

double PyramidProgress::take_residual(long iteration) {
  const double before = seconds();
  const PyramidResidual residual = evaluate_pyramid_residual(ldy_, pyramid_, stop_.threads);
  const double value = residual.value(stop_.measure);
  met_ = value <= stop_.tolerance || residual.scaled <= residual.floor;
  if (value < best_value_) {
    best_value_ = value;
    keep();
  }
  const double after = seconds();
  report.history.push_back({iteration, after, value});
  report.stages.residual += after - before;
  report.block_products += static_cast<double>(ldy_.row_count() + ldy_.off_diagonal_count());
  return value;
}

SolveReport PyramidProgress::finish(SolveStatus status, std::string reason, long iterations) {
  const auto diagonal = ldy_.diagonal_arena();
  for (std::size_t at = 0; at < diagonal.size(); ++at) diagonal[at].R = best_R_[at];
  const double before = seconds();
  report.residual = evaluate_residual(ldy_, stop_.threads);
  report.stages.residual += seconds() - before;
  report.block_products += static_cast<double>(ldy_.row_count() + ldy_.off_diagonal_count());
  report.own_residual = best_value_;
  report.status = status;
  report.reason = std::move(reason);
  report.iterations = iterations;
  report.seconds = seconds();
  return std::move(report);
}

}  // namespace locdyn
