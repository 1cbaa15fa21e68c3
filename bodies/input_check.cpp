#include <locdyn/bodies/input_check.hpp>

#include <Eigen/Eigenvalues>
#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace locdyn::detail {

std::string spelled(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

void require_positive(double value, const char* what) {
  if (value > 0 && std::isfinite(value)) return;
  throw std::invalid_argument(std::string(what) + ": expected a finite number > 0, found " + spelled(value));
}

void require_finite(double value, const char* what) {
  if (std::isfinite(value)) return;
  throw std::invalid_argument(std::string(what) + ": expected a finite number, found " + spelled(value));
}

void not_finite(const Eigen::Ref<const Eigen::MatrixXd>& values, const char* what) {
  for (Eigen::Index column = 0; column < values.cols(); ++column) {
    for (Eigen::Index row = 0; row < values.rows(); ++row) require_finite(values(row, column), what);
  }
}

void require_configuration(const Eigen::Ref<const Eigen::VectorXd>& q, Eigen::Index size) {
  if (q.size() != size) {
    throw std::invalid_argument("configuration: expected " + std::to_string(size) + " numbers, found " +
                                std::to_string(q.size()));
  }
  require_finite(q, "configuration");
}

void require_positive_definite(const Eigen::Matrix3d& matrix, const char* what) {
  require_finite(matrix, what);
  const double skew = (matrix - matrix.transpose()).cwiseAbs().maxCoeff();
  if (skew > 1e-10 * matrix.cwiseAbs().maxCoeff()) {
    throw std::invalid_argument(std::string(what) + ": expected a symmetric matrix, found entries that differ by " +
                                spelled(skew));
  }
  const double least = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(matrix, Eigen::EigenvaluesOnly).eigenvalues()[0];
  if (least > 0) return;
  throw std::invalid_argument(std::string(what) + ": expected a positive definite matrix, found the eigenvalue " +
                              spelled(least));
}

}  // namespace locdyn::detail
