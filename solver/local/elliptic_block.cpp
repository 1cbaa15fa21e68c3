#include <locdyn/solver/local/elliptic_block.hpp>

#include <utility>

#include <locdyn/solver/local/planar_contact.hpp>

namespace locdyn::detail {

EllipticBlock::EllipticBlock(const EllipticLaw& law, const Eigen::Matrix3d& W) noexcept {
  const double largest = law.friction.maxCoeff();
  const double least = law.friction.minCoeff();
  Eigen::Matrix3d block = W;
  if (largest < elliptic::kNoFriction) {
    circle_ = ContactBlock(block, 0);
    return;
  }
  // Ratios whose squares vanish beside the rest of W leave one direction alone.
  flat_ = least < elliptic::kNoFriction * largest;
  if (flat_) {
    swapped_ = law.friction[1] > law.friction[0];
    if (swapped_) {
      block.row(0).swap(block.row(1));
      block.col(0).swap(block.col(1));
    }
    block.row(1).setZero();
    block.col(1).setZero();
  } else {
    scale_.head<2>() = law.friction / largest;
    block = scale_.asDiagonal() * W * scale_.asDiagonal();
  }
  circle_ = ContactBlock(block, largest);
}

Eigen::Vector3d EllipticBlock::solve(const Eigen::Vector3d& b, const Eigen::Vector3d& warm) const noexcept {
  if (!flat_) {
    const Eigen::Vector3d scaled = warm.cwiseQuotient(scale_);
    const bool usable = scaled.allFinite();
    return scale_.cwiseProduct(
        circle_.solve(scale_.cwiseProduct(b), usable ? scaled : Eigen::Vector3d(Eigen::Vector3d::Zero())).R);
  }
  const Eigen::Vector3d plane(b[swapped_ ? 1 : 0], 0, b[2]);
  Eigen::Vector3d R = solve_planar_contact(circle_.W(), circle_.friction(), plane).R;
  if (swapped_) std::swap(R[0], R[1]);
  return R;
}

}  // namespace locdyn::detail
