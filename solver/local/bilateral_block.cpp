#include <locdyn/solver/local/bilateral_block.hpp>

#include <array>
#include <stdexcept>
#include <string>

#include <locdyn/solver/least_norm.hpp>

namespace locdyn::detail {

BilateralBlock::BilateralBlock(const BilateralLaw& law, const Eigen::Ref<const Eigen::MatrixXd>& W) {
  const int size = 3 * law.blocks();
  if (W.rows() != size || W.cols() != size) {
    throw std::invalid_argument("W of a bilateral law of " + std::to_string(law.blocks()) + " blocks: expected " +
                                std::to_string(size) + "x" + std::to_string(size) + ", found " +
                                std::to_string(W.rows()) + "x" + std::to_string(W.cols()));
  }
  for (int k = 0; k < law.blocks(); ++k) used_[k] = law.rows(k);
  // The rows in use, packed.
  std::array<int, 6> used{};
  int count = 0;
  for (int i = 0; i < size; ++i) {
    if (uses(law.rows(i / 3), i % 3)) used[count++] = i;
  }
  if (count == 0) return;
  Eigen::MatrixXd A(count, count);
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) A(i, j) = W(used[i], used[j]);
    A(i, i) += law.block[used[i] / 3].compliance[used[i] % 3];
  }
  const LeastNorm decomposition(A, 1e-13);
  rank_ = static_cast<int>(decomposition.rank());
  const Eigen::MatrixXd inverse = decomposition.pseudo_inverse();
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) {
      A_(used[i], used[j]) = A(i, j);
      inverse_(used[i], used[j]) = inverse(i, j);
    }
  }
}

template <int size>
void BilateralBlock::solve_fixed(std::span<const Eigen::Vector3d> b, std::span<Eigen::Vector3d> R) const noexcept {
  using Vector = Eigen::Matrix<double, size, 1>;
  Vector load;
  for (int i = 0; i < size; ++i) load[i] = uses(used_[i / 3], i % 3) ? b[i / 3][i % 3] : 0;
  const auto A = A_.topLeftCorner<size, size>();
  const auto inverse = inverse_.topLeftCorner<size, size>();
  Vector x = -(inverse * load);
  const Vector left = load + A * x;
  x.noalias() -= inverse * left;
  for (int k = 0; k < size / 3; ++k) R[k] = x.template segment<3>(3 * k);
}

void BilateralBlock::solve(std::span<const Eigen::Vector3d> b, std::span<Eigen::Vector3d> R) const noexcept {
  b.size() == 1 ? solve_fixed<3>(b, R) : solve_fixed<6>(b, R);
}

}  // namespace locdyn::detail
