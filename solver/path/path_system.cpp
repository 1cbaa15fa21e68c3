#include <locdyn/solver/path/path_system.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <locdyn/solver/convex/scaled_system.hpp>
#include <locdyn/solver/newton/newton_system.hpp>

namespace locdyn::detail {
namespace {

// ε over √σ: where ‖Û_t‖ is below ε the contact hardly knows that its flow is not associated. Walls and piles have the
// fewest turns of the path with a small one.
constexpr double kSlip = 0.02;
// a over √σ, in units where b is about 1: it keeps R unique along the path, and falls as the path's own error does.
constexpr double kProximal = 3e-5;

// Refinements of a solve in the space of velocities, whose matrix has sticking contacts as stiff springs of 1/a: the
// last is the one whose correction is small. Beside that the matrix's own refinement is not asked for: it gives up where
// the right-hand side is no more than rounding, and took a path of 494 contacts for one that ends.
constexpr int kMostRefinements = 3;
constexpr double kSmallCorrection = 1e-6;

// What the first factorisation will about take: over a Cholesky factor, and for an operation at a sweep's speed [s].
constexpr double kOverCholesky = 3, kSecondsOfOperation = 1e-9;

// s, ∂s/∂Û_t and ∂s/∂τ.
struct SmoothedShift {
  SmoothedShift(const Eigen::Vector3d& velocity, double friction, double sigma) noexcept {
    const double e = kSlip * std::sqrt(sigma);
    const double length = std::sqrt(velocity.head<2>().squaredNorm() + e * e);
    value = friction * (length - e);
    gradient << friction / length * velocity.head<2>(), 0;
    drift = 0.5 * friction * e * (e / length - 1);
  }
  double value, drift;
  Eigen::Vector3d gradient;
};

}  // namespace

PathSystem::PathSystem(const LocalDynamics& ldy, const ConeProgram& program) : program_(program) {
  const std::size_t rows = program.rows().size();
  for (Vectors* vectors : {&R_, &G_, &slope_, &product_}) vectors->assign(rows, Eigen::Vector3d::Zero());
  derivatives_.resize(rows);
  used_.resize(rows);
  b_ = program.free_velocity(ldy);
  for (std::size_t i = 0; i < rows; ++i) {
    const ConeProgram::Row& row = program.rows()[i];
    T_.push_back(row.contact ? cone_scale(row.friction) : Eigen::Vector3d::Ones());
    for (int k = 0; k < 3; ++k) {
      if (row.in_use[k] != 0) used_[i].push_back(k);
    }
  }
  list_blocks(ldy);
  if (works_in_velocities(ldy)) {
    velocities_.emplace(ldy, program);
    seconds_ = kSecondsOfOperation * velocities_->cost();
  } else {
    lay_out();
    seconds_ = kOverCholesky * ScaledSystem(program).expected_seconds();
  }
}

void PathSystem::list_blocks(const LocalDynamics& ldy) {
  const auto& rows = program_.rows();
  const auto diagonal = ldy.diagonal_arena();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    start_.push_back(blocks_.size());
    const DiagonalBlock& own = diagonal[rows[i].place];
    const auto add = [&](int column, const Eigen::Matrix3d& W) {
      blocks_.push_back({column, W / (rows[i].scale * rows[column].scale)});
    };
    add(static_cast<int>(i), own.W);
    for (const OffDiagonalBlock& block : ldy.adjacent(own)) add(program_.number(block.other), block.W);
    std::sort(blocks_.begin() + static_cast<std::ptrdiff_t>(start_.back()), blocks_.end(),
              [](const Block& a, const Block& b) { return a.column < b.column; });
  }
  start_.push_back(blocks_.size());
}

void PathSystem::lay_out() {
  const auto& rows = program_.rows();
  matrix_.start.assign(1, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < used_[i].size(); ++k) {
      for (std::size_t at = start_[i]; at < start_[i + 1]; ++at) {
        const int column = blocks_[at].column;
        for (int l = 0; l < rows[column].count; ++l) matrix_.column.push_back(rows[column].first + l);
      }
      matrix_.start.push_back(static_cast<int>(matrix_.column.size()));
    }
  }
  matrix_.value.resize(matrix_.column.size());
  right_.resize(static_cast<std::size_t>(program_.unknowns()));
  left_.resize(right_.size());
}

void PathSystem::multiply(const Vectors& R, Vectors& product) {
  block_products_ += static_cast<double>(blocks_.size());
  for (std::size_t i = 0; i < R.size(); ++i) {
    Eigen::Vector3d sum = a_ * R[i];
    for (std::size_t at = start_[i]; at < start_[i + 1]; ++at) sum += blocks_[at].W * R[blocks_[at].column];
    product[i] = sum.cwiseProduct(program_.rows()[i].in_use);
  }
}

void PathSystem::evaluate(const Vectors& v, double tau) {
  v_ = v;
  tau_ = tau;
  const double sigma = std::exp(tau);
  a_ = kProximal * std::sqrt(sigma);
  for (std::size_t i = 0; i < v.size(); ++i) {
    const ConeProgram::Row& row = program_.rows()[i];
    if (row.contact) {
      const SmoothedPair pair = smoothed_pair(v[i], sigma);
      const Eigen::Vector3d velocity = T_[i].cwiseProduct(pair.z);
      R_[i] = pair.x.cwiseQuotient(T_[i]).cwiseProduct(row.in_use);
      G_[i] = velocity.cwiseProduct(row.in_use);
      G_[i][2] -= SmoothedShift(velocity, row.friction, sigma).value;
    } else {
      R_[i] = v[i];
      G_[i] = -row.stiffness.cwiseProduct(v[i]);
    }
  }
  multiply(R_, product_);
  for (std::size_t i = 0; i < v.size(); ++i) G_[i] -= product_[i] + b_[i];
}

void PathSystem::differentiate(std::size_t i) {
  const ConeProgram::Row& row = program_.rows()[i];
  Derivatives& d = derivatives_[i];
  if (!row.contact) {
    d.velocity = row.stiffness.asDiagonal();
    return;
  }
  const double sigma = std::exp(tau_);
  const SmoothedPair pair = smoothed_pair(v_[i], sigma);
  const SmoothedShift shift(T_[i].cwiseProduct(pair.z), row.friction, sigma);
  Eigen::Matrix3d unshift = Eigen::Matrix3d::Identity();
  unshift.row(2) -= shift.gradient.transpose();
  d.reaction = T_[i].cwiseInverse().asDiagonal() * pair.dx;
  d.velocity = unshift * T_[i].asDiagonal() * pair.dz;
  d.reaction_drift = pair.drift.cwiseQuotient(T_[i]).cwiseProduct(row.in_use);
  d.velocity_drift = (unshift * T_[i].cwiseProduct(pair.drift)).cwiseProduct(row.in_use);
  d.velocity_drift[2] -= shift.drift;
}

void PathSystem::fill() {
  auto value = matrix_.value.begin();
  for (std::size_t i = 0; i < used_.size(); ++i) {
    for (const int k : used_[i]) {
      for (std::size_t at = start_[i]; at < start_[i + 1]; ++at) {
        const auto column = static_cast<std::size_t>(blocks_[at].column);
        Eigen::RowVector3d entries = blocks_[at].W.row(k);
        if (column == i) entries[k] += a_;
        entries *= derivatives_[column].reaction;
        if (column == i) entries += derivatives_[i].velocity.row(k);
        for (const int l : used_[column]) *value++ = entries[l];
      }
    }
  }
}

bool PathSystem::factorise() {
  const auto entered = std::chrono::steady_clock::now();
  Vectors drift(R_.size()), force(R_.size());
  for (std::size_t i = 0; i < R_.size(); ++i) {
    differentiate(i);
    force[i] = derivatives_[i].reaction_drift;
  }
  if (!(velocities_ ? eliminate_rows() : factorise_rows())) return false;
  multiply(force, drift);
  for (std::size_t i = 0; i < R_.size(); ++i) {
    drift[i] = derivatives_[i].velocity_drift - drift[i] - 0.5 * a_ * R_[i];  // a falls as √σ
  }
  const bool finite = solve(drift, slope_);
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - entered).count();
  return finite;
}

bool PathSystem::factorise_rows() {
  fill();
  return lu_.factorise(matrix_);
}

bool PathSystem::eliminate_rows() {
  for (std::size_t i = 0; i < R_.size(); ++i) {
    const Derivatives& d = derivatives_[i];
    if (!velocities_->set_row(i, d.velocity + a_ * d.reaction, d.reaction)) return false;
  }
  return true;
}

bool PathSystem::solve(const Vectors& right, Vectors& d) {
  return velocities_ ? solve_in_velocities(right, d) : solve_in_rows(right, d);
}

// Refined against the equations of the rows.
bool PathSystem::solve_in_velocities(const Vectors& right, Vectors& d) {
  d.assign(right.size(), Eigen::Vector3d::Zero());
  if (!velocities_->solve(right, d)) return false;
  Vectors dR(right.size()), left(right.size()), more(right.size());
  for (int refinement = 0; refinement < kMostRefinements; ++refinement) {
    for (std::size_t i = 0; i < right.size(); ++i) dR[i] = derivatives_[i].reaction * d[i];
    multiply(dR, left);
    for (std::size_t i = 0; i < right.size(); ++i) left[i] = right[i] - left[i] - derivatives_[i].velocity * d[i];
    if (!velocities_->solve(left, more)) return false;
    double correction = 0, size = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
      d[i] += more[i];
      correction += more[i].squaredNorm();
      size += d[i].squaredNorm();
    }
    if (!std::isfinite(size)) return false;
    if (correction <= kSmallCorrection * kSmallCorrection * size) break;
  }
  return true;
}

bool PathSystem::solve_in_rows(const Vectors& right, Vectors& d) {
  auto entry = right_.begin();
  for (std::size_t i = 0; i < right.size(); ++i) {
    for (const int k : used_[i]) *entry++ = right[i][k];
  }
  if (!lu_.solve(matrix_, right_, left_)) return false;
  d.assign(right.size(), Eigen::Vector3d::Zero());
  auto found = left_.begin();
  for (std::size_t i = 0; i < right.size(); ++i) {
    for (const int k : used_[i]) d[i][k] = *found++;
  }
  return true;
}

}  // namespace locdyn::detail
