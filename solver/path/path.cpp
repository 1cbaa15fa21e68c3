#include <locdyn/solver/path/path.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/solver/convex/cone_program.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/newton/finish_by_newton.hpp>
#include <locdyn/solver/path/central_path.hpp>
#include <locdyn/solver/patience.hpp>

namespace locdyn::detail {
namespace {

// Near the end Newton has a turn whenever the residual has come down by so much since its last one.
constexpr double kNearEnough = 1e-6;
constexpr double kBetweenTurns = 0.5;
// √σ that is no longer more than rounding.
constexpr double kLeastSmoothing = 1e-12;

}  // namespace

struct PathFollower::State {
  explicit State(const LocalDynamics& ldy) : program(ldy) {}

  ConeProgram program;
  std::optional<CentralPath> path;  // from the first turn on that is not done without it
  CentralPath::End end = CentralPath::End::on_path;
  bool started = false;
  double newton_level = kNearEnough;
};

PathFollower::PathFollower(LocalDynamics& ldy) : ldy_(ldy) {}
PathFollower::~PathFollower() = default;

bool PathFollower::stuck() const noexcept {
  return state_ && state_->end == CentralPath::End::stuck;
}

SolveReport PathFollower::solve(const CentralPathOptions& options) {
  const StopOptions& stop = options.stop;
  if (options.patience < 1) {
    throw std::invalid_argument("path: patience: expected >= 1, found " + std::to_string(options.patience));
  }
  IterateWatch watch(ldy_, stop, "path");
  SolveReport& report = watch.report();
  if (!state_) state_ = std::make_unique<State>(ldy_);
  watch.judge(0);
  if (watch.over(0)) return watch.finish(0);
  if (!state_->path) state_->path.emplace(ldy_, state_->program);
  CentralPath& path = *state_->path;
  const long before = path.factorisations();
  double flops = path.flops(), products = path.block_products();
  report.stages.setup = watch.seconds() - report.stages.residual;

  long by_newton = 0;
  const auto done = [&] { return path.factorisations() - before + by_newton; };
  const auto count_work = [&] {
    report.factorisation_flops += path.flops() - std::exchange(flops, path.flops());
    report.block_products += path.block_products() - std::exchange(products, path.block_products());
  };
  const auto may_factorise = [&](double seconds) {
    count_work();
    return watch.allows(done(), seconds);
  };
  const auto newton = [&] { by_newton += finish_by_newton(ldy_, watch, done()); };
  Patience patience(Patience::kHalved, options.patience);
  while (!watch.over(done()) && !stuck() && !patience.spent(done())) {
    state_->end = state_->started ? path.step(may_factorise) : path.start(may_factorise);
    count_work();
    if (state_->end != CentralPath::End::on_path) break;
    state_->started = true;
    state_->program.write(path.reaction(), ldy_);
    const double value = watch.judge(done());
    patience.note(value, done());
    if (!watch.converged() && value <= state_->newton_level) {
      state_->newton_level = kBetweenTurns * value;
      newton();
    }
    if (path.smoothing() < kLeastSmoothing) state_->end = CentralPath::End::stuck;
  }
  if (!watch.converged() && stuck()) newton();
  report.factorisations += path.factorisations() - before;
  report.stages.factorisation = watch.seconds() - report.stages.setup - report.stages.sweeps - report.stages.residual;

  if (!watch.over(done())) {
    watch.end(SolveStatus::stalled, stuck() ? "the path could be followed no further, and Newton did not end it"
                                            : patience.reason(done(), "factorisations along the path"));
  }
  return watch.finish(done());
}

SolveReport solve_path(LocalDynamics& ldy, const CentralPathOptions& options) {
  return PathFollower(ldy).solve(options);
}

}  // namespace locdyn::detail
