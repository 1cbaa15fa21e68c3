#include <locdyn/solver/convex/admm.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/contact/coulomb_cone.hpp>
#include <locdyn/solver/convex/block_triangle.hpp>
#include <locdyn/solver/convex/cone_program.hpp>
#include <locdyn/solver/convex/positive_factor.hpp>
#include <locdyn/solver/iterate_watch.hpp>

namespace locdyn {
namespace {

constexpr long kStepsPerCheck = 10;
constexpr long kStepsPerPenalty = 40;  // at least
constexpr double kUnbalanced = 3;      // √ of primal over dual change beyond which ρ follows, by at most
constexpr double kMostChange = 10;
constexpr double kFallsTo = 0.9;         // of the best residual within the patience
constexpr double kRaise = 3.2;           // of ρ, where the residual does not fall
constexpr int kMostRaises = 3;           // one after the other
constexpr double kLargestPenalty = 1e3;  // where W + ρ I is not definite yet, W is not near semidefinite

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

  enum class Factor { made, not_definite, no_time };

  /// Factors W + C + ρ I, with a larger ρ where that is not definite, as long as `watch` has the time.
  [[nodiscard]] Factor factorise(const IterateWatch& watch) {
    for (; penalty_ <= kLargestPenalty; penalty_ *= kMostChange) {
      if (!watch.has_time(factor_.expected_seconds())) return Factor::no_time;
      const auto& blocks = program_.blocks();
      for (std::size_t b = 0; b < blocks.size(); ++b) triangle_.put(b, block_of_unknowns(blocks[b]));
      const bool definite = factor_.factorise(triangle_.matrix());
      ++factorisations_;
      flops_ += factor_.flops();
      if (definite) return Factor::made;
    }
    return Factor::not_definite;
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
    double apart = 0, x = 0, change = 0, u = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      apart += (x_[i] - z_[i]).squaredNorm();
      x += x_[i].squaredNorm();
      change += (z_[i] - before_[i]).squaredNorm();
      u += u_[i].squaredNorm();
    }
    if (!(x > 0 && u > 0 && change > 0)) return false;
    const double ratio = std::sqrt(std::sqrt((apart / x) / (penalty_ * penalty_ * change / u)));
    if (ratio <= kUnbalanced && ratio >= 1 / kUnbalanced) return false;
    penalty_ *= std::clamp(ratio, 1 / kMostChange, kMostChange);
    return true;
  }

  void raise() { penalty_ *= kRaise; }

  [[nodiscard]] const std::vector<Eigen::Vector3d>& reaction() const noexcept { return z_; }
  /// Of the two triangular solves, in 3×3 blocks.
  [[nodiscard]] double products_per_step() const noexcept { return 2 * factor_.entries() / 9; }
  [[nodiscard]] long factorisations() const noexcept { return factorisations_; }
  [[nodiscard]] double flops() const noexcept { return flops_; }

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
  long factorisations_ = 0;
  double flops_ = 0;
};

}  // namespace

SolveReport solve_admm(LocalDynamics& ldy, const AdmmOptions& options) {
  check_admm(options);
  const StopOptions& stop = options.stop;
  IterateWatch watch(ldy, stop, "admm");
  SolveReport& report = watch.report();
  ConeProgram program(ldy);
  watch.judge(0);
  if (watch.converged()) return watch.finish(SolveStatus::converged, "", 0);
  if (stop.max_iterations == 0) return watch.finish(SolveStatus::max_iterations, "the limit of steps came first", 0);
  AlternatingDirections directions(program, options.penalty, options.relaxation);
  program.centre_on(ldy);
  directions.start();
  using Factor = AlternatingDirections::Factor;
  Factor factor = directions.factorise(watch);
  report.stages.setup = watch.seconds() - report.stages.residual;

  double level = watch.best();
  long done = 0, fell = 0, balanced = 0;
  int raises = 0;
  while (factor == Factor::made) {
    report.factorisations = directions.factorisations();
    report.factorisation_flops = directions.flops();
    const double entered = watch.seconds();
    const long end = std::min(done + kStepsPerCheck, stop.max_iterations);
    for (; done < end && !watch.out_of_time(); ++done) {
      directions.step();
      report.block_products += directions.products_per_step();
    }
    report.stages.factorisation += watch.seconds() - entered;
    program.write(directions.reaction(), ldy);
    const double value = watch.judge(done);
    if (watch.converged()) return watch.finish(SolveStatus::converged, "", done);
    if (!std::isfinite(value)) return watch.finish(SolveStatus::diverged, "the iterate is not finite", done);
    if (watch.out_of_time()) return watch.finish(SolveStatus::max_time, "the time limit came first", done);
    if (done == stop.max_iterations) {
      return watch.finish(SolveStatus::max_iterations, "the limit of steps came first", done);
    }
    if (watch.best() < kFallsTo * level) {
      level = watch.best();
      fell = done;
      raises = 0;
    }
    const bool lost = done - fell >= options.patience;
    if (lost && raises == kMostRaises) {
      return watch.finish(SolveStatus::stalled, "no penalty brought the residual down by a tenth", done);
    }
    program.centre_on(ldy);
    directions.take_load();
    if (lost) {
      directions.raise();
      ++raises;
      fell = done;
      factor = directions.factorise(watch);
    } else if (raises == 0 && done - balanced >= kStepsPerPenalty && directions.balance()) {
      balanced = done;
      factor = directions.factorise(watch);
    }
  }
  if (factor == Factor::no_time) {
    return watch.finish(SolveStatus::max_time, "the time limit holds no further factorisation", done);
  }
  return watch.finish(SolveStatus::failed, "W is not positive semidefinite", done);
}

}  // namespace locdyn
