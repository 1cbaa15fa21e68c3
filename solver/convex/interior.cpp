#include <locdyn/solver/convex/interior.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include <locdyn/solver/convex/cone_program.hpp>
#include <locdyn/solver/convex/interior_point.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/newton/finish_by_newton.hpp>
#include <locdyn/solver/patience.hpp>

namespace locdyn::detail {
namespace {

void check_interior(const InteriorOptions& options) {
  check_positive(options.proximal, "interior", "proximal");
  check_positive(options.least_proximal, "interior", "least_proximal");
  check_positive(options.most_proximal, "interior", "most_proximal");
  if (options.patience < 1) {
    throw std::invalid_argument("interior: patience: expected >= 1, found " + std::to_string(options.patience));
  }
}

// The convex problem is solved to this share of what the outer loop may reach next: the tolerance, or a tenth of what
// it has.
constexpr double kInnerShare = 0.1;
constexpr double kMostDrop = 0.1;
constexpr double kMoreDefinite = 10;  // times a, where W + a I is not positive definite

// The weight a follows what a turn did to the residual: larger where it grew, smaller where a keeps R from moving on.
double next_weight(double weight, double ratio, const InteriorOptions& options) {
  constexpr double kGrowth = 3, kDecay = 0.4, kSlow = 0.7;
  if (ratio > 1) return std::min(kGrowth * weight, options.most_proximal);
  if (ratio > kSlow) return std::max(kDecay * weight, options.least_proximal);
  return weight;
}

// In rounding x ∘ z of contacts on the boundary of their cones says nothing below some 1e-16 of its parts, and the
// residual comes to rest about 1e-9: the last digits are Newton's.
constexpr double kNearSolution = 1e-6;

}  // namespace

SolveReport solve_interior(LocalDynamics& ldy, const InteriorOptions& options) {
  check_interior(options);
  const StopOptions& stop = options.stop;
  IterateWatch watch(ldy, stop, "interior");
  SolveReport& report = watch.report();
  ConeProgram program(ldy);
  double value = watch.judge(0);
  if (watch.over(0)) return watch.finish(0);
  InteriorPoint inner(program);
  report.stages.setup = watch.seconds() - report.stages.residual;

  double weight = std::max(std::min(options.proximal, watch.best()), options.least_proximal);
  Patience patience(Patience::kHalved, options.patience, watch.best());
  long turn = 0;
  bool at_rest = false;
  const auto may_step = [&](double seconds) { return watch.allows(inner.factorisations(), seconds); };
  while (!watch.over(inner.factorisations()) && !patience.spent(turn) && !at_rest) {
    const double entered = watch.seconds();
    program.centre_on(ldy);
    const double reached = program.residual(program.centre(), program.velocity_at_centre());
    const double target = kInnerShare * reached * std::max(kMostDrop, std::min(1.0, stop.tolerance / value));
    const InteriorPoint::End end = inner.solve(weight, target, may_step);
    report.factorisations = inner.factorisations();
    report.factorisation_flops = inner.flops();
    report.stages.factorisation += watch.seconds() - entered;
    if (end == InteriorPoint::End::not_definite) {
      weight *= kMoreDefinite;
      if (weight > 1) watch.end(SolveStatus::failed, "W is not positive semidefinite");
      continue;
    }
    program.write(inner.reaction(), ldy);
    const double before = value;
    value = watch.judge(inner.factorisations());
    weight = next_weight(weight, value / before, options);
    patience.note(watch.best(), ++turn);
    at_rest = end == InteriorPoint::End::no_progress && watch.best() <= kNearSolution;
  }
  long done = inner.factorisations();
  if (!watch.over(done) && watch.best() <= kNearSolution) done += finish_by_newton(ldy, watch, done);
  if (!watch.over(done)) watch.end(SolveStatus::stalled, patience.reason(turn, "convex problems"));
  return watch.finish(done);
}

}  // namespace locdyn::detail
