// The step of point_system.hpp. Newton for x⁺ = x + s: with Z a basis of the null space of G(x⁺),
//
//   s ← s + δ,   δ = −G⁺ᵀ (G⁺ G⁺ᵀ)⁻¹ C + Z y,   Pᵀ (2/h M) Z y = −Pᵀ (r + 2/h M δ_C),   r = M (v⁺ − v) − h f̄

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/mechanism/smooth/motion_error.hpp>
#include <locdyn/mechanism/smooth/point_system.hpp>
#include <locdyn/solver/least_norm.hpp>

namespace locdyn::detail {
namespace {

constexpr int kMostIterations = 60;
constexpr double kRounding = 1e-14;  // of a correction, relative to the size of the system
constexpr double kStill = 1e-10;     // the same: what no longer shrinks is rounding only below this
constexpr double kRank = 1e-10;      // of rows of G, which are of size 1

// Range and null space of Gᵀ by a QR with pivoting.
struct Split {
  LeastNorm range;
  Eigen::MatrixXd null;

  explicit Split(const Eigen::MatrixXd& G) {
    const Eigen::Index n = G.cols();
    if (G.rows() == 0) {
      null = Eigen::MatrixXd::Identity(n, n);
      return;
    }
    range.factorise(G.transpose(), kRank);
    null = range.orthogonal().rightCols(n - range.rank());
  }

  // s of least ‖s‖ with G s = e, in the least-squares sense.
  [[nodiscard]] Eigen::VectorXd least_norm(const Eigen::VectorXd& e) const {
    return range.pseudo_inverse().transpose() * e;
  }
};

// M ⊗ I, for three axes.
Eigen::MatrixXd for_three_axes(const Eigen::MatrixXd& M) {
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(3 * M.rows(), 3 * M.cols());
  for (Eigen::Index j = 0; j < M.cols(); ++j) {
    for (Eigen::Index i = 0; i < M.rows(); ++i) all.block<3, 3>(3 * i, 3 * j).diagonal().setConstant(M(i, j));
  }
  return all;
}

}  // namespace

std::vector<Eigen::Index> PointSystem::free_coordinates() const {
  std::vector<Eigen::Index> free;
  for (PointId point = 0; point < size(); ++point) {
    for (Eigen::Index k = 0; k < 3 && !fixed_[point]; ++k) free.push_back(at(point) + k);
  }
  return free;
}

// G (rows×3N) of all coordinates.
Eigen::MatrixXd PointSystem::constraint_gradient(const Eigen::VectorXd& x) const {
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows_.size()), x.size());
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Row& row = rows_[k];
    const Eigen::RowVector3d n = (x.segment<3>(at(row.b)) - x.segment<3>(at(row.a))).transpose() / row.length;
    G.block<1, 3>(static_cast<Eigen::Index>(k), at(row.b)) += n;
    G.block<1, 3>(static_cast<Eigen::Index>(k), at(row.a)) -= n;
  }
  return G;
}

// f̄ from x_ to x: discrete gradients, and dampers by the mean rate.
Eigen::VectorXd PointSystem::mean_force(const Eigen::VectorXd& x, double h) const {
  Eigen::VectorXd f(x.size());
  const Eigen::VectorXd weights = mass_.rowwise().sum();
  for (Eigen::Index i = 0; i < weights.size(); ++i) f.segment<3>(3 * i) = weights[i] * gravity;
  for (const Spring& s : springs_) {
    const Eigen::Vector3d before = x_.segment<3>(at(s.b)) - x_.segment<3>(at(s.a));
    const Eigen::Vector3d after = x.segment<3>(at(s.b)) - x.segment<3>(at(s.a));
    const double length = before.norm(), longer = after.norm(), sum = length + longer;
    if (!(sum > 0)) continue;
    const double pull = s.stiffness * (0.5 * sum - s.rest) + s.damping * (longer - length) / h;
    const Eigen::Vector3d along = (before + after) / sum;
    f.segment<3>(at(s.b)) -= pull * along;
    f.segment<3>(at(s.a)) += pull * along;
  }
  return f;
}

void PointSystem::require_mass() const {
  for (PointId point = 0; point < size(); ++point) {
    const auto i = static_cast<Eigen::Index>(point);
    if (fixed_[point] || mass_(i, i) > 0) continue;
    throw MotionError(MotionError::Reason::no_solution, time_,
                      "expected points with mass, found none at point " + std::to_string(point));
  }
}

void PointSystem::project_velocities() {
  require_mass();
  const std::vector<Eigen::Index> free = free_coordinates();
  const Eigen::MatrixXd M = for_three_axes(mass_);
  const Eigen::MatrixXd Z = Split(constraint_gradient(x_)(Eigen::all, free)).null;
  const Eigen::MatrixXd inner = M(free, free);
  Eigen::VectorXd v = Eigen::VectorXd::Zero(v_.size());
  v(free) = Z * (Z.transpose() * inner * Z).ldlt().solve(Z.transpose() * (inner * v_(free)));
  if (!v.allFinite()) {
    throw MotionError(MotionError::Reason::no_solution, time_,
                      "expected finite velocities that meet the links, found none: positions of " +
                          spelled(x_.cwiseAbs().maxCoeff()) + " m, velocities of " + spelled(v_.cwiseAbs().maxCoeff()) +
                          " m/s");
  }
  v_ = v;
}

PointSystem::StepReport PointSystem::step(double h) {
  require_positive(h, "step");
  require_finite(gravity, "gravity");
  require_mass();
  const std::vector<Eigen::Index> free = free_coordinates();
  const Eigen::MatrixXd M = for_three_axes(mass_)(free, free);
  const double size = 1 + x_.cwiseAbs().maxCoeff();
  const Eigen::VectorXd v = v_(free);
  Eigen::VectorXd x = x_;
  x(free) += h * v;

  StepReport report;
  double before = std::numeric_limits<double>::infinity();
  while (report.iterations < kMostIterations) {
    ++report.iterations;
    // What d'Alembert and the constraints miss.
    const Eigen::VectorXd change = (x - x_)(free);
    const Eigen::VectorXd impulse = M * (2 / h * change - 2 * v) - h * mean_force(x, h)(free);
    const Split middle(constraint_gradient(0.5 * (x_ + x))(Eigen::all, free));
    const Split there(constraint_gradient(x)(Eigen::all, free));
    Eigen::VectorXd step = Eigen::VectorXd::Zero(change.size());
    if (!rows_.empty()) step = there.least_norm(-constraints(x));
    const Eigen::MatrixXd reduced = 2 / h * middle.null.transpose() * M * there.null;
    const Eigen::VectorXd left = middle.null.transpose() * (impulse + 2 / h * (M * step));
    if (reduced.rows() != reduced.cols()) break;
    if (reduced.size() > 0) step -= there.null * reduced.partialPivLu().solve(left);
    x(free) += step;
    const double moved = step.cwiseAbs().maxCoeff();
    if (!std::isfinite(moved)) break;
    const bool rounding = moved < kStill * size && moved > 0.5 * before;
    before = moved;
    if (moved > kRounding * size && !rounding) continue;
    // The forces of constraints are what is left of the impulse.
    const Eigen::VectorXd force = M * (2 / h * (x - x_)(free)-2 * v) / h - mean_force(x, h)(free);
    const Eigen::MatrixXd G = constraint_gradient(0.5 * (x_ + x))(Eigen::all, free);
    if (!rows_.empty()) report.multipliers = LeastNorm(G.transpose(), kRank).solve(force);
    report.freedoms = there.null.cols();
    v_(free) = 2 / h * (x - x_)(free)-v;
    x_ = x;
    time_ += h;
    return report;
  }
  throw MotionError(MotionError::Reason::no_solution, time_,
                    "expected a step that is solved, found a correction of " + spelled(before) + " m after " +
                        std::to_string(report.iterations) + " iterations");
}

}  // namespace locdyn::detail
