#include <locdyn/solver/nsgs/extrapolation.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <locdyn/ldy/residual.hpp>

namespace locdyn::detail {
namespace {

constexpr double kSameWay = 0.9;  // cosine of two steps
constexpr double kGrowth = 2;     // of λ
constexpr double kWorse = 1.1;    // residual after a jump that is taken back, over that before

}  // namespace

Extrapolation::Extrapolation(LocalDynamics& ldy) : ldy_(ldy) {
  const std::size_t places = ldy.diagonal_arena().size();
  inverse_rho_.assign(places, 0.0);
  start_.assign(places, Eigen::Vector3d::Zero());
  step_ = last_step_ = start_;
  for (const DiagonalBlock& row : ldy.rows()) {
    const DiagonalBlock& first = ldy.row(row.constraint);
    inverse_rho_[&row - ldy.diagonal_arena().data()] = 1 / row_scale(first.W, rows(ldy.law(row.constraint), 0));
  }
  read(start_);
}

void Extrapolation::read(Reactions& R) const {
  const auto diagonal = ldy_.diagonal_arena();
  R.resize(diagonal.size(), Eigen::Vector3d::Zero());
  for (const DiagonalBlock& row : ldy_.rows()) R[&row - diagonal.data()] = row.R;
}

void Extrapolation::restart() {
  read(start_);
  known_ = jumped_ = false;
}

// R ← P_K(R + λ ΔR), law by law.
void Extrapolation::jump(double length) {
  const auto diagonal = ldy_.diagonal_arena();
  std::array<Eigen::Vector3d, kMaxLawBlocks> z;
  for (const DiagonalBlock& row : ldy_.rows()) {
    const ConstraintId id = row.constraint;
    if (&row != &ldy_.row(id)) continue;
    const Law& law = ldy_.law(id);
    const int count = block_count(law);
    for (int k = 0; k < count; ++k) {
      const DiagonalBlock& block = ldy_.row(id, k);
      z[k] = block.R + length * step_[&block - diagonal.data()];
    }
    project(law, {z.data(), static_cast<std::size_t>(count)});
    for (int k = 0; k < count; ++k) ldy_.row(id, k).R = z[k];
  }
}

bool Extrapolation::after_window(double residual) {
  const auto diagonal = ldy_.diagonal_arena();
  if (jumped_) {
    jumped_ = known_ = false;
    const bool worse = !(residual <= kWorse * residual_before_jump_);
    if (worse) {
      length_ = std::max(length_ / (kGrowth * kGrowth), 1.0);
      for (DiagonalBlock& row : ldy_.rows()) row.R = before_jump_[&row - diagonal.data()];
    } else if (taken_ >= length_) {
      length_ *= kGrowth;
    }
    read(start_);
    return worse;
  }
  double along = 0, step2 = 0, last2 = 0, reaction2 = 0;
  for (const DiagonalBlock& row : ldy_.rows()) {
    const std::size_t place = &row - diagonal.data();
    const double weight = inverse_rho_[place] * inverse_rho_[place];
    step_[place] = row.R - start_[place];
    step2 += weight * step_[place].squaredNorm();
    reaction2 += weight * row.R.squaredNorm();
    if (known_) {
      along += weight * step_[place].dot(last_step_[place]);
      last2 += weight * last_step_[place].squaredNorm();
    }
  }
  if (known_ && along > kSameWay * std::sqrt(step2 * last2)) {
    const double shrink = std::sqrt(step2 / last2);
    taken_ = std::min(length_, std::sqrt(reaction2 / step2));
    if (shrink < 1) taken_ = std::min(taken_, shrink / (1 - shrink));
    read(before_jump_);
    residual_before_jump_ = residual;
    jump(taken_);
    jumped_ = true;
    ++jumps_;
    return true;
  }
  read(start_);
  std::swap(step_, last_step_);
  known_ = true;
  return false;
}

}  // namespace locdyn::detail
