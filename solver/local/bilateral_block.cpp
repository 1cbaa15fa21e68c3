#include <locdyn/solver/local/bilateral_block.hpp>

#include <Eigen/QR>
#include <array>
#include <stdexcept>
#include <string>

namespace locdyn {

BilateralBlock::BilateralBlock(const BilateralLaw& law, const Eigen::Ref<const Eigen::MatrixXd>& W) {
  const int size = 3 * law.blocks();
  if (W.rows() != size || W.cols() != size) {
    throw std::invalid_argument("W of a bilateral law of " + std::to_string(law.blocks()) + " blocks: expected " +
                                std::to_string(size) + "x" + std::to_string(size) + ", found " +
                                std::to_string(W.rows()) + "x" + std::to_string(W.cols()));
  }
  // The rows in use, packed.
  std::array<int, 6> used{};
  int count = 0;
  for (int i = 0; i < size; ++i) {
    if (uses(law.rows(i / 3), i % 3)) used[count++] = i;
  }
  if (count == 0) return;
  using Packed = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;
  Packed A(count, count);
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) A(i, j) = W(used[i], used[j]);
    A(i, i) += law.block[used[i] / 3].compliance[used[i] % 3];
  }
  Eigen::CompleteOrthogonalDecomposition<Packed> decomposition;
  decomposition.setThreshold(1e-13);
  decomposition.compute(A);
  rank_ = static_cast<int>(decomposition.rank());
  const Packed inverse = decomposition.pseudoInverse();
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) {
      A_(used[i], used[j]) = A(i, j);
      inverse_(used[i], used[j]) = inverse(i, j);
    }
  }
}

template <int size>
void BilateralBlock::solve_fixed(const double* b, double* R) const noexcept {
  using Vector = Eigen::Matrix<double, size, 1>;
  const Eigen::Map<const Vector> load(b);
  const auto A = A_.topLeftCorner<size, size>();
  const auto inverse = inverse_.topLeftCorner<size, size>();
  Vector x = -(inverse * load);
  const Vector left = load + A * x;
  x.noalias() -= inverse * left;
  Eigen::Map<Vector>{R} = x;
}

void BilateralBlock::solve(std::span<const Eigen::Vector3d> b, std::span<Eigen::Vector3d> R) const noexcept {
  if (b.size() == 1) {
    solve_fixed<3>(b[0].data(), R[0].data());
  } else {
    std::array<double, 6> load{b[0][0], b[0][1], b[0][2], b[1][0], b[1][1], b[1][2]}, x{};
    solve_fixed<6>(load.data(), x.data());
    R[0] = {x[0], x[1], x[2]};
    R[1] = {x[3], x[4], x[5]};
  }
}

}  // namespace locdyn
