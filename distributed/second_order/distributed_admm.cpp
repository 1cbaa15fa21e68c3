#include <locdyn/distributed/second_order/distributed_admm.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/contact/coulomb_cone.hpp>
#include <locdyn/distributed/distributed_watch.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/convex/admm_rules.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/patience.hpp>

namespace locdyn::distributed {
namespace {

namespace rules = detail::admm_rules;

void check_distributed_admm(const DistributedAdmmOptions& options) {
  const auto refuse = [](const char* field, const char* expected, double found) {
    throw std::invalid_argument(std::string("distributed admm: ") + field + ": expected " + expected + ", found " +
                                std::to_string(found));
  };
  if (!(options.tolerance > 0 && std::isfinite(options.tolerance))) {
    refuse("tolerance", "a number > 0", options.tolerance);
  }
  if (options.max_steps < 0) refuse("max_steps", "at least 0", static_cast<double>(options.max_steps));
  if (!(options.penalty > 0 && std::isfinite(options.penalty))) refuse("penalty", "a number > 0", options.penalty);
  if (!(options.relaxation > 0 && options.relaxation < 2)) {
    refuse("relaxation", "a number in (0, 2)", options.relaxation);
  }
  if (options.patience < 1) refuse("patience", "at least 1", static_cast<double>(options.patience));
}

struct AdmmRow {
  Eigen::Vector3d in_use = Eigen::Vector3d::Zero();      // 1 where a row is an unknown
  Eigen::Vector3d compliance = Eigen::Vector3d::Zero();  // C
  Eigen::Vector3d b = Eigen::Vector3d::Zero();           // B + σ
  double weight = 0;                                     // w² [velocity/force]
  double friction = 0;
  bool contact = false;
};

AdmmRow admm_row(const LocalDynamics& ldy, const DiagonalBlock& at) {
  const Law& law = ldy.law(at.constraint);
  const int block = ldy.block_of(at);
  AdmmRow row;
  row.contact = is_contact(law);
  row.friction = friction_discs(law).sliding[0];
  row.compliance = compliance(law, block);
  // R_t of a contact without friction is no unknown.
  const RowMask used = rows(law, block), unknown = row.contact && row.friction == 0 ? kRowNormal : used;
  Eigen::Matrix3d W = at.W;
  if (row.contact) W.diagonal() += row.compliance;
  row.weight = 1 / row_scale(W, used);
  const Eigen::Vector3d free = at.B + offset(law, block);
  for (int k = 0; k < 3; ++k) {
    if (!uses(unknown, k)) continue;
    row.in_use[k] = 1;
    row.b[k] = free[k];
  }
  return row;
}

// x, z and u of this rank's rows, by place in the arena.
class RowsOfRank {
 public:
  RowsOfRank(DistributedGraph& graph, const DistributedAdmmOptions& options)
      : graph_(graph), penalty_(options.penalty), relaxation_(options.relaxation) {
    agree_on(graph.comm(), [&] { list(); });
    linear_ = std::make_unique<VelocityOperator>(graph, options.linear);
    for (auto* vectors : {&x_, &z_, &u_, &before_, &right_, &pull_, &motion_, &K_}) {
      vectors->assign(rows_.size(), Eigen::Vector3d::Zero());
    }
  }

  /// z = R, u = Û there, of the graph that has been judged.
  void start() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const DiagonalBlock& at = graph_.ldy().diagonal_arena()[i];
      const AdmmRow& row = rows_[i];
      z_[i] = at.R.cwiseProduct(row.in_use);
      if (!row.contact) continue;
      Eigen::Vector3d U = at.U + offset(graph_.ldy().law(at.constraint), 0) + row.compliance.cwiseProduct(at.R);
      U[2] += row.friction * U.head<2>().norm();
      u_[i] = U.cwiseProduct(row.in_use);
    }
  }

  [[nodiscard]] bool prepare() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Eigen::Vector3d D = Eigen::Vector3d::Constant(penalty_ * rows_[i].weight) + rows_[i].compliance;
      K_[i] = (rows_[i].in_use.array() != 0).select(D.cwiseInverse(), 0.0);
    }
    return linear_->prepare(K_);
  }

  [[nodiscard]] bool step() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      right_[i] = penalty_ * rows_[i].weight * z_[i] + u_[i] - rows_[i].b;
      if (rows_[i].contact) right_[i][2] -= rows_[i].friction * u_[i].head<2>().norm();
      pull_[i] = K_[i].cwiseProduct(right_[i]);
    }
    if (!linear_->solve(pull_, motion_)) return false;
    before_.swap(z_);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const double rho = penalty_ * rows_[i].weight;
      x_[i] = K_[i].cwiseProduct(right_[i] - motion_[i]);
      const Eigen::Vector3d relaxed = relaxation_ * x_[i] + (1 - relaxation_) * before_[i];
      const Eigen::Vector3d z = relaxed - u_[i] / rho;
      z_[i] = (rows_[i].contact ? project_on_cone(z, rows_[i].friction) : z).cwiseProduct(rows_[i].in_use);
      u_[i] = rho * (z_[i] - z).cwiseProduct(rows_[i].in_use);
    }
    return true;
  }

  /// Of all ranks, forces times w and velocities over it: in one unit.
  [[nodiscard]] bool balance() {
    std::array<double, 4> sums{};
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      sums[0] += rows_[i].weight * (x_[i] - z_[i]).squaredNorm();
      sums[1] += rows_[i].weight * x_[i].squaredNorm();
      sums[2] += rows_[i].weight * (z_[i] - before_[i]).squaredNorm();
      sums[3] += u_[i].squaredNorm() / rows_[i].weight;
    }
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 4, MPI_DOUBLE, MPI_SUM, graph_.comm());
    const double change = rules::balance({sums[0], sums[1], sums[2], sums[3]}, penalty_);
    penalty_ *= change;
    return change != 1;
  }
  void raise() { penalty_ *= rules::kRaise; }

  void write() {
    for (std::size_t i = 0; i < rows_.size(); ++i) graph_.ldy().diagonal_arena()[i].R = z_[i];
  }
  [[nodiscard]] const VelocityOperator& linear() const noexcept { return *linear_; }
  [[nodiscard]] double penalty() const noexcept { return penalty_; }

 private:
  void list() {
    const LocalDynamics& ldy = graph_.ldy();
    for (const DiagonalBlock& at : ldy.diagonal_arena()) {
      const Law& law = ldy.law(at.constraint);
      if (!is_coulomb(law) && !is_bilateral(law)) {
        throw std::invalid_argument("distributed admm: constraint " +
                                    std::to_string(graph_.constraints()[at.constraint]) +
                                    ": expected Coulomb friction or a bilateral law, found " + law_name(law));
      }
      rows_.push_back(admm_row(ldy, at));
    }
  }

  DistributedGraph& graph_;
  std::unique_ptr<VelocityOperator> linear_;
  std::vector<AdmmRow> rows_;
  std::vector<Eigen::Vector3d> x_, z_, u_, before_, right_, pull_, motion_, K_;
  double penalty_, relaxation_;
};

}  // namespace

DistributedAdmmReport solve_distributed_admm(DistributedGraph& graph, const DistributedAdmmOptions& options) {
  check_distributed_admm(options);
  const double began = MPI_Wtime();
  DistributedAdmmReport report;
  RowsOfRank directions(graph, options);
  DistributedSweeps sweeps(graph);
  DistributedWatch watch(graph, sweeps, options.tolerance, report);
  watch.judge(0);
  directions.start();
  long& done = report.sweeps;
  const auto prepare = [&] {
    const double entered = MPI_Wtime();
    const bool prepared = directions.prepare();
    ++report.factorisations;
    report.sweep_seconds += MPI_Wtime() - entered;
    if (prepared) return true;
    report.reason = "the factor of the linear system does not fit";
    return false;
  };
  const auto step_on = [&](long end) {
    const double entered = MPI_Wtime();
    bool solved = true;
    for (; done < end && solved; ++done) solved = directions.step();
    report.sweep_seconds += MPI_Wtime() - entered;
    if (!solved) report.reason = "conjugate gradients did not come to their tolerance";
    return solved;
  };

  detail::Patience patience(rules::kFallsTo, options.patience, watch.best());
  long balanced = 0;
  int raises = 0;
  bool going = watch.over() ? false : prepare();  // where it is not, the status stays `failed` with its reason
  while (going) {
    if (done >= options.max_steps) {
      report.status = SolveStatus::max_iterations;
      report.reason = kIterationLimit;
      break;
    }
    if (!step_on(std::min(done + rules::kStepsPerCheck, options.max_steps))) break;
    directions.write();
    watch.judge_graph(done);
    if (watch.over()) break;
    if (patience.note(watch.best(), done)) raises = 0;
    if (patience.spent(done)) {
      if (raises == rules::kMostRaises || !options.balance) {
        report.status = SolveStatus::stalled;
        report.reason = "no penalty brought the residual down by a tenth";
        break;
      }
      directions.raise();
      ++raises;
      patience.restart(done);
      going = prepare();
    } else if (options.balance && raises == 0 && done - balanced >= rules::kStepsPerPenalty && directions.balance()) {
      balanced = done;
      going = prepare();
    }
  }
  watch.finish();
  report.method = directions.linear().method();
  report.unknowns = directions.linear().all_unknowns();
  report.linear_iterations = directions.linear().iterations();
  report.direct_megabytes = directions.linear().direct_megabytes();
  report.penalty = directions.penalty();
  report.seconds = MPI_Wtime() - began;
  return report;
}

}  // namespace locdyn::distributed
