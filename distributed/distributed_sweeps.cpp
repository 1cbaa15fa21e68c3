#include <locdyn/distributed/distributed_sweeps.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include <locdyn/distributed/distributed_watch.hpp>
#include <locdyn/distributed/exact_sum.hpp>
#include <locdyn/ldy/residual_terms.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/patience.hpp>

namespace locdyn::distributed {
namespace {

constexpr std::size_t kLine = 8;           // numbers
constexpr long kSweepsBetweenChecks = 12;  // a residual costs about as much as two sweeps

void check_distributed(const DistributedOptions& options) {
  const auto refuse = [](const char* field, const char* expected, double found) {
    throw std::invalid_argument(std::string("distributed sweeps: ") + field + ": expected " + expected + ", found " +
                                std::to_string(found));
  };
  if (!(options.tolerance > 0 && std::isfinite(options.tolerance))) {
    refuse("tolerance", "a number > 0", options.tolerance);
  }
  if (options.max_sweeps < 0) refuse("max_sweeps", "at least 0", static_cast<double>(options.max_sweeps));
  if (!(options.relaxation > 0 && options.relaxation < 2))
    refuse("relaxation", "a number in (0, 2)", options.relaxation);
  if (!(options.split_relaxation > 0 && options.split_relaxation <= 1)) {
    refuse("split_relaxation", "a number in (0, 1]", options.split_relaxation);
  }
  if (options.stall_window < 1) refuse("stall_window", "at least 1", static_cast<double>(options.stall_window));
}

}  // namespace

DistributedSweeps::DistributedSweeps(DistributedGraph& graph) : graph_(graph) {
  agree_on(graph.comm(), [&] { sweep_ = std::make_unique<detail::VelocitySweep>(graph.ldy(), graph.schedule()); });
  sweep_->fetch_bodies_ahead();
  halo_ = std::make_unique<Halo>(graph, *sweep_);
  for (Index batch = 0; batch < graph.schedule().batch_count(); ++batch) all_batches_.push_back(batch);
  for (std::size_t line = 0; line < halo_->shared().size(); ++line) {
    if (halo_->shared()[line] != 0) shared_lines_.push_back(line);
  }
  reload();
}

void DistributedSweeps::sweep(double relaxation) {
  const std::span<double> lines = sweep_->velocity_lines();
  for (int colour = 0; colour < graph_.colour_count(); ++colour) {
    halo_->begin(colour, lines);
    (void)sweep_->run_batches(halo_->interior(colour), relaxation);
    halo_->end(colour, lines);
    (void)sweep_->run_batches(halo_->boundary(colour), relaxation);
  }
}

void DistributedSweeps::split_sweep(double relaxation) {
  const std::span<double> lines = sweep_->velocity_lines();
  before_.resize(lines.size());
  changes_.resize(lines.size(), 0.0);
  for (const std::uint64_t line : shared_lines_) {
    std::copy_n(lines.begin() + static_cast<std::ptrdiff_t>(line * kLine), kLine,
                before_.begin() + static_cast<std::ptrdiff_t>(line * kLine));
  }
  (void)sweep_->run_batches(all_batches_, relaxation);
  for (const std::uint64_t line : shared_lines_) {
    for (std::size_t k = line * kLine; k < (line + 1) * kLine; ++k) changes_[k] = lines[k] - before_[k];
  }
  halo_->add_to_last(changes_, lines);
  halo_->share_last(lines);
}

void DistributedSweeps::reload() {
  sweep_->forget_velocities();
  const std::span<double> lines = sweep_->velocity_lines();
  for (int colour = 0; colour < graph_.colour_count(); ++colour) {
    halo_->begin(colour, lines);
    for (const Index batch : halo_->interior(colour)) sweep_->read_batch(batch);
    halo_->end(colour, lines);
    for (const Index batch : halo_->boundary(colour)) sweep_->read_batch(batch);
  }
  halo_->share_last(lines);
}

Residual DistributedSweeps::judge() {
  sweep_->write_reactions();
  return judge_graph();
}

Residual DistributedSweeps::judge_graph() {
  reload();
  sweep_->write_velocities();

  LocalDynamics& ldy = graph_.ldy();
  std::array<ExactSum, 4> sums;  // scaled², absolute², ‖b‖², ‖R‖²
  detail::ResidualTerms most;
  double worst = -1;
  constexpr GlobalId kNobody = std::numeric_limits<GlobalId>::max();
  worst_ = kNobody;
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    const detail::ResidualTerms terms = detail::residual_terms(ldy, id);
    sums[0].add(terms.scaled2);
    sums[1].add(terms.absolute2);
    sums[2].add(terms.b2);
    sums[3].add(terms.R2);
    most.trace = std::max(most.trace, terms.trace);
    most.cone = std::max(most.cone, terms.cone);
    most.penetration = std::max(most.penetration, terms.penetration);
    most.complementarity = std::max(most.complementarity, terms.complementarity);
    const GlobalId name = graph_.constraints()[id];
    if (terms.scaled2 > worst || (terms.scaled2 == worst && name < worst_)) {
      worst = terms.scaled2;
      worst_ = name;
    }
  }
  const MPI_Comm comm = graph_.comm();
  ExactSum::add_over_ranks(comm, sums.data(), static_cast<int>(sums.size()));
  std::array<double, 5> largest = {worst, most.trace, most.cone, most.penetration, most.complementarity};
  MPI_Allreduce(MPI_IN_PLACE, largest.data(), 5, MPI_DOUBLE, MPI_MAX, comm);
  if (worst != largest[0]) worst_ = kNobody;
  MPI_Allreduce(MPI_IN_PLACE, &worst_, 1, MPI_UINT64_T, MPI_MIN, comm);

  const double b2 = sums[2].value();
  const double norm = b2 > 0 ? std::sqrt(b2) : 1.0;
  Residual residual;
  residual.scaled = std::sqrt(sums[0].value()) / norm;
  residual.absolute = std::sqrt(sums[1].value());
  residual.relative = residual.absolute / norm;
  residual.floor = 8 * std::numeric_limits<double>::epsilon() * largest[1] * std::sqrt(sums[3].value()) / norm;
  residual.cone = largest[2];
  residual.penetration = largest[3];
  residual.complementarity = largest[4];
  return residual;
}

double DistributedSweeps::shared_constraints() const {
  const LocalDynamics& ldy = graph_.ldy();
  const auto* arena = ldy.diagonal_arena().data();
  std::array<std::uint64_t, 2> count = {0, ldy.constraint_count()};
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    for (const Coupling& c : ldy.factor()->couplings(static_cast<Index>(&ldy.row(id) - arena))) {
      if (halo_->shared()[sweep_->first_line(c.body)] == 0) continue;
      ++count[0];
      break;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, count.data(), 2, MPI_UINT64_T, MPI_SUM, graph_.comm());
  return count[1] == 0 ? 0 : static_cast<double>(count[0]) / static_cast<double>(count[1]);
}

DistributedReport solve_distributed(DistributedGraph& graph, const DistributedOptions& options) {
  check_distributed(options);
  const double began = MPI_Wtime();
  DistributedSweeps sweeps(graph);
  DistributedReport report;
  DistributedWatch watch(graph, sweeps, options.tolerance, report);
  double scaled = watch.judge(0).scaled;
  detail::Patience patience(detail::Patience::kOnePercentLess, options.stall_window);
  while (!watch.over()) {
    (void)patience.note(scaled, report.sweeps);
    if (report.sweeps >= options.max_sweeps) {
      report.status = SolveStatus::max_iterations;
      report.reason = kIterationLimit;
      break;
    }
    if (patience.spent(report.sweeps, std::max(options.stall_window, report.sweeps / 2) + 1)) {
      report.status = SolveStatus::stalled;
      report.reason = patience.reason(report.sweeps, "sweeps");
      break;
    }
    const long most = std::min(options.max_sweeps - report.sweeps, std::clamp(report.sweeps, 1L, kSweepsBetweenChecks));
    const double entered = MPI_Wtime();
    for (long k = 0; k < most; ++k) {
      options.mode == SweepMode::exact ? sweeps.sweep(options.relaxation)
                                       : sweeps.split_sweep(options.split_relaxation);
    }
    report.sweeps += most;
    report.sweep_seconds += MPI_Wtime() - entered;
    scaled = watch.judge(report.sweeps).scaled;
  }
  watch.finish();
  report.seconds = MPI_Wtime() - began;
  return report;
}

}  // namespace locdyn::distributed
