#include <locdyn/solver/newton/newton.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/solver/newton/proximal_newton.hpp>

namespace locdyn {
namespace {

void check_newton(const NewtonOptions& options) {
  const auto positive = [](double value, const char* name) {
    if (!(value > 0) || !std::isfinite(value)) {
      throw std::invalid_argument(std::string("newton: ") + name + ": expected a finite number > 0, found " +
                                  std::to_string(value));
    }
  };
  positive(options.augmentation, "augmentation");
  positive(options.first_proximal, "first_proximal");
  positive(options.least_proximal, "least_proximal");
  if (options.first_sweeps < 0 || options.outer_iterations < 1) {
    throw std::invalid_argument("newton: first_sweeps, outer_iterations: expected >= 0 and >= 1, found " +
                                std::to_string(options.first_sweeps) + " and " +
                                std::to_string(options.outer_iterations));
  }
}

// A centre reached in few steps lets the weight fall by 10, one in some more by 2; a hard one leaves it.
constexpr long kEasySteps = 3;
constexpr long kHardSteps = 6;
// In the space of velocities, where warm starts come from time steps, the first weight follows the residual down to
// this.
constexpr double kWarmProximal = 1e-6;

// The R that the proximal term is centred on.
class Centre {
 public:
  explicit Centre(LocalDynamics& ldy) : ldy_(ldy), R_(ldy.diagonal_arena().size()) { take(); }

  void take() {
    for (std::size_t place = 0; place < R_.size(); ++place) R_[place] = ldy_.diagonal_arena()[place].R;
  }
  void restore() {
    for (std::size_t place = 0; place < R_.size(); ++place) ldy_.diagonal_arena()[place].R = R_[place];
  }

 private:
  LocalDynamics& ldy_;
  std::vector<Eigen::Vector3d> R_;  // by place in the arena
};

}  // namespace

SolveReport solve_newton(LocalDynamics& ldy, const NewtonOptions& options) {
  check_newton(options);
  const StopOptions& stop = options.stop;
  IterateWatch watch(ldy, stop, "newton");
  SolveReport& report = watch.report();
  watch.judge(0);
  if (watch.converged()) return watch.finish(SolveStatus::converged, "", 0);

  // A few sweeps find most of the active set.
  GaussSeidelSweep sweep(ldy);
  ProximalNewton newton(ldy, options, sweep, watch);
  report.stages.setup = watch.seconds() - report.stages.residual;
  const double blocks = static_cast<double>(ldy.row_count() + ldy.off_diagonal_count());
  for (long k = 0; k < options.first_sweeps && !watch.out_of_time(); ++k) {
    sweep.run(SweepDirection::forward, 1.0);
    report.block_products += blocks;
  }
  report.stages.sweeps = watch.seconds() - report.stages.setup - report.stages.residual;
  double reached = watch.judge(0);

  // The centre moves to each regularised solution, even where the residual grows a little on the way: a long walk along
  // the null space of W is made of such steps. What fails with one augmentation is tried with the next.
  Centre centre(ldy);
  constexpr std::array kAugmentations = {1.0, 10.0, 0.3};
  double weight = options.first_proximal;
  if (works_in_velocities(ldy)) weight = std::min(weight, std::max(reached, kWarmProximal));
  std::size_t turn = 0;
  for (long outer = 0; outer < options.outer_iterations && !watch.converged(); ++outer) {
    if (watch.out_of_time()) return watch.finish(SolveStatus::max_time, "the time limit came first", newton.steps());
    if (newton.steps() >= stop.max_iterations) {
      return watch.finish(SolveStatus::max_iterations, "the limit of Newton steps came first", newton.steps());
    }
    sweep.set_proximal(weight);
    const long before = newton.steps();
    const bool solved = newton.solve(0.1 * reached, options.augmentation * kAugmentations[turn]);
    const double residual = watch.judge(newton.steps());
    if (solved || residual < reached) {
      reached = residual;
      centre.take();
    } else {
      centre.restore();
    }
    if (solved) {
      const long cost = newton.steps() - before;
      const double fall = cost <= kEasySteps ? 10 : cost <= kHardSteps ? 2 : 1;
      weight = std::max(weight / fall, options.least_proximal);
    } else {
      weight = std::min(weight * 5, 1.0);
      turn = (turn + 1) % kAugmentations.size();
    }
  }
  return watch.finish(SolveStatus::stalled,
                      "no proximal centre brought the residual down in " + std::to_string(options.outer_iterations) +
                          " outer iterations",
                      newton.steps());
}

}  // namespace locdyn
