#include <locdyn/distributed/second_order/distributed_newton.hpp>

#include <locdyn/distributed/exact_sum.hpp>
#include <locdyn/solver/newton/newton.hpp>
#include <locdyn/solver/newton/velocity_system.hpp>
#include <locdyn/solver/newton/whole_graph.hpp>

namespace locdyn::distributed {
namespace {

using OperatorSystem = detail::VelocitySystemOf<VelocityOperator>;

// What Newton asks of all ranks' rows.
class WholeOfRanks final : public detail::WholeGraph {
 public:
  explicit WholeOfRanks(DistributedGraph& graph) : graph_(graph), sweeps_(graph) {}

  [[nodiscard]] Residual residual() override { return sweeps_.judge_graph(); }
  void update_velocities() override {
    sweeps_.reload();
    sweeps_.local().write_velocities();
  }
  void sweep(long count, detail::IterateWatch&) override {
    sweeps_.reload();
    for (long k = 0; k < count; ++k) sweeps_.sweep(1);
    sweeps_.local().write_reactions();
  }
  // To the same bits on all ranks, which decide by it.
  [[nodiscard]] double sum(double part) const override {
    ExactSum sum;
    sum.add(part);
    ExactSum::add_over_ranks(graph_.comm(), &sum, 1);
    return sum.value();
  }
  [[nodiscard]] GlobalId worst() const noexcept { return sweeps_.worst(); }

 private:
  DistributedGraph& graph_;
  DistributedSweeps sweeps_;
};

}  // namespace

DistributedNewtonReport solve_distributed_newton(DistributedGraph& graph, const DistributedNewtonOptions& options) {
  const double began = MPI_Wtime();
  NewtonOptions newton;
  newton.stop.tolerance = options.tolerance;
  newton.stop.max_iterations = options.max_steps;
  newton.first_sweeps = options.first_sweeps;
  newton.patience = options.patience;
  agree_on(graph.comm(), [&] {
    check_options(newton.stop, "distributed newton");
    check_problem(graph.ldy(), "distributed newton");
  });
  WholeOfRanks whole(graph);
  OperatorSystem system(graph.ldy(), graph, options.linear, Symmetry::general);
  SolveReport solved = detail::solve_newton(graph.ldy(), whole, system, newton);

  DistributedNewtonReport report;
  report.status = solved.status;
  report.reason = std::move(solved.reason);
  report.sweeps = solved.iterations;
  report.residual = solved.residual;
  report.worst = whole.worst();
  report.history = std::move(solved.history);
  report.method = system.matrix().method();
  report.unknowns = system.matrix().all_unknowns();
  report.linear_iterations = system.matrix().iterations();
  report.direct_megabytes = system.matrix().direct_megabytes();
  report.sweep_seconds = solved.stages.factorisation;
  report.seconds = MPI_Wtime() - began;
  return report;
}

}  // namespace locdyn::distributed
