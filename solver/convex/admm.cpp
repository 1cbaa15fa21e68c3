#include <locdyn/solver/convex/admm.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/contact/coulomb_cone.hpp>
#include <locdyn/solver/convex/admm_rules.hpp>
#include <locdyn/solver/convex/block_triangle.hpp>
#include <locdyn/solver/convex/cone_program.hpp>
#include <locdyn/solver/convex/positive_factor.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/patience.hpp>

namespace locdyn::detail {
namespace {

void check_admm(const AdmmOptions& options) {
  check_positive(options.penalty, "admm", "penalty");
  if (!(options.relaxation > 0 && options.relaxation < 2)) {
    throw std::invalid_argument("admm: relaxation: expected a number in (0, 2), found " +
                                std::to_string(options.relaxation));
  }
  if (options.patience < 1) {
    throw std::invalid_argument("admm: patience: expected >= 1, found " + std::to_string(options.patience));
  }
}

// x, z and u of a cone program, by row, in its scaled variables.
class AlternatingDirections {
 public:
  AlternatingDirections(const ConeProgram& program, double penalty, double relaxation)
      : program_(program), triangle_(program), penalty_(penalty), relaxation_(relaxation) {
    const std::size_t rows = program.rows().size();
    x_.assign(rows, Eigen::Vector3d::Zero());
    before_ = x_;
    right_.resize(static_cast<std::size_t>(program.unknowns()));
    factor_.analyse(triangle_.matrix());
  }

  /// z = R̄, u = Û there.
  void start() {
    z_ = program_.centre();
    u_ = program_.velocity_at_centre();
    for (std::size_t i = 0; i < u_.size(); ++i) {
      if (!program_.rows()[i].contact) u_[i].setZero();
    }
    take_load();
  }

  /// b as it is at R̄: with what W has beyond its symmetric part.
  void take_load() {
    load_ = program_.load();
    for (std::size_t i = 0; i < load_.size(); ++i) {
      const ConeProgram::Row& row = program_.rows()[i];
      if (row.contact) load_[i][2] -= row.friction * program_.velocity_at_centre()[i].head<2>().norm();
    }
  }

  /// Factors W + C + ρ I, with a larger ρ where that is not definite, as long as `watch` allows it after so many steps.
  [[nodiscard]] bool factorise(IterateWatch& watch, long done) {
    for (; penalty_ <= admm_rules::kLargestPenalty; penalty_ *= admm_rules::kMostChange) {
      if (!watch.allows(done, factor_.expected_seconds())) return false;
      const auto& blocks = program_.blocks();
      for (std::size_t b = 0; b < blocks.size(); ++b) triangle_.put(b, block_of_unknowns(blocks[b]));
      const bool definite = factor_.factorise(triangle_.matrix());
      ++watch.report().factorisations;
      watch.report().factorisation_flops += factor_.flops();
      if (definite) return true;
    }
    watch.end(SolveStatus::failed, "W is not positive semidefinite");
    return false;
  }

  void step() {
    const auto& rows = program_.rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Eigen::Vector3d right = penalty_ * z_[i] + u_[i] - load_[i];
      if (rows[i].contact) right[2] -= rows[i].friction * u_[i].head<2>().norm();
      for (int k = 0, unknown = rows[i].first; k < 3; ++k) {
        if (rows[i].in_use[k] != 0) right_[unknown++] = right[k];
      }
    }
    factor_.solve(right_);
    before_.swap(z_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (int k = 0, unknown = rows[i].first; k < 3; ++k) {
        x_[i][k] = rows[i].in_use[k] != 0 ? right_[unknown++] : 0;
      }
      const Eigen::Vector3d relaxed = relaxation_ * x_[i] + (1 - relaxation_) * before_[i];
      const Eigen::Vector3d z = relaxed - u_[i] / penalty_;
      z_[i] = rows[i].contact ? project_on_cone(z, rows[i].friction) : z;
      u_[i] = penalty_ * (z_[i] - z);
    }
  }

  /// Moves ρ to where R and Û change by the same share; false where it is near enough.
  [[nodiscard]] bool balance() {
    admm_rules::Changes all;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      all.apart += (x_[i] - z_[i]).squaredNorm();
      all.x += x_[i].squaredNorm();
      all.change += (z_[i] - before_[i]).squaredNorm();
      all.u += u_[i].squaredNorm();
    }
    const double change = admm_rules::balance(all, penalty_);
    penalty_ *= change;
    return change != 1;
  }

  void raise() { penalty_ *= admm_rules::kRaise; }

  [[nodiscard]] const std::vector<Eigen::Vector3d>& reaction() const noexcept { return z_; }
  /// Of the two triangular solves, in 3×3 blocks.
  [[nodiscard]] double products_per_step() const noexcept { return 2 * factor_.entries() / 9; }

 private:
  // What W + C + ρ I has in a block, its unknowns first.
  [[nodiscard]] Eigen::Matrix3d block_of_unknowns(const ConeProgram::Block& block) const {
    const ConeProgram::Row& row = program_.rows()[block.row];
    const ConeProgram::Row& column = program_.rows()[block.column];
    Eigen::Matrix3d whole = block.W, K = Eigen::Matrix3d::Zero();
    if (block.row == block.column) whole.diagonal() += row.stiffness + Eigen::Vector3d::Constant(penalty_);
    for (int l = 0, to_column = 0; l < 3; ++l) {
      if (column.in_use[l] == 0) continue;
      for (int k = 0, to_row = 0; k < 3; ++k) {
        if (row.in_use[k] != 0) K(to_row++, to_column) = whole(k, l);
      }
      ++to_column;
    }
    return K;
  }

  const ConeProgram& program_;
  BlockTriangle triangle_;
  PositiveFactor factor_;
  std::vector<Eigen::Vector3d> x_, z_, u_, load_, before_;
  std::vector<double> right_;
  double penalty_, relaxation_;
};

}  // namespace

SolveReport solve_admm(LocalDynamics& ldy, const AdmmOptions& options) {
  check_admm(options);
  const StopOptions& stop = options.stop;
  IterateWatch watch(ldy, stop, "admm");
  SolveReport& report = watch.report();
  ConeProgram program(ldy);
  watch.judge(0);
  if (watch.over(0)) return watch.finish(0);
  AlternatingDirections directions(program, options.penalty, options.relaxation);
  program.centre_on(ldy);
  directions.start();
  bool factored = directions.factorise(watch, 0);
  report.stages.setup = watch.seconds() - report.stages.residual;

  Patience patience(admm_rules::kFallsTo, options.patience, watch.best());
  long done = 0, balanced = 0;
  int raises = 0;
  while (factored) {
    const double entered = watch.seconds();
    const long end = std::min(done + admm_rules::kStepsPerCheck, stop.max_iterations);
    for (; done < end && !watch.out_of_time(); ++done) {
      directions.step();
      report.block_products += directions.products_per_step();
    }
    report.stages.factorisation += watch.seconds() - entered;
    program.write(directions.reaction(), ldy);
    watch.judge(done);
    watch.end_unless_finite();
    if (patience.note(watch.best(), done)) raises = 0;
    const bool lost = patience.spent(done);
    if (lost && raises == admm_rules::kMostRaises) {
      watch.end(SolveStatus::stalled, "no penalty brought the residual down by a tenth");
    }
    if (watch.over(done)) break;
    program.centre_on(ldy);
    directions.take_load();
    if (lost) {
      directions.raise();
      ++raises;
      patience.restart(done);
      factored = directions.factorise(watch, done);
    } else if (raises == 0 && done - balanced >= admm_rules::kStepsPerPenalty && directions.balance()) {
      balanced = done;
      factored = directions.factorise(watch, done);
    }
  }
  return watch.finish(done);
}

}  // namespace locdyn::detail
