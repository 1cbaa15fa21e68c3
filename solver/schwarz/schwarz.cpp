#include <locdyn/solver/schwarz/schwarz.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/solver/newton/newton.hpp>
#include <locdyn/solver/nsgs/chosen_sweep.hpp>
#include <locdyn/solver/nsgs/velocity_sweep.hpp>
#include <locdyn/solver/patience.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {
namespace {

// A patch is brought down by this factor, in so many Newton steps; one that holds less than that share of what patches
// hold on the average is left to the sweeps.
constexpr double kFall = 1e-2;
constexpr long kNewtonSteps = 60;
constexpr double kFirstProximal = 1e-4;

void check_schwarz(const SchwarzOptions& options) {
  if (!(options.patches.cover > 0 && options.patches.cover <= 1)) {
    throw std::invalid_argument("schwarz: cover: expected a number in (0, 1], found " +
                                std::to_string(options.patches.cover));
  }
  if (options.patches.rings < 0 || options.patches.largest < 1 || options.sweeps < 1 || options.patience < 1) {
    throw std::invalid_argument("schwarz: rings, largest, sweeps, patience: expected >= 0, 1, 1, 1, found " +
                                std::to_string(options.patches.rings) + ", " + std::to_string(options.patches.largest) +
                                ", " + std::to_string(options.sweeps) + ", " + std::to_string(options.patience));
  }
}

// Through velocities where it can be, also where rows have so few neighbours that over their blocks `automatic` would
// go. Ten runs of hopper, drum, rubble, logs, silo and piles of 200 take 0.91 of the time at 1e-6, 0.96 at 1e-8, and as
// long at 1e-4, where few of their steps get here; a pile of 2000 0.95.
SweepForm form_of(const LocalDynamics& ldy) {
  return ldy.factor() != nullptr ? SweepForm::velocities : SweepForm::automatic;
}

// Newton on each patch, the residual [m/s] of `ldy` being known. Patches share no body that moves, so all are solved at
// once.
void solve_patches(LocalDynamics& ldy, const std::vector<Patch>& patches, double residual, double enough,
                   ChosenSweep& sweep, IterateWatch& watch) {
  std::vector<LocalDynamics> graphs = extract_patches(ldy, patches);
  const double least = kFall * residual / std::sqrt(static_cast<double>(patches.size()));
  const StopOptions left = watch.left(0);
  std::size_t constraints = 0;
  for (const Patch& patch : patches) constraints += patch.size();
  std::vector<SolveReport> reports(patches.size());
  std::vector<std::uint8_t> solved(patches.size(), 0);
  in_parallel(std::ssize(patches), left.threads, 1, [&](std::int64_t p) {
    LocalDynamics& graph = graphs[p];
    const double norm = load_norm(graph);
    const double before = evaluate_residual(graph).scaled * norm;
    if (!(before > std::max(least, enough)) || watch.out_of_time() || watch.out_of_work()) return;
    NewtonOptions newton;
    newton.stop.tolerance = std::max(kFall * before, enough) / norm;
    newton.stop.max_iterations = kNewtonSteps;
    newton.stop.max_seconds = left.max_seconds;
    newton.stop.max_work = left.max_work * static_cast<double>(patches[p].size()) / static_cast<double>(constraints);
    newton.stop.interrupt = left.interrupt;
    newton.first_sweeps = 0;
    newton.first_proximal = kFirstProximal;
    reports[p] = solve_newton(graph, newton);
    solved[p] = 1;
  });
  for (std::size_t p = 0; p < patches.size(); ++p) {
    if (solved[p] == 0) continue;
    watch.report().add_cost(reports[p]);
    ldy.take_back(graphs[p], patches[p]);
    sweep.read_reactions(patches[p]);
  }
}

}  // namespace

SolveReport solve_schwarz(LocalDynamics& ldy, const SchwarzOptions& options) {
  check_schwarz(options);
  const StopOptions& stop = options.stop;
  std::unique_ptr<ChosenSweep> sweep;
  IterateWatch watch(ldy, stop, "schwarz", [&sweep](LocalDynamics& judged, int threads) {
    return sweep ? sweep->judge(judged, threads) : judge_by_residual(judged, threads);
  });
  SolveReport& report = watch.report();
  watch.judge(0);
  if (watch.over(0)) return watch.finish(0);

  const auto spread_out = [&](double spread) {
    if (spread <= options.most_spread) return false;
    watch.end(SolveStatus::stalled, "the residual is spread over " + std::to_string(spread) + " of the constraints");
    return true;
  };
  // Where the blocks would have to be made for it there must be patches at once.
  if (!ldy.has_blocks() && spread_out(spread_of_residual(ldy, options.patches.cover, stop.threads))) {
    return watch.finish(0);
  }
  ldy.require_blocks(stop.threads);  // which tell the neighbours of a patch
  sweep = choose_sweep(ldy, {.stop = stop, .form = form_of(ldy)});
  report.stages.setup = watch.seconds() - report.stages.residual;
  const double enough = 0.1 * stop.tolerance * watch.load_norm();
  Patience patience(Patience::kHalved, options.patience + 1);
  PatchOptions patches = options.patches;
  long done = 0, rounds = 0;
  double last = watch.best();
  while (!watch.over(done)) {
    const double entered = watch.seconds(), swept = sweep->products();
    const long end = std::min(done + options.sweeps, stop.max_iterations);
    const bool patches_first = options.swept && rounds == 0;
    for (double change = INFINITY; !patches_first && done < end && change > enough; ++done) {
      change = sweep->run_active(1.0);
    }
    report.block_products += sweep->products() - swept;
    report.stages.sweeps += watch.seconds() - entered;
    const double residual = patches_first ? watch.best() : watch.judge(done);
    patience.note(watch.best(), ++rounds);
    if (patience.spent(rounds)) watch.end(SolveStatus::stalled, patience.reason(rounds, "rounds"));
    if (watch.over(done)) break;
    // Where solving them changed little it is with their surroundings that they are not at rest.
    if (rounds > 1 && residual > Patience::kHalved * last) {
      ++patches.rings;
      patches.largest *= 2;
    }
    last = residual;
    const Patches found = find_patches(ldy, patches, stop.threads);
    if (spread_out(found.spread)) break;
    solve_patches(ldy, found.patch, residual * watch.load_norm(), enough, *sweep, watch);
  }
  return watch.finish(done);
}

}  // namespace locdyn::detail
