#include <locdyn/solver/convex/minimum_norm.hpp>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/solver/convex/cone_program.hpp>
#include <locdyn/solver/convex/interior.hpp>
#include <locdyn/solver/convex/interior_point.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/newton/newton.hpp>

namespace locdyn::detail {
namespace {

// a, over blocks of W with a unit mean diagonal. The velocities of R* are wrong by the tolerance, which a ‖R‖ must stay
// far above for the norm to count; modes of W below a take many steps. A wall of 100 bricks at rest, from step to step:
// reactions change by 1e-9 of the largest with 1e-6, by 3e-10 with 3e-6, by 8e-11 with 1e-5, with which a support that
// would have to pull does not reach 1e-10.
constexpr double kWeight = 3e-6;
constexpr double kTarget = 1e-13;
constexpr int kBregmanSteps = 20;
constexpr double kMostLeftByStep = 0.5;  // a step that leaves more than this of the residual is the last
constexpr double kNewtonFrom = 1e-5;
constexpr long kFinishPatience = 50;

}  // namespace

SolveReport minimise_norm(LocalDynamics& ldy, const StopOptions& stop) {
  if (!suits_convex(ldy)) {
    throw std::invalid_argument("minimum norm: expected contacts with Coulomb friction and bilateral laws alone");
  }
  IterateWatch known(ldy, stop, "minimum norm");
  known.judge(0);
  if (!known.converged()) {
    return known.finish(SolveStatus::failed, "minimum norm: expected reactions that meet the tolerance", 0);
  }
  if (ldy.row_count() == 0) return known.finish(SolveStatus::converged, "", 0);
  ConeProgram program(ldy, ConeProgram::Scaling::equal);
  program.centre_on(ldy);
  const std::vector<Eigen::Vector3d> solution = program.centre();
  std::vector<Eigen::Vector3d> held = solution;
  InteriorPoint inner(program);
  const auto may_step = [&](double seconds) {
    return inner.factorisations() < stop.max_iterations && known.has_time(seconds);
  };

  // A watch of its own: the known solution may have the smaller residual.
  IterateWatch least(ldy, stop, "minimum norm");
  double before = std::numeric_limits<double>::infinity();  // until a step has come to its end
  bool limited = false;
  for (int step = 0; step < kBregmanSteps; ++step) {
    program.centre_on_zero(held);
    const InteriorPoint::End end = inner.solve(kWeight, kTarget, may_step);
    limited = end == InteriorPoint::End::limit;
    if (limited) break;
    program.write(inner.reaction(), ldy);
    const double value = least.judge(inner.factorisations());
    if (!(value <= kMostLeftByStep * before)) break;  // nor where it is not a number
    before = value;
    if (end == InteriorPoint::End::not_definite) break;  // in rounding, at its end
    for (std::size_t i = 0; i < held.size(); ++i) held[i] += solution[i] - inner.reaction()[i];
  }
  long done = inner.factorisations();
  // The last digits are Newton's, which hardly moves R along the null space.
  if (before <= kNewtonFrom && !least.converged() && may_step(0)) {
    least.restore_best();
    NewtonOptions newton;
    newton.stop = known.left(done);
    newton.first_sweeps = 0;
    newton.patience = kFinishPatience;
    const SolveReport turn = solve_newton(ldy, newton);
    least.report().add_cost(turn);
    done += turn.iterations;
    least.judge(done);
  }
  SolveReport report = least.finish(SolveStatus::stalled, "", done);
  report.factorisations += inner.factorisations();
  report.factorisation_flops += inner.flops();
  report.seconds = known.seconds();
  if (report.status == SolveStatus::converged) return report;
  const SolveStatus status = done >= stop.max_iterations      ? SolveStatus::max_iterations
                             : limited || known.out_of_time() ? SolveStatus::max_time
                                                              : SolveStatus::stalled;
  report = known.finish(status, "", done);
  report.status = status;
  report.reason = "the reactions of least norm were not reached; those found first are left";
  return report;
}

}  // namespace locdyn::detail
